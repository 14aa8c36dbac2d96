// The report: its text with every claim underlined by its verdict, and behind each claim the passage it rests on.
// final.html is this view without a server.

import { get, post, remove, save, task } from "./api.js";
import { button, confirmed, el, icon, iconButton, outLink, say, toast, trouble, waiting } from "./dom.js";
import { costChart, siteChart, timeChart, verdictBar } from "./chart.js";
import { evidence, sourceOf } from "./evidence.js";
import { count, duration, moment, money, place, site, spoken } from "./format.js";
import { safe } from "./safe.js";
import { keyOf, lookOf, tally } from "./verdict.js";

/** @type {import("./main.js").View} */
export function report(main, id, frame) {
  const stop = new AbortController();
  frame.title("Report");
  main.append(waiting("The report is being fetched"));
  Promise.all([get(task(id, "/report?format=json"), { signal: stop.signal }), get(task(id), { signal: stop.signal }), get(task(id, "/timeline"), { signal: stop.signal }).catch(() => null)])
    .then(([data, about, timeline]) => {
      if (stop.signal.aborted) return;
      new Reader(main, id, frame, data, about, timeline, stop.signal);
    }).catch((e) => {
      if (stop.signal.aborted) return;
      if (e.status !== 404) return main.replaceChildren(trouble(e, () => { main.replaceChildren(); report(main, id, frame); }));
      main.replaceChildren(el("div", { class: "empty" }, el("h1", {}, "There is no report here"), el("p", {}, "The run may still be at work, or may have ended without one."),
        el("p", { class: "row" }, el("a", { class: "button", href: `#/run/${encodeURIComponent(id)}` }, "See the run"), el("a", { class: "button", href: "#/runs" }, "All runs"))));
    });
  return () => stop.abort();
}

class Reader {
  constructor(main, id, frame, data, about, timeline, stopped) {
    Object.assign(this, { main, id, data, about: about || {}, timeline, stopped, at: -1, filter: "" });
    frame.title(data.title);
    this.panel = this.makePanel();
    this.help = this.makeHelp();
    this.article = el("article", { id: "report", class: "text", lang: data.language || undefined, dir: data.direction || undefined }, safe(data.html));
    this.left = el("div", { class: "column" }, this.article, this.unplaced());
    this.number();
    main.replaceChildren(el("div", { class: "page" }, this.head(), this.left, this.sources(), this.charts(), this.method(), this.followUp()), this.panel, this.help);
    main.addEventListener("click", (e) => this.click(e), { signal: stopped });
    document.addEventListener("keydown", (e) => this.key(e), { signal: stopped });
    const h = main.querySelector("h1");
    h.tabIndex = -1;
    h.focus({ preventScroll: true });
  }

  // The server numbers the claims that the text shows; of a strict report these are not all. The first part of each
  // bears the claim's id.
  number() {
    const { claims, verdicts } = this.data;
    this.claims = [];
    for (const e of this.left.querySelectorAll(".claim[id]")) {
      const i = claims.findIndex((c, n) => c.id === e.id || `claim-${n + 1}` === e.id);
      if (i >= 0) this.claims[Number(e.dataset.claim)] = { claim: claims[i], verdict: verdicts[i], key: keyOf(verdicts[i]), id: e.id };
    }
    this.marks = [...this.left.querySelectorAll(".mark")];
    this.counts = tally(this.claims.filter(Boolean).map((c) => c.key));
  }

