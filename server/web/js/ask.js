// The first screen: one field for a question, how thorough the answer should be, and what that will mean before anything
// is sent.

import { get, post } from "./api.js";
import { el } from "./dom.js";
import { count, money } from "./format.js";
import { dropArea } from "./drop.js";
import { shelve } from "./library.js";

const examples = [
  "What is known about the effects of a four-day week on productivity?",
  "How do heat pumps perform below −15 °C, and what do owners report?",
  "Which cities have made public transport free, and what happened?",
];

const presets = [
  { name: "quick", title: "Quick", what: "A short answer from a few sources" },
  { name: "standard", title: "Standard", what: "A full report, gaps looked into" },
  { name: "deep", title: "Deep", what: "Many sources, reviewed twice" },
  { name: "academic", title: "Academic", what: "Papers first, then the rest" },
];

const remembered = "plumb-ask"; // the last choices, never the question

export function ask(main, _id, frame) {
  frame.title("");
  const stop = new AbortController();
  const view = new AskView(main, stop.signal);
  view.draw();
  return () => stop.abort();
}

class AskView {
  constructor(main, stopped) {
    this.main = main;
    this.stopped = stopped;
    this.choice = { preset: "standard", review: false };
    try { Object.assign(this.choice, JSON.parse(localStorage.getItem(remembered) || "{}")); } catch { /* no storage, no memory */ }
  }

