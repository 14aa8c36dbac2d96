// Charts as inline SVG, each with a table of the same numbers for those who don't see it. Each answers one question.

import { el, svg } from "./dom.js";
import { count, duration, money } from "./format.js";
import { looks } from "./verdict.js";

/** The table behind a chart. */
function table(caption, head, rows) {
  return el("div", { class: "hidden" }, el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, head.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), rest.map((c) => el("td", {}, c)))))));
}

const chart = (props, ...kids) => svg("svg", { "aria-hidden": "true", focusable: "false", preserveAspectRatio: "none", ...props }, ...kids);

/** What can I trust? Counts by verdict as one bar. */
export function verdictBar(counts, small) {
  const all = counts.reduce((n, [, c]) => n + c, 0) || 1;
  let x = 0;
  const rects = counts.map(([look, n]) => {
    const w = n / all * 1000;
    const r = svg("rect", { x: x.toFixed(2), y: 0, width: w.toFixed(2), height: 10, "data-verdict": look.key, "data-filter": look.key });
    x += w;
    return r;
  });
  const bar = chart({ viewBox: "0 0 1000 10", class: small ? "bar small" : "bar" }, rects);
  if (small) {
    const said = counts.map(([l, n]) => `${n} ${l.short}`).join(", ");
    return el("span", { class: "mini", title: said }, bar, el("span", { class: "hidden" }, said));
  }
  return [bar, table("Claims by verdict", ["Verdict", "Claims", "Share"], counts.map(([l, n]) => [l.label, n, `${Math.round(n / all * 100)} %`]))];
}

/** The counts that the API gives, as the bar wants them. */
export function countsOf(v) {
  if (!v) return [];
  const disputed = v.disputed || 0;
  return looks.map((l) => [l, l.key === "disputed" ? disputed : Math.max(0, (v[l.key] || 0) - (l.key === "supported" ? disputed : 0))]).filter(([, n]) => n > 0);
}

/** Rows of a name, a bar and a number. */
function rows(title, caption, head, list) {
  const most = Math.max(...list.map((r) => r.value), 0.000001);
  return el("figure", { class: "chart" }, el("figcaption", {}, title), el("div", { class: "chart-rows", "aria-hidden": "true" }, list.map((r) => [
    el("span", { class: "chart-name", title: r.name }, r.name),
    chart({ viewBox: "0 0 100 10", class: "chart-bar" }, (r.parts || [{ value: r.value }]).reduce(([x, out], p) => {
      const w = p.value / most * 100;
      return [x + w, [...out, svg("rect", { x: x.toFixed(2), y: 1, width: Math.max(w, 0.6).toFixed(2), height: 8, "data-verdict": p.key })]];
    }, [0, []])[1]),
    el("span", { class: "chart-value" }, r.label)])), table(caption, head, list.map((r) => [r.name, r.label])));
}

/** Where does it come from? Claims by site, split by verdict. */
export function siteChart(sites) {
  const list = [...sites].map(([name, parts]) => ({ name, parts, value: parts.reduce((n, p) => n + p.value, 0) })).filter((r) => r.value > 0)
    .sort((a, b) => b.value - a.value).slice(0, 8).map((r) => ({ ...r, label: count(r.value, "claim") }));
  return list.length ? rows("Where it comes from", "Claims by site", ["Site", "Claims"], list) : null;
}

/** Where did money go? Cost by role, or by model where there are no roles. */
export function costChart(bill) {
  const list = bill.filter((b) => b.cost > 0).sort((a, b) => b.cost - a.cost).map((b) => ({ name: b.name, value: b.cost, label: money(b.cost) }));
  return list.length ? rows("Where money went", "Cost by role", ["Role", "Cost"], list) : null;
}

const stageNames = { order: "Ordering", collect: "Waiting for the draft", read: "Reading", scope: "Understanding", plan: "Planning", wait: "Waiting for you", unit: "Gathering", supervise: "Deciding", cite: "Choosing citations", write: "Writing", review: "Reviewing", claims: "Splitting claims", check: "Checking", publish: "Publishing" };

/** Where did time go? Steps as bars by stage, on one scale; what took next to nothing is one row. */
export function timeChart(steps) {
  const known = steps.filter((s) => s.start && s.end && s.end >= s.start);
  if (!known.length) return null;
  const from = Math.min(...known.map((s) => s.start)), to = Math.max(...known.map((s) => s.end)), span = Math.max(to - from, 1);
  const took = (name) => union(known.filter((s) => s.kind === name));
  const long = new Set([...new Set(known.map((s) => s.kind))].filter((k) => took(k) / span >= 0.02));
  for (const s of known) s.stage = long.has(s.kind) ? stageNames[s.kind] || s.kind : "The rest";
  const stages = [...new Set(known.map((s) => s.stage))].sort((a, b) => (a === "The rest") - (b === "The rest"));
  const label = (stage) => { const s = union(known.filter((k) => k.stage === stage)) / 1000; return s < 0.95 ? "under 1 s" : duration(s); };
  return el("figure", { class: "chart" }, el("figcaption", {}, "Where time went"), el("div", { class: "chart-rows", "aria-hidden": "true" }, stages.map((stage) => [
    el("span", { class: "chart-name" }, stage),
    chart({ viewBox: "0 0 100 10", class: "chart-bar" }, known.filter((s) => s.stage === stage).map((s) =>
      svg("rect", { x: Math.min((s.start - from) / span * 100, 99.2).toFixed(2), y: 1, width: Math.max((s.end - s.start) / span * 100, 0.8).toFixed(2), height: 8, "data-outcome": s.outcome }))),
    el("span", { class: "chart-value" }, label(stage))])),
  table("Time by stage", ["Stage", "Steps", "Time"], stages.map((s) => [s, known.filter((k) => k.stage === s).length, label(s)])));
}

// Milliseconds that are covered by steps which may overlap.
function union(steps) {
  let sum = 0, end = -Infinity;
  for (const s of [...steps].sort((a, b) => a.start - b.start)) {
    sum += Math.max(0, s.end - Math.max(s.start, end));
    end = Math.max(end, s.end);
  }
  return sum;
}