  head() {
    const d = this.data, a = this.about, query = a.query || "";
    const words = (d.draft || d.markdown || "").split(/\s+/).filter(Boolean).length;
    const cost = a.usage?.estimated_cost, seconds = a.created_at && (a.completed_at || a.updated_at) ? (new Date(a.completed_at || a.updated_at) - new Date(a.created_at)) / 1000 : 0;
    const audit = a.kind === "audit";
    const facts = [moment(a.completed_at || a.updated_at || a.created_at), `${words.toLocaleString("en")} words`, count(this.claims.length, "claim"), count(d.citations.length, "source"),
      cost > 0 && money(cost), seconds >= 1 && duration(seconds)].filter(Boolean);
    const against = ["disputed", "contradicted"].flatMap((k) => this.claims.filter((c) => c?.key === k));
    return el("header", { class: "report-head" }, el("p", { class: "kind" }, audit ? "Audit of a report" : "Research report"), el("h1", { dir: "auto", lang: d.language || undefined }, d.title),
      query && query !== d.title && !audit && el("p", { class: "question", dir: "auto" }, el("span", { class: "label" }, "Question"), " ", query),
      el("p", { class: "facts" }, facts.map((f, i) => [i > 0 && el("span", { "aria-hidden": "true" }, " · "), f])),
      el("div", { class: "row actions" }, this.exports(), el("a", { class: "button quiet", href: `#/run/${encodeURIComponent(this.id)}` }, "How it went"), button("Keys", () => this.help.showModal(), { class: "quiet wide-only", "aria-keyshortcuts": "?" })),
      (d.notices || []).map((n) => el("p", { class: "notice" }, n)),
      this.counts.length > 0 && el("section", { class: "verdicts", "aria-labelledby": "verdicts-title" }, el("h2", { id: "verdicts-title", class: "headline" }, d.headline), verdictBar(this.counts), el("div", { class: "filters", role: "group", "aria-label": "Show only claims that are" },
        this.counts.map(([l, n]) => el("button", { type: "button", class: "filter", title: l.means, "aria-pressed": "false", data: { filter: l.key, verdict: l.key } }, el("span", { class: "glyph", "aria-hidden": "true" }, l.mark), ` ${l.label} `, el("b", {}, n))))),
      against.length > 0 && el("section", { class: "against", "aria-labelledby": "against-title" }, el("h2", { id: "against-title" }, "Where sources speak against the report"), el("ul", {}, against.map((c) => {
        const l = lookOf(c.key), other = (c.verdict.others || []).find((o) => c.key === "disputed" && o.status === "contradicted");
        return el("li", { "data-verdict": c.key }, el("span", { class: "badge" }, `${l.mark} ${l.label}`), " ", button(c.claim.text, () => this.open(this.claims.indexOf(c), true), { class: "linkish", dir: "auto" }), el("span", { class: "why" }, spoken((other || c.verdict).reason)));
      }))));
  }

  exports() {
    const name = (this.data.title || "report").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "report";
    const one = (format, label) => button(label, async () => {
      menu.open = false;
      try { await save(task(this.id, `/report?format=${format}`), `${name}.${format}`); say(`Saved as ${name}.${format}`); } catch (e) { toast(e.message, true); }
    }, { class: "menu-item" });
    const menu = el("details", { class: "menu" }, el("summary", { class: "button" }, icon("download"), "Export"), el("div", { class: "menu-list" },
      one("md", "Markdown"), one("html", "One HTML file"), one("json", "JSON"), button("Delete this run", () => this.remove(), { class: "menu-item danger" })));
    document.addEventListener("click", (e) => { if (!menu.contains(e.target)) menu.open = false; }, { signal: this.stopped });
    return menu;
  }

  async remove() {
    if (!await confirmed("Delete this run?", "The report, what was found for it and its bill are removed. This cannot be undone.", "Delete")) return;
    try { await remove(task(this.id)); location.hash = "#/runs"; } catch (e) { toast(e.message, true); }
  }

  unplaced() {
    const list = this.data.unplaced || [];
    return list.length > 0 && el("section", { class: "unplaced", "aria-labelledby": "unplaced-title" }, el("h2", { id: "unplaced-title" }, "Claims without a place in the text"), el("ul", {}, list.map((u) => el("li", { dir: "auto" }, safe(u)))));
  }

  // Which claims cite an address, with what that source says of each.
  bears(url) {
    return this.claims.flatMap((c, i) => {
      if (!c || !(c.claim.citations || []).includes(url)) return [];
      const all = c.verdict ? [c.verdict, ...(c.verdict.others || [])] : [];
      return [{ i, key: lookOf(all.find((v) => v.citation_url === url)?.status).key }];
    });
  }

  sources() {
    const list = this.data.citations;
    return el("section", { class: "sources", "aria-labelledby": "sources-title" }, el("h2", { id: "sources-title" }, "Sources"), list.length === 0 ? el("p", { class: "soft" }, "This report cites nothing.") : el("ol", {}, list.map((c) => {
      const s = sourceOf(this.data, c.url, c.source), bears = this.bears(c.url);
      const about = [(c.authors || []).slice(0, 3).join(", "), s.place !== s.title && s.place, s.date && `dated ${s.date}`, s.read && `as read on ${s.read}`].filter(Boolean);
      return el("li", { id: `source-${c.number}`, tabindex: "-1" }, el("span", { class: "number", "aria-hidden": "true" }, c.number), el("div", {},
        el("p", { class: "source-title", dir: "auto" }, outLink(c.url, {}, s.title)), el("p", { class: "about" }, about.join(" · ")),
        el("p", { class: "bears" }, `cited by ${count(bears.length, "claim")}`, bears.map((b) => {
          const l = lookOf(b.key);
          return [" ", button([String(b.i + 1), el("span", { "aria-hidden": "true" }, l.mark)], () => this.open(b.i, true), { class: "jump", "data-verdict": b.key, "aria-label": `Claim ${b.i + 1}: ${l.label} by this source` })];
        }))));
    })));
  }

