// The evidence behind a claim: what each citation says of it, and the passage in the text as it was read.

import { request, task } from "./api.js";
import { button, el, outLink } from "./dom.js";
import { day, place, site, spoken } from "./format.js";
import { keyOf, lookOf } from "./verdict.js";

const around = 700; // characters on each side of a passage until the whole source is asked for
const texts = new Map(); // by run and hash: promises of {text, bytes}

function textOf(run, hash) {
  const key = `${run}/${hash}`;
  if (!texts.has(key)) {
    if (texts.size > 40) texts.clear(); // a long session keeps little
    const p = request("GET", task(run, `/sources/${encodeURIComponent(hash)}`), { headers: { Accept: "text/plain" } }).then(async (res) => {
      if (!res.ok) throw new Error(res.status === 404 ? "The text of this source was not kept." : `The server answered ${res.status}.`);
      return res.text();
    });
    p.catch(() => texts.delete(key));
    texts.set(key, p);
  }
  return texts.get(key);
}

/** Offsets of the server are in bytes of UTF-8; scripts count UTF-16 units. */
export function cut(text, start, end) {
  const bytes = new TextEncoder().encode(text), decode = (a, b) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(a, b));
  return [decode(0, start), decode(start, end), decode(end, bytes.length)];
}

/** The text before and after a passage, shortened at white space. */
function shortened(before, after) {
  let a = before.slice(-around), b = after.slice(0, around);
  if (a.length < before.length) a = "… " + a.slice(a.search(/\s/) + 1);
  if (b.length < after.length) { const s = b.search(/\s\S*$/); b = (s < 0 ? b : b.slice(0, s)) + " …"; }
  return [a, b];
}

/** The passage in its surroundings. It comes when the text has been fetched; until then the passage alone is there. */
function passage(run, check) {
  if (!check.source) return check.evidence ? [el("div", { class: "passage", dir: "auto" }, el("mark", {}, check.evidence))] : [];
  const box = el("div", { class: "passage", dir: "auto" }, check.evidence ? el("mark", {}, check.evidence) : "");
  const found = check.evidence_end > check.evidence_start;
  const out = el("div", { class: "passage-of" }, box);
  if (!found) box.hidden = true;
  textOf(run, check.source).then((text) => {
    const [before, middle, after] = found ? cut(text, check.evidence_start, check.evidence_end) : ["", "", text];
    const [a, b] = shortened(before, after);
    const draw = (x, y) => box.replaceChildren(...(found ? [x, el("mark", {}, middle), y] : [text]));
    if (found) draw(a, b);
    box.classList.add("there");
    if (found && a === before && b === after) return;
    let whole = false;
    const more = button("Show the whole source", () => {
      whole = !whole;
      more.textContent = whole ? (found ? "Show only the passage" : "Hide the source") : "Show the whole source";
      more.setAttribute("aria-expanded", String(whole));
      box.classList.toggle("whole", whole);
      for (const [k, v] of [["tabindex", "0"], ["role", "region"], ["aria-label", "The whole source"]]) whole ? box.setAttribute(k, v) : box.removeAttribute(k);
      if (!found) box.hidden = !whole;
      draw(...(whole ? [before, after] : [a, b]));
      const m = box.querySelector("mark");
      if (whole && m) box.scrollTop = Math.max(0, m.offsetTop - box.offsetTop - box.clientHeight / 3);
    }, { class: "more", "aria-expanded": "false" });
    out.append(more);
  }).catch((e) => out.append(el("p", { class: "soft" }, e.message)));
  return [out];
}

/** Title, site and dates of a source. */
function from(source, jump) {
  if (!source) return null;
  const about = [source.place !== source.title && source.place, source.date && `dated ${source.date}`, source.read && `as read on ${source.read}`].filter(Boolean).join(" · ");
  return el("div", { class: "from" }, el("p", {}, source.number ? [button(`[${source.number}]`, () => jump(source.number), { class: "linkish", "aria-label": `source ${source.number} in the list` }), " "] : "",
    outLink(source.url, { dir: "auto", class: "from-title" }, source.title)), about && el("p", { class: "soft" }, about));
}

/** What the report says of a cited address: from its list of citations, and from the sources that were read. */
export function sourceOf(data, url, hash) {
  const c = data.citations.find((x) => x.url === url) || data.citations.find((x) => hash && x.source === hash);
  const s = data.sources.find((x) => hash && x.source === hash) || data.sources.find((x) => x.url === url || x.final_url === url);
  if (!c && !s && !url) return null;
  const address = c?.url || url || s?.url || "";
  return { number: c?.number || 0, title: (c?.title || s?.title || place(address)).trim(), url: address, place: place(address), site: site(address),
    date: c?.date || s?.date ? day(c?.date || s?.date) : "", read: s?.retrieved_at && !s.retrieved_at.startsWith("0001") ? day(s.retrieved_at) : "" };
}

/** What one citation says of a claim. */
function verdict(data, check, key, jump) {
  const why = spoken(check.reason) || lookOf(key).means;
  return [el("p", { dir: "auto" }, why), check.notes && check.notes !== check.reason && el("p", { class: "soft", dir: "auto" }, check.notes),
    typeof check.score === "number" && key !== "unchecked" && el("p", { class: "soft sure" }, "How sure: ", el("meter", { min: "0", max: "1", value: check.score, "aria-label": "How sure" }), ` ${check.score.toFixed(2)} of 1`),
    check.citation_url && from(sourceOf(data, check.citation_url, check.source), jump), ...passage(data.task_id, check)];
}

/** Everything that is known of a claim, as nodes. */
export function evidence(data, claim, verdictOf, jump) {
  const key = keyOf(verdictOf), look = lookOf(key);
  const out = [el("p", { class: "said", dir: "auto", lang: data.language || undefined }, claim.text)];
  if (!verdictOf) {
    out.push(el("p", {}, look.means));
    for (const url of claim.citations || []) out.push(from(sourceOf(data, url), jump));
    return out;
  }
  const checks = each(verdictOf);
  if (key === "disputed") out.push(el("p", {}, look.means));
  out.push(...verdict(data, checks[0], lookOf(checks[0].status).key, jump));
  if (checks.length > 1) out.push(el("h3", {}, checks.length === 2 ? "The other citation of this claim" : "The other citations of this claim"));
  for (const c of checks.slice(1)) {
    const l = lookOf(c.status), s = sourceOf(data, c.citation_url, c.source);
    out.push(el("details", { open: key === "disputed" && c.status === "contradicted" },
      el("summary", {}, el("span", { class: "badge", "data-verdict": l.key }, `${l.mark} ${l.label}`), " ", s ? `${s.number ? `[${s.number}] ` : ""}${s.title}` : ""), ...verdict(data, c, l.key, jump)));
  }
  return out.filter(Boolean);
}

/** The verdicts of all citations of a claim, the deciding one first, none twice. */
function each(v) {
  const same = (a, b) => a.citation_url === b.citation_url && a.status === b.status && a.evidence_start === b.evidence_start;
  return [v, ...(v.others || []).filter((o) => !same(o, v))];
}