  draw() {
    this.field = el("textarea", { id: "question", rows: 3, maxlength: 10000, required: true, placeholder: "Ask something that deserves a careful answer", "aria-describedby": "outlook" });
    this.go = el("button", { class: "primary large" }, "Start research");
    this.line = el("p", { class: "outlook", id: "outlook", "aria-live": "polite" }, "\u00a0");
    this.error = el("p", { class: "field-error", role: "alert", hidden: true });
    this.cards = this.presetCards();
    this.more = this.advanced();
    this.docs = el("p", { class: "soft docs-note" }, "\u00a0");
    const form = el("form", { class: "ask-form", novalidate: true }, el("label", { class: "hidden", for: "question" }, "Your question"),
      el("div", { class: "composer" }, this.field, el("div", { class: "composer-foot" },
        el("label", { class: "check" }, this.review = el("input", { type: "checkbox", id: "review", checked: this.choice.review }), "Show me the plan first"), this.go)),
      this.error, this.line, el("fieldset", { class: "presets" }, el("legend", {}, "How thorough"), this.cards),
      dropArea({ label: "Add your documents", hint: "Drop files here: they are read and cited like any other source, and stay on this server.", many: true, take: (files) => this.add(files) }), this.docs, this.more);
    form.addEventListener("submit", (e) => { e.preventDefault(); this.start(); });
    form.addEventListener("change", () => this.changed());
    this.field.addEventListener("input", () => { this.error.hidden = true; });
    this.field.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit(); });
    this.main.append(el("div", { class: "ask" }, el("h1", {}, "What do you want to know?"),
      el("p", { class: "lead" }, "Plumb searches, reads and writes a report, and then checks every claim of it against the text it cites."), form,
      el("section", { class: "examples", "aria-labelledby": "examples-title" }, el("h2", { id: "examples-title" }, "For example"), el("ul", {}, examples.map((q) => el("li", {}, el("button", { type: "button", class: "example", on: { click: () => { this.field.value = q; this.field.focus(); this.changed(); } } }, q)))))));
    if (matchMedia("(hover: hover)").matches) this.field.focus({ preventScroll: true });
    this.loadPresets();
    this.countDocs();
    this.changed();
  }

  presetCards() {
    return el("div", { class: "cards" }, presets.map((p) => el("label", { class: "card" }, el("input", { type: "radio", name: "preset", value: p.name, checked: this.choice.preset === p.name }),
      el("span", { class: "card-title" }, p.title), el("span", { class: "card-what" }, p.what), el("span", { class: "card-price", data: { preset: p.name } }, "\u00a0"))));
  }

  async loadPresets() {
    const [told, now] = await Promise.all([get("/api/v1/presets", { signal: this.stopped }).catch(() => null), get("/api/v1/outlook", { signal: this.stopped }).catch(() => null)]);
    for (const p of told?.presets || []) {
      const e = this.cards.querySelector(`[data-preset="${CSS.escape(p.name)}"]`);
      if (e) e.textContent = priceOf(p, now?.extractive);
    }
  }

  advanced() {
    const field = (id, label, hint, props) => el("div", { class: "field" }, el("label", { for: id }, label), el("input", { id, name: id, autocomplete: "off", ...props, "aria-describedby": `${id}-hint` }), el("p", { class: "hint", id: `${id}-hint` }, hint));
    const pick = (id, label, options) => el("div", { class: "field" }, el("label", { for: id }, label), el("select", { id, name: id }, options.map(([v, t]) => el("option", { value: v }, t))));
    return el("details", { class: "advanced" }, el("summary", {}, "More settings"), el("div", { class: "fields" },
      pick("search", "Search the web", [["", "As configured"], ["auto", "Yes"], ["none", "No, only my documents"]]),
      pick("papers", "Search papers", [["", "As configured"], ["auto", "Yes"], ["none", "No"]]),
      field("budget", "Spend at most", "US dollars; empty: what the choice above allows", { type: "number", min: "0", step: "0.05", inputmode: "decimal" }),
      field("language", "Language of the report", "Such as en, de or ja; empty: that of the question", { maxlength: 12 }),
      field("include", "Only these sites", "Domains, with commas between them", {}), field("exclude", "Never these sites", "Domains, with commas between them", {}),
      field("since", "Nothing older than", "A date such as 2023-01-01", { type: "date" }), pick("style", "Length", [["", "As the choice above has it"], ["concise", "Concise"], ["comprehensive", "Comprehensive"]]),
      el("label", { class: "check" }, el("input", { type: "checkbox", id: "strict", name: "strict" }), "Leave out what no source supports")));
  }

  value(id) { return this.main.querySelector(`#${id}`).value.trim(); }

  /** The question as the API takes it. */
  body() {
    const list = (id) => this.value(id).split(/[\s,]+/).filter(Boolean);
    const c = { research_strategy: this.preset() };
    if (this.review.checked) c.review_plan = "manual";
    for (const [id, name] of [["search"], ["papers"], ["language"], ["since"], ["style", "synthesis_style"]]) if (this.value(id)) c[name || id] = this.value(id);
    if (this.value("budget")) c.budget_usd = Number(this.value("budget"));
    if (list("include").length) c.include_domains = list("include");
    if (list("exclude").length) c.exclude_domains = list("exclude");
    if (this.main.querySelector("#strict").checked) c.strict = true;
    return { query: this.field.value.trim(), context: c };
  }

  preset() { return this.main.querySelector("input[name=preset]:checked")?.value || "standard"; }

  async changed() {
    this.choice = { preset: this.preset(), review: this.review.checked };
    try { localStorage.setItem(remembered, JSON.stringify(this.choice)); } catch { /* as above */ }
    const turn = this.turn = (this.turn || 0) + 1, q = new URLSearchParams();
    const c = this.body().context;
    for (const k of ["research_strategy", "search", "papers", "include_domains"]) if (c[k]) q.set(k, String(c[k]));
    let nodes;
    try {
      nodes = outlook(await get(`/api/v1/outlook?${q}`, { signal: this.stopped }));
    } catch (e) {
      if (this.stopped.aborted) return;
      nodes = [el("span", { class: "bad" }, e.message)];
    }
    if (turn !== this.turn || this.stopped.aborted) return;
    this.line.replaceChildren(...nodes.flat());
  }

  async countDocs() {
    const told = await get("/api/v1/library/documents", { signal: this.stopped }).catch(() => null);
    const n = told?.total_count || 0;
    this.docs.replaceChildren(n ? count(n, "document") + " of yours will be searched too. " : "\u00a0", n ? el("a", { href: "#/library" }, "See them") : "");
  }

  async add(files) {
    await shelve(files);
    this.countDocs();
    this.changed();
  }

  async start() {
    const b = this.body();
    if (!b.query) {
      this.error.textContent = "Write a question first.";
      this.error.hidden = false;
      return this.field.focus();
    }
    if (this.go.disabled) return;
    this.go.disabled = true;
    this.go.textContent = "Starting…";
    this.idem ||= crypto.randomUUID?.() || String(Math.random()).slice(2);
    try {
      const made = await post("/api/v1/tasks", b, { headers: { "Idempotency-Key": this.idem } });
      location.hash = `#/run/${encodeURIComponent(made.task_id)}`;
    } catch (e) {
      this.idem = "";
      this.error.textContent = e.message;
      this.error.hidden = false;
      this.go.disabled = false;
      this.go.textContent = "Start research";
      this.field.focus();
    }
  }
}