  charts() {
    const sites = new Map();
    for (const c of this.data.citations) {
      const name = c.url.startsWith("doc:") ? place(c.url) : site(c.url), parts = tally(this.bears(c.url).map((b) => b.key)).map(([l, n]) => ({ key: l.key, value: n }));
      const before = sites.get(name) || [];
      for (const p of parts) { const same = before.find((b) => b.key === p.key); same ? same.value += p.value : before.push(p); }
      sites.set(name, before);
    }
    const steps = (this.timeline?.steps || []).map((s) => ({ kind: s.kind, start: Date.parse(s.start), end: Date.parse(s.end), outcome: s.outcome }));
    const bill = (this.about.metadata?.role_breakdown || []).map((b) => ({ name: b.role, cost: b.cost_usd }));
    const all = [siteChart(sites), timeChart(steps), costChart(bill)].filter(Boolean);
    return all.length > 0 && el("section", { class: "charts", "aria-labelledby": "charts-title" }, el("h2", { id: "charts-title" }, "At a glance"), el("div", { class: "chart-grid" }, all));
  }

  method() {
    return this.data.method && el("section", { class: "method", "aria-labelledby": "method-title" }, el("h2", { id: "method-title" }, "How this report came about"), el("div", { class: "method-text" }, safe(this.data.method)));
  }

