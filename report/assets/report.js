"use strict";
// Opens the evidence of claims, walks and filters them. Text from documents goes into text nodes only.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const looks = new Map(data.looks.map((l) => [l.key, l]));
  const root = document.documentElement;
  const panel = $("panel");
  const around = 700; // characters on each side of a passage until the whole source is asked for
  const marks = [...document.querySelectorAll(".mark")];
  let current = -1; // claim whose evidence is open, or that was walked to last
  let filter = "";

  function el(tag, props, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props || {})) {
      if (k in e && k !== "dir") e[k] = v;
      else e.setAttribute(k, v);
    }
    e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
    return e;
  }
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const say = (text) => { $("live").textContent = text; };
  const parts = (i) => document.querySelectorAll(`.claim[data-claim="${i}"]`);
  const markOf = (i) => document.querySelector(`.mark[data-open="${i}"]`);

  // The text around a passage, cut at white space.
  function surroundings(text, from, to) {
    let a = Math.max(0, from - around), b = Math.min(text.length, to + around);
    if (a > 0) { const s = text.slice(a, from).search(/\s/); a += s < 0 ? 0 : s + 1; }
    if (b < text.length) { const s = text.slice(to, b).search(/\s\S*$/); b = s < 0 ? b : to + s; }
    return [a, b];
  }

  function passage(check) {
    const text = check.text >= 0 ? data.texts[check.text] : null;
    const found = check.end > 0;
    if (!text || !text.pieces.length) {
      const out = check.quote ? [el("div", { className: "passage", dir: "auto" }, el("mark", {}, check.quote))] : [];
      if (text || check.quote) out.push(el("p", { className: "soft" }, "The text of this source is not in this file."));
      return out;
    }
    const piece = text.pieces[check.piece].text;
    const box = el("div", { className: "passage", dir: "auto" });
    const draw = (a, b) => {
      box.replaceChildren();
      if (!found) { box.append(piece.slice(a, b)); return; }
      const cutBefore = a > 0 || (!text.whole && check.piece > 0), cutAfter = b < piece.length;
      box.append((cutBefore ? "… " : "") + piece.slice(a, check.start), el("mark", {}, piece.slice(check.start, check.end)), piece.slice(check.end, b) + (cutAfter || !text.whole ? " …" : ""));
    };
    const out = [];
    if (found) { draw(...surroundings(piece, check.start, check.end)); out.push(box); }
    if (!text.whole) {
      if (found) out.push(el("p", { className: "soft" }, `This source has ${text.chars.toLocaleString("en")} characters: this file holds only what surrounds the passages.`));
      return out;
    }
    const [a, b] = found ? surroundings(piece, check.start, check.end) : [0, 0];
    if (found && a === 0 && b === piece.length) return out;
    let whole = false;
    const more = el("button", { type: "button", className: "more", "aria-expanded": "false" }, "Show the whole source");
    more.addEventListener("click", () => {
      whole = !whole;
      more.textContent = whole ? (found ? "Show only the passage" : "Hide the source") : "Show the whole source";
      more.setAttribute("aria-expanded", String(whole));
      box.classList.toggle("whole", whole);
      if (whole) { box.tabIndex = 0; box.setAttribute("role", "region"); box.setAttribute("aria-label", "The whole source"); } else { box.removeAttribute("tabindex"); box.removeAttribute("role"); box.removeAttribute("aria-label"); }
      if (!found) box.hidden = !whole;
      draw(...(whole ? [0, piece.length] : [a, b]));
      const m = box.querySelector("mark");
      if (whole && m) box.scrollTop = Math.max(0, m.offsetTop - box.offsetTop - box.clientHeight / 3);
    });
    if (!found) { box.hidden = true; out.push(more, box); } else { out.push(more); }
    return out;
  }

  function source(check) {
    const s = data.sources[check.source];
    if (!s) return null;
    const title = /^https?:\/\//i.test(s.href || "") ? el("a", { href: s.href, rel: "noopener noreferrer nofollow", target: "_blank", dir: "auto" }, s.title) : el("b", { dir: "auto" }, s.title);
    const about = [s.place !== s.title ? s.place : "", s.date ? "dated " + s.date : "", s.read ? "as read on " + s.read : ""].filter(Boolean).join(" · ");
    return el("div", {}, el("p", { className: "from" }, s.number ? el("a", { href: "#source-" + s.number }, `[${s.number}]`) : "", s.number ? " " : "", title), about ? el("p", { className: "soft" }, about) : "");
  }

  function verdict(check) {
    const out = [];
    const why = check.reason || (looks.get(check.look) || {}).means || "";
    if (why) out.push(el("p", { dir: "auto" }, why));
    if (check.notes) out.push(el("p", { className: "soft", dir: "auto" }, check.notes));
    if (typeof check.score === "number") out.push(el("p", { className: "soft" }, `How sure: ${check.score.toFixed(2)} of 1`));
    const from = source(check);
    if (from) out.push(from);
    out.push(...passage(check));
    return out;
  }

  function fill(i) {
    const claim = data.claims[i], look = looks.get(claim.look);
    panel.dataset.verdict = claim.look;
    $("panel-place").textContent = `Claim ${i + 1} of ${data.claims.length}`;
    $("panel-title").textContent = `${look.mark} ${look.label}`;
    const body = [el("p", { className: "said", dir: "auto", lang: $("report").lang }, claim.text)];
    const [first, ...rest] = claim.checks;
    if (claim.look === "disputed") body.push(el("p", {}, look.means));
    if (first) body.push(...verdict(first));
    else body.push(el("p", {}, claim.look === "unchecked" ? look.means : "It cites no source."));
    if (rest.length) body.push(el("h3", {}, rest.length === 1 ? "The other citation of this claim" : "The other citations of this claim"));
    for (const check of rest) {
      const l = looks.get(check.look), s = data.sources[check.source];
      const d = el("details", { open: claim.look === "disputed" && check.look === "contradicted" });
      const badge = el("span", { className: "badge" }, `${l.mark} ${l.label}`);
      badge.dataset.verdict = check.look;
      d.append(el("summary", {}, badge, " ", s ? `${s.number ? `[${s.number}] ` : ""}${s.title}` : ""), ...verdict(check));
      body.push(d);
    }
    $("panel-text").replaceChildren(...body);
    $("panel-body").scrollTop = 0;
  }

  function select(i) {
    for (const e of document.querySelectorAll(".claim.on")) e.classList.remove("on");
    for (const m of marks) m.setAttribute("aria-expanded", "false");
    current = i;
    if (i < 0) return;
    for (const e of parts(i)) e.classList.add("on");
    const m = markOf(i);
    if (m && !panel.hidden) m.setAttribute("aria-expanded", "true");
  }

  function show(i, jump) {
    const first = parts(i)[0] || $(data.claims[i].id);
    if (!first) return;
    const r = first.getBoundingClientRect();
    const bottom = matchMedia("(max-width: 60rem)").matches && !panel.hidden ? panel.getBoundingClientRect().top : innerHeight;
    if (r.top >= 60 && r.bottom <= bottom - 20) return;
    scrollTo({ top: scrollY + r.top - Math.max(70, bottom * 0.3), behavior: jump || calm() ? "instant" : "smooth" });
  }

  function open(i, focus, jump) {
    panel.hidden = false;
    document.body.classList.add("reading");
    select(i);
    fill(i);
    show(i, jump);
    try { history.replaceState(null, "", "#" + data.claims[i].id); } catch { /* not allowed for every file */ }
    if (focus) $("panel-title").focus({ preventScroll: true });
  }

  function close() {
    const m = current >= 0 ? markOf(current) : null;
    panel.hidden = true;
    document.body.classList.remove("reading");
    select(-1);
    try { history.replaceState(null, "", location.pathname + location.search); } catch { /* as above */ }
    if (m) { m.focus({ preventScroll: true }); current = Number(m.dataset.open); }
  }

  // Claims in the order of the text, as far as the filter lets them be seen.
  const walkable = () => marks.map((m) => Number(m.dataset.open)).filter((i) => !filter || data.claims[i].look === filter);

  function walk(step) {
    const list = walkable();
    if (!list.length) return;
    let at = list.indexOf(current);
    if (at < 0) {
      const after = list.findIndex((i) => markOf(i).getBoundingClientRect().top > 0);
      at = step > 0 ? (after < 0 ? 0 : after) : (after <= 0 ? list.length - 1 : after - 1);
    } else {
      at = (at + step + list.length) % list.length;
    }
    const i = list[at];
    if (panel.hidden) { select(i); show(i); } else open(i, false);
    markOf(i).focus({ preventScroll: true });
  }

  const kinds = [...document.querySelectorAll(".filter")].map((b) => b.dataset.filter);

  function setFilter(key) {
    filter = key;
    document.body.classList.toggle("filtered", key !== "");
    for (const b of document.querySelectorAll(".filter")) b.setAttribute("aria-pressed", String(b.dataset.filter === key));
    for (const e of document.querySelectorAll(".claim")) e.classList.toggle("match", e.dataset.verdict === key);
    const n = walkable().length;
    say(key ? `Showing ${n} ${n === 1 ? "claim" : "claims"}: ${looks.get(key).label}` : "Showing all claims");
  }

  function cycle(step) {
    const all = ["", ...kinds];
    if (kinds.length) setFilter(all[(all.indexOf(filter) + step + all.length) % all.length]);
  }

  document.addEventListener("click", (e) => {
    const target = e.target;
    const f = target.closest("[data-filter]");
    if (f) { setFilter(filter === f.dataset.filter ? "" : f.dataset.filter); return; }
    const jump = target.closest("a[href^='#']");
    if (jump) {
      const i = data.claims.findIndex((c) => "#" + c.id === jump.getAttribute("href"));
      if (i >= 0) { e.preventDefault(); open(i, true); }
      return;
    }
    if (target.closest("a")) return;
    const claim = target.closest(".claim");
    if (claim && (target.closest(".mark") || getSelection().isCollapsed)) {
      const m = target.closest(".mark");
      open(Number(m ? m.dataset.open : claim.dataset.claim), true);
    }
  });

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("help").open || e.target.closest?.("input, textarea, select")) return;
    const act = { j: () => walk(1), k: () => walk(-1), f: () => cycle(1), F: () => cycle(-1), "?": () => $("help").showModal() }[e.key];
    if (act) { e.preventDefault(); act(); return; }
    if (e.key === "Escape") { if (!panel.hidden) close(); else if (filter) setFilter(""); }
  });
  $("panel-prev").addEventListener("click", () => { walkFromPanel(-1); });
  $("panel-next").addEventListener("click", () => { walkFromPanel(1); });
  function walkFromPanel(step) {
    const button = document.activeElement;
    walk(step);
    if (panel.contains(button)) button.focus({ preventScroll: true });
    say($("panel-place").textContent + ": " + looks.get(data.claims[current].look).label);
  }
  $("panel-close").addEventListener("click", close);
  $("help-open").addEventListener("click", () => $("help").showModal());

  const themes = ["system", "light", "dark"];
  function setTheme(t) {
    if (t === "system") delete root.dataset.theme; else root.dataset.theme = t;
    $("theme").textContent = "Theme: " + t;
    $("theme").dataset.now = t;
  }
  $("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf($("theme").dataset.now) + 1) % themes.length];
    setTheme(next);
    try { localStorage.setItem("plumb-theme", next); } catch { /* private windows have no storage */ }
  });
  let theme = new URLSearchParams(location.search).get("theme");
  try { theme = theme || localStorage.getItem("plumb-theme"); } catch { /* as above */ }
  setTheme(themes.includes(theme) ? theme : "system");
  $("theme").hidden = $("help-open").hidden = false;

  function fromHash(jump) {
    const i = data.claims.findIndex((c) => "#" + c.id === location.hash);
    if (i >= 0) open(i, true, jump);
  }
  addEventListener("hashchange", () => fromHash(false));
  fromHash(true);
})();