/** "$0.10–$1" and "up to 20 min", a line each; without a model nothing is paid. */
function priceOf(p, free) {
  const e = p.estimate, cap = p.max_usd;
  const price = free ? "free" : e?.priced && e.high_usd > 0 ? `${money(e.low_usd)}–${money(Math.min(e.high_usd, cap || e.high_usd))}` : cap > 0 ? `at most ${money(cap)}` : "";
  return [price, p.max_seconds > 0 && `up to ${Math.round(p.max_seconds / 60)} min`].filter(Boolean).join("\n") || "\u00a0";
}

/** What a question would mean, in one line: who thinks, where is searched, who is talked to, what it may cost. */
function outlook(o) {
  const names = [...new Set(Object.values(o.models || {}).filter(Boolean))];
  const where = [...(o.search || []), ...(o.papers || [])], hosts = (o.hosts || []).map((h) => h.name);
  const e = o.estimate || {};
  const parts = [names.length ? ["Thinks with ", el("b", {}, names.join(", "))] : ["No language model: reports are made of quotes (", el("button", { type: "button", class: "linkish", on: { click: explainModels } }, "add a model"), ")"],
    where.length ? ["searches ", el("b", {}, where.join(", "))] : ["searches your documents only"],
    hosts.length ? [el("span", { title: (o.hosts || []).map((h) => `${h.name}: ${h.gets}`).join("\n") }, `talks to ${count(hosts.length, "host")}`)] : ["nothing leaves this machine"],
    names.length && e.high_usd > 0 ? [`probably ${money(e.low_usd)} to ${money(e.high_usd)}`] : names.length ? [] : ["costs nothing"]];
  return parts.filter((p) => p.length).flatMap((p, i) => [i > 0 ? " · " : "", ...p]);
}

function explainModels() {
  const d = el("dialog", { "aria-labelledby": "models-title" }, el("h2", { id: "models-title" }, "Thinking with a language model"),
    el("p", {}, "Without one, Plumb quotes: it picks the sentences that answer the question, word for word, and cites each. With one, it plans better, asks back, and writes in its own words; every claim is checked just the same."),
    el("p", {}, "Start the server with a model named:"), el("pre", {}, el("code", {}, "ORCHESTRATOR_MODEL=ollama:qwen3:8b plumb serve\n\nOPENAI_API_KEY=… \\\nORCHESTRATOR_MODEL=openai:gpt-5-mini plumb serve")),
    el("p", {}, "The first stays on your machine. ", el("code", {}, "plumb doctor"), " says whether a model answers."), el("form", { method: "dialog", class: "row end" }, el("button", {}, "Close")));
  d.addEventListener("close", () => d.remove());
  document.body.append(d);
  d.showModal();
}