  followUp() {
    if (this.about.kind === "audit") return null;
    const field = el("textarea", { id: "follow-up", rows: 2, maxlength: 10000, placeholder: "What else do you want to know about this?", required: true });
    const go = el("button", { class: "primary" }, "Ask");
    const thread = this.about.session_id || this.id;
    const form = el("form", { class: "follow" }, el("label", { for: "follow-up" }, "Ask a follow-up question"), el("p", { class: "soft" }, "What was found for this report is kept for the next."), field, el("div", { class: "row end" }, go));
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      if (!field.value.trim() || go.disabled) return;
      go.disabled = true;
      try {
        const made = await post("/api/v1/tasks", { query: field.value.trim(), session_id: thread, context: { research_strategy: this.about.context?.research_strategy || undefined } });
        location.hash = `#/run/${encodeURIComponent(made.task_id)}`;
      } catch (err) { toast(err.message, true); go.disabled = false; }
    });
    field.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit(); });
    return form;
  }

  makePanel() {
    this.where = el("span", { class: "where" });
    this.name = el("h2", { id: "panel-title", tabindex: "-1" });
    this.body = el("div", { class: "panel-text" });
    this.scroller = el("div", { class: "panel-body", tabindex: "0", role: "group", "aria-labelledby": "panel-title" }, this.name, this.body);
    return el("aside", { id: "panel", class: "panel", "aria-labelledby": "panel-title", hidden: true }, el("div", { class: "panel-bar" }, this.where,
      iconButton("up", "Previous claim (k)", () => this.fromPanel(-1)), iconButton("down", "Next claim (j)", () => this.fromPanel(1)), iconButton("close", "Close the evidence (Esc)", () => this.close())), this.scroller);
  }

  makeHelp() {
    const row = (keys, what) => el("div", {}, el("dt", {}, keys.map((k) => [el("kbd", {}, k), " "])), el("dd", {}, what));
    return el("dialog", { id: "help", "aria-labelledby": "help-title" }, el("h2", { id: "help-title" }, "Keys"), el("dl", {}, row(["j", "k"], "next and previous claim"), row(["Enter"], "open the evidence of a claim"),
      row(["f", "F"], "show only one verdict, then the next, then all"), row(["Esc"], "close the evidence, then the filter"), row(["?"], "this list")), el("form", { method: "dialog", class: "row end" }, el("button", {}, "Close")));
  }

  markOf(i) { return this.marks.find((m) => Number(m.dataset.open) === i); }
  parts(i) { return this.left.querySelectorAll(`.claim[data-claim="${i}"]`); }

  select(i) {
    for (const e of this.left.querySelectorAll(".claim.on")) e.classList.remove("on");
    for (const m of this.marks) m.setAttribute("aria-expanded", "false");
    this.at = i;
    for (const e of i < 0 ? [] : this.parts(i)) e.classList.add("on");
    if (i >= 0 && !this.panel.hidden) this.markOf(i)?.setAttribute("aria-expanded", "true");
  }

  open(i, focus) {
    const c = this.claims[i];
    if (!c) return;
    this.panel.hidden = false;
    document.body.classList.add("reading");
    this.select(i);
    this.panel.dataset.verdict = c.key;
    this.where.textContent = `Claim ${i + 1} of ${this.claims.length}`;
    this.name.textContent = `${lookOf(c.key).mark} ${lookOf(c.key).label}`;
    this.body.replaceChildren(...evidence(this.data, c.claim, c.verdict, (n) => this.toSource(n)));
    this.scroller.scrollTop = 0;
    this.bring(i);
    if (focus) this.name.focus({ preventScroll: true });
  }

  close() {
    const m = this.at >= 0 && this.markOf(this.at), at = this.at;
    this.panel.hidden = true;
    document.body.classList.remove("reading");
    this.select(-1);
    if (m) { m.focus({ preventScroll: true }); this.at = at; }
  }

  // Scrolls as little as brings the claim into the part of the window that the panel leaves free.
  bring(i) {
    const first = this.parts(i)[0];
    if (!first) return;
    const r = first.getBoundingClientRect(), sheet = matchMedia("(max-width: 60rem)").matches && !this.panel.hidden;
    const bottom = sheet ? this.panel.getBoundingClientRect().top : innerHeight;
    if (r.top >= 70 && r.bottom <= bottom - 20) return;
    scrollTo({ top: scrollY + r.top - Math.max(80, bottom * 0.3), behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
  }

  walkable() { return this.marks.map((m) => Number(m.dataset.open)).filter((i) => this.claims[i] && (!this.filter || this.claims[i].key === this.filter)); }

  walk(by) {
    const list = this.walkable();
    if (!list.length) return;
    let at = list.indexOf(this.at);
    if (at < 0) {
      const after = list.findIndex((i) => this.markOf(i).getBoundingClientRect().top > 60);
      at = by > 0 ? Math.max(after, 0) : after <= 0 ? list.length - 1 : after - 1;
    } else at = (at + by + list.length) % list.length;
    if (this.panel.hidden) { this.select(list[at]); this.bring(list[at]); } else this.open(list[at], false);
    this.markOf(list[at]).focus({ preventScroll: true });
  }

  fromPanel(by) {
    const held = document.activeElement;
    this.walk(by);
    if (this.panel.contains(held)) held.focus({ preventScroll: true });
    say(`${this.where.textContent}: ${this.name.textContent}`);
  }

  show(key) {
    this.filter = key;
    document.body.classList.toggle("filtered", key !== "");
    for (const b of this.main.querySelectorAll(".filter")) b.setAttribute("aria-pressed", String(b.dataset.filter === key));
    for (const e of this.left.querySelectorAll(".claim")) e.classList.toggle("match", e.dataset.verdict === key);
    say(key ? `Showing ${count(this.walkable().length, "claim")}: ${lookOf(key).label}` : "Showing all claims");
  }

  toSource(n) {
    const li = document.getElementById(`source-${n}`);
    if (!li) return;
    if (matchMedia("(max-width: 60rem)").matches && !this.panel.hidden) this.close();
    li.scrollIntoView({ block: "center" });
    li.focus({ preventScroll: true });
  }

  click(e) {
    const to = e.target.closest("a[data-to]");
    if (to) {
      e.preventDefault();
      const n = /^source-(\d+)$/.exec(to.dataset.to);
      if (n) return this.toSource(n[1]);
      const i = this.claims.findIndex((c) => c?.id === to.dataset.to);
      return i >= 0 ? this.open(i, true) : document.getElementById(to.dataset.to)?.scrollIntoView();
    }
    const f = e.target.closest("[data-filter]");
    if (f) return this.show(this.filter === f.dataset.filter ? "" : f.dataset.filter);
    if (e.target.closest("a")) return;
    const mark = e.target.closest(".mark"), claim = e.target.closest(".claim");
    if (mark || (claim && this.left.contains(claim) && getSelection().isCollapsed)) this.open(Number(mark ? mark.dataset.open : claim.dataset.claim), true);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]") || e.target.closest?.("input, textarea, select")) return;
    const kinds = ["", ...this.counts.map(([l]) => l.key)], cycle = (by) => this.show(kinds[(kinds.indexOf(this.filter) + by + kinds.length) % kinds.length]);
    const act = { j: () => this.walk(1), k: () => this.walk(-1), f: () => cycle(1), F: () => cycle(-1), "?": () => this.help.showModal() }[e.key];
    if (act) { e.preventDefault(); return act(); }
    if (e.key !== "Escape") return;
    if (!this.panel.hidden) this.close();
    else if (this.filter) this.show("");
  }
}
