// A run as it happens: on the left what is done, on the right what is found. Everything is appended and nothing grows in
// between, so that it never jumps while somebody reads.

import { get, post, task } from "./api.js";
import { button, confirmed, el, icon, outLink, say, toast, trouble } from "./dom.js";
import { verdictBar } from "./chart.js";
import { along, fold, newRun, path } from "./fold.js";
import { clock, count, money, place, site, spoken } from "./format.js";
import { planView } from "./plan.js";
import { follow } from "./stream.js";
import { lookOf, tally } from "./verdict.js";

const words = { queued: "Queued", running: "Running", waiting: "Waiting for you", paused: "Paused", done: "Done", failed: "Failed", cancelled: "Cancelled" };
const steps = { read: "Read", scope: "Scope", plan: "Plan", gather: "Gather", write: "Write", check: "Check", publish: "Publish" };
const costEvery = 5000; // ms between looks at the bill

export function run(main, id, frame) {
  frame.title("Run");
  const v = new RunView(main, id, frame);
  v.start();
  return () => v.end();
}

class RunView {
  constructor(main, id, frame) {
    Object.assign(this, { main, id, frame, run: newRun(id), dirty: new Set(), tab: "", chosen: false, entryNodes: new Map(), unitNodes: new Map(), shown: 0, stop: new AbortController() });
  }

  async start() {
    this.draw();
    let about;
    try {
      about = await get(task(this.id), { signal: this.stop.signal });
    } catch (e) {
      if (this.stop.signal.aborted) return;
      const gone = e.status === 404 || e.status === 400;
      this.main.replaceChildren(gone ? el("div", { class: "empty" }, el("h1", {}, "There is no such run"), el("p", {}, "It may have been deleted, or belong to another key."), el("a", { class: "button", href: "#/runs" }, "All runs"))
        : trouble(e, () => { this.main.replaceChildren(); this.start(); }));
      return;
    }
    this.about = about;
    this.run.audit = about.kind === "audit";
    this.name(about.query);
    this.dots.replaceChildren(...path(this.run).map((p) => el("li", {}, el("i", { "aria-hidden": "true" }), steps[p])));
    this.stage.classList.toggle("audit", this.run.audit);
    if (this.run.audit) this.show("sources", false);
    this.bill(about);
    if (!this.run.audit && !about.completed_at) this.askLimit();
    this.unfollow = follow(this.id, { event: (e) => this.take(e), state: (s) => this.line(s) });
    this.timer = setInterval(() => this.tick(), 1000);
    this.coster = setInterval(() => this.askBill(), costEvery);
  }

  end() {
    this.stop.abort();
    this.unfollow?.();
    clearInterval(this.timer);
    clearInterval(this.coster);
    cancelAnimationFrame(this.frameAsked);
  }

  take(e) {
    for (const part of fold(this.run, e)) this.dirty.add(part);
    this.frameAsked ||= requestAnimationFrame(() => this.flush());
  }

  /** Paints what has changed: with the next frame, or with the clock's tick where no frame comes, as in a hidden tab. */
  flush() {
    cancelAnimationFrame(this.frameAsked);
    this.frameAsked = 0;
    if (this.dirty.size) this.paint();
  }

  name(question) {
    const q = question || (this.run.audit ? "Audit of a report" : "Research");
    this.title.textContent = q;
    this.title.title = q;
    this.frame.title(q.slice(0, 80));
  }

  draw() {
    this.title = el("h1", { class: "run-title", tabindex: "-1", dir: "auto" }, "\u00a0");
    this.chip = el("span", { class: "state" }, "\u00a0");
    this.conn = el("span", { class: "conn", role: "status" });
    this.dots = el("ol", { class: "path", "aria-label": "Stages" });
    this.elapsed = el("span", { class: "fact", title: "Time that the run has worked" }, "0:00");
    this.cost = el("span", { class: "fact", title: "What it has cost" }, "\u00a0");
    this.pause = button([icon("pause"), "Pause"], () => this.tell(this.run.state === "paused" ? "resume" : "pause"));
    this.finish = button([icon("flag"), "Finish now"], () => this.tell("finish"), { title: "Stop gathering and write with what there is" });
    this.cancel = button([icon("close"), "Cancel"], () => this.cancelRun(), { class: "danger" });
    this.read = el("a", { class: "button primary", href: `#/report/${encodeURIComponent(this.id)}`, hidden: true }, "Read the report");
    this.limit = el("span", { class: "fact", title: "Gathering ends then at the latest" });
    this.controls = el("div", { class: "row controls", role: "group", "aria-label": "The run" }, this.pause, this.finish, this.cancel, this.read);
    this.bar = el("header", { class: "run-bar" }, el("div", { class: "run-line" }, this.title, el("span", { class: "chips" }, this.conn, this.chip)),
      el("div", { class: "run-line" }, this.dots, el("p", { class: "run-numbers" }, this.limit, this.elapsed, this.cost), this.controls));
    this.entries = el("ol", { class: "timeline", tabindex: "0", "aria-label": "What has been done" });
    this.found = el("ol", { class: "findings", "aria-label": "What has been found" });
    this.sourceList = el("ul", { class: "source-list", "aria-label": "What has been read" });
    this.text = el("div", { class: "draft", dir: "auto" });
    this.claimList = el("ul", { class: "claim-list", "aria-label": "What has been checked" });
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "What is shown" }, [["timeline", "Timeline"], ["findings", "Findings"], ["sources", "Sources"], ["draft", "Draft"], ["claims", "Claims"]].map(([k, t]) =>
      el("button", { type: "button", role: "tab", id: `tab-${k}`, "aria-controls": `pane-${k}`, data: { tab: k }, on: { click: () => this.show(k, true) } }, t, el("span", { class: "tab-count" }))));
    this.tabs.addEventListener("keydown", (e) => this.tabKey(e));
    const pane = (k, node, empty) => el("section", { class: "pane", id: `pane-${k}`, role: "tabpanel", "aria-labelledby": `tab-${k}`, tabindex: "0", data: { tab: k } }, empty && el("p", { class: "pane-empty" }, empty), node);
    this.panes = { timeline: pane("timeline", this.entries), findings: pane("findings", this.found, "Findings appear here as they come, each with the sentence that says it."),
      sources: pane("sources", this.sourceList, "What is read appears here, and what could not be, with the reason."), draft: pane("draft", this.text, "The report appears here while it is written."), claims: pane("claims", this.claimList, "Every claim of the report appears here once it is checked, with its verdict.") };
    this.entries.removeAttribute("tabindex");
    this.stage = el("div", { class: "run-stage" }, el("div", { class: "run-body" }, this.tabs, Object.values(this.panes)));
    this.main.replaceChildren(el("div", { class: "run" }, this.bar, this.problem = el("div", { class: "problem", hidden: true }), this.stage));
    this.show("findings", false);
    for (const p of Object.values(this.panes)) p.addEventListener("scroll", () => { p.stuck = p.scrollHeight - p.scrollTop - p.clientHeight < 60; }, { passive: true });
    for (const p of Object.values(this.panes)) p.stuck = true;
    this.dirty.add("state");
    this.paint();
  }

  show(tab, chosen) {
    if (!chosen && this.chosen) return;
    this.chosen ||= chosen;
    this.tab = tab;
    this.stage.dataset.tab = tab;
    for (const b of this.tabs.children) {
      b.setAttribute("aria-selected", String(b.dataset.tab === tab));
      b.tabIndex = b.dataset.tab === tab ? 0 : -1;
    }
    const p = this.panes[tab];
    if (p.stuck) p.scrollTop = p.scrollHeight;
  }

  tabKey(e) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    const all = [...this.tabs.children].filter((b) => b.offsetParent), at = all.findIndex((b) => b.dataset.tab === this.tab);
    const next = all[(at + by + all.length) % all.length];
    this.show(next.dataset.tab, true);
    next.focus();
  }

  paint() {
    const d = this.dirty, r = this.run;
    this.dirty = new Set();
    if (d.has("state") || d.has("wait")) this.paintState();
    if (d.has("entries") || d.has("units") || d.has("verdicts")) this.paintEntries();
    if (d.has("findings")) this.paintFindings();
    if (d.has("sources")) this.paintSources();
    if (d.has("draft")) this.paintDraft();
    if (d.has("verdicts")) this.paintClaims();
    if (d.has("estimate")) this.paintCost();
    for (const p of Object.values(this.panes)) if (p.stuck) p.scrollTop = p.scrollHeight;
    if (r.stage === "write" && r.draft) this.show("draft", false);
    if ((r.stage === "check" || r.audit) && r.verdicts.size) this.show("claims", false);
  }

  paintState() {
    const r = this.run, over = ["done", "failed", "cancelled"].includes(r.state), at = r.state === "done" ? path(r).length : along(r);
    this.chip.textContent = words[r.state];
    this.chip.dataset.state = r.state;
    if (r.question && !this.about?.query) this.name(r.question);
    [...this.dots.children].forEach((li, i) => {
      li.dataset.state = i < at ? "done" : i === at && !over ? "now" : "next";
      i === at && !over ? li.setAttribute("aria-current", "step") : li.removeAttribute("aria-current");
    });
    this.pause.replaceChildren(icon(r.state === "paused" ? "play" : "pause"), r.state === "paused" ? "Resume" : "Pause");
    this.pause.hidden = over || r.state === "waiting";
    this.finish.hidden = over || r.state === "waiting" || !this.gathers();
    this.cancel.hidden = over || (r.state === "waiting" && r.wait?.for === "approval");
    this.read.hidden = r.state !== "done";
    if (this.was !== r.state) {
      if (this.was) say({ done: "The report is ready", failed: "The run failed", cancelled: "The run was cancelled", waiting: "The run waits for you", paused: "The run is paused", running: "The run goes on" }[r.state] || "");
      if (over) this.askBill();
      this.was = r.state;
    }
    this.paintProblem();
    this.paintWait();
    this.tick();
  }

  paintProblem() {
    const r = this.run, box = this.problem;
    box.hidden = !["failed", "cancelled"].includes(r.state);
    if (box.hidden) return;
    box.className = r.state === "failed" ? "problem bad" : "problem";
    box.replaceChildren(...(r.state === "failed" ? [el("p", {}, el("b", {}, "The run could not go on. "), spoken(r.reason) || "No reason was given."), el("p", { class: "soft" }, "What was found until then is kept. Trying again goes on at the step that failed."), button("Try again", () => this.tell("resume"))]
      : [el("p", {}, el("b", {}, "This run was cancelled. "), r.reason ? spoken(r.reason) : ""), el("a", { class: "button", href: "#/ask" }, "Ask another question")]));
  }

  // A plan or a question of the run's own takes the place of the columns until it is answered.
  paintWait() {
    const w = this.run.state === "waiting" ? this.run.wait : null, key = w ? `${w.for}-${w.round}` : "";
    if (key === this.waitKey) return;
    this.waitKey = key;
    this.stage.querySelector(".wait")?.remove();
    this.stage.classList.toggle("waits", !!w);
    if (!w) return;
    const body = w.for === "approval" ? planView(this.id, this.run.estimate, () => { if (this.waitKey === key) this.decided(); }) : this.answerForm(w);
    this.stage.append(el("div", { class: "wait" }, body));
  }

  decided() {
    const box = this.stage.querySelector(".wait");
    if (!box) return;
    box.replaceChildren(el("p", { class: "soft", role: "status" }, "Thank you. The run goes on…"));
    this.title.focus({ preventScroll: true });
  }

  answerForm(w) {
    const field = el("textarea", { id: "answer", rows: 3, maxlength: 4000, required: true });
    const asked = el("p", { class: "asked", dir: "auto" }, w.text || "Please say more exactly what you want to know.");
    if (!w.text) get(task(this.id), { signal: this.stop.signal }).then((a) => { if (a.clarification) asked.textContent = a.clarification; }).catch(() => {});
    const form = el("form", { class: "answer" }, el("h2", {}, "One question first"), asked, el("label", { for: "answer", class: "hidden" }, "Your answer"), field, el("div", { class: "row end" }, el("button", { class: "primary" }, "Answer")));
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      if (!field.value.trim()) return field.focus();
      try { await post(task(this.id, "/answer"), { text: field.value.trim() }); this.decided(); } catch (err) { toast(err.message, true); }
    });
    return form;
  }

  paintEntries() {
    const r = this.run, keys = new Set(r.entries.map((x) => x.key));
    for (const [key, n] of this.entryNodes) if (!keys.has(key)) { n.li.remove(); this.entryNodes.delete(key); }
    for (const [id, n] of this.unitNodes) if (!r.units.has(id)) { n.li.remove(); this.unitNodes.delete(id); }
    for (const x of r.entries) {
      let n = this.entryNodes.get(x.key);
      if (!n) {
        n = this.entryNode(x);
        this.entryNodes.set(x.key, n);
        this.entries.append(n.li);
      }
      n.li.dataset.state = x.state;
      if (n.title.textContent !== x.title) n.title.textContent = x.title;
      const said = this.entryText(x);
      if (n.text.textContent !== said) { n.text.textContent = said || "\u00a0"; n.text.title = said; }
      if (n.bar && r.verdicts.size !== n.drawn) { n.drawn = r.verdicts.size; n.bar.replaceChildren(verdictBar(tally([...r.verdicts.values()].map((v) => v.key)), true)); }
      if (n.units) for (const u of r.units.values()) if (u.wave === x.wave) this.paintUnit(u, n.units);
    }
  }

  entryText(x) {
    const r = this.run;
    if (x.title === "Checking every claim" && r.claims) return `${r.verdicts.size} of ${count(r.claims, "claim")} checked`;
    return x.kind === "note" ? spoken(x.text) : x.text;
  }

  entryNode(x) {
    const n = { title: el("b", { class: "entry-title" }), text: el("span", { class: "entry-text" }) };
    if (x.kind === "wave") n.units = el("ul", { class: "units", "aria-label": `Questions of wave ${x.wave}` });
    if (x.title === "Checking every claim") n.bar = el("div", { class: "entry-bar" });
    n.li = el("li", { class: `entry ${x.kind}${x.bad ? " bad" : ""}` }, el("i", { class: "dot", "aria-hidden": "true" }), el("div", { class: "entry-body" }, el("p", { class: "entry-line" }, n.title, " ", n.text), n.bar, n.units));
    return n;
  }

  paintUnit(u, list) {
    let n = this.unitNodes.get(u.id);
    if (!n) {
      n = { question: el("p", { class: "unit-q", dir: "auto" }), foot: el("span", { class: "unit-foot" }), note: el("span", { class: "unit-note" }) };
      n.li = el("li", { class: "unit" }, n.question, el("p", { class: "unit-line" }, n.foot, n.note));
      this.unitNodes.set(u.id, n);
    }
    if (n.li.parentNode !== list) list.append(n.li);
    const state = { pending: "waits", dispatched: "waits", now: "at work", done: "done", failed: "failed", skipped: "skipped" }[u.state] || u.state;
    const foot = [state, count(u.sources, "source"), count(u.findings, "finding")].join(" · "), note = u.state === "failed" ? spoken(u.note) : u.note;
    n.li.dataset.state = u.state;
    for (const [node, text] of [[n.question, u.question], [n.foot, foot], [n.note, note]]) if (node.textContent !== text) { node.textContent = text || "\u00a0"; if (node !== n.foot) node.title = text; }
  }

  paintFindings() {
    const fs = this.run.findings;
    const keep = new Set(fs.map((f) => String(f.key)));
    for (const li of [...this.found.children]) if (!keep.has(li.dataset.key)) li.remove();
    const there = new Set([...this.found.children].map((li) => li.dataset.key));
    for (const f of fs) if (!there.has(String(f.key))) this.found.append(findingNode(f));
    this.count("findings", fs.length);
  }

  paintSources() {
    const list = [...this.run.sources.entries()];
    const there = new Map([...this.sourceList.children].map((li) => [li.dataset.key, li]));
    for (const [key, s] of list) {
      if (there.has(key)) { there.delete(key); continue; }
      this.sourceList.append(el("li", { data: { key, ok: String(s.ok) } }, el("span", { class: "mark-ok", "aria-hidden": "true" }, s.ok ? "✓" : "–"), el("div", {}, el("p", { dir: "auto" }, outLink(s.url, {}, s.title || place(s.url))),
        el("p", { class: "soft" }, s.ok ? [site(s.url), s.chars && `${s.chars.toLocaleString("en")} characters`].filter(Boolean).join(" · ") : `Not used: ${spoken(s.reason)}`))));
    }
    for (const li of there.values()) li.remove();
    this.count("sources", list.filter(([, s]) => s.ok).length);
  }

  paintClaims() {
    const there = new Map([...this.claimList.children].map((li) => [li.dataset.key, li]));
    for (const [key, v] of this.run.verdicts) {
      if (there.delete(key)) continue;
      const l = lookOf(v.key);
      this.claimList.append(el("li", { data: { key, verdict: v.key } }, el("p", { dir: "auto" }, v.text), el("p", { class: "soft" }, el("span", { class: "badge" }, `${l.mark} ${l.label}`), " ", spoken(v.reason))));
    }
    for (const li of there.values()) li.remove();
    this.count("claims", this.run.verdicts.size);
  }

  count(tab, n) {
    this.panes[tab].classList.toggle("has", n > 0 || (tab === "sources" && this.run.sources.size > 0));
    this.tabs.querySelector(`#tab-${tab} .tab-count`).textContent = n ? String(n) : "";
  }

  // Text as it is written: blocks that are complete stay as they are, only the last one grows.
  paintDraft() {
    const blocks = this.run.draft.split(/\n{2,}/).filter((b) => b.trim());
    this.panes.draft.classList.toggle("has", blocks.length > 0);
    const nodes = this.text.children;
    for (let i = 0; i < blocks.length; i++) {
      if (nodes[i]?.said === blocks[i]) continue;
      const heading = /^(#{1,6})\s+(.*)$/.exec(blocks[i]);
      const n = heading ? el("p", { class: "draft-heading" }, heading[2]) : el("p", {}, blocks[i].replace(/^[-*] /gm, "• "));
      n.said = blocks[i];
      if (nodes[i]) nodes[i].replaceWith(n); else this.text.append(n);
    }
    while (nodes.length > blocks.length) this.text.lastChild.remove();
  }

  line(state) {
    this.conn.textContent = state === "reconnecting" ? "reconnecting…" : state === "gone" ? "no longer there" : "";
    if (state === "gone") toast("The run is no longer there.", true);
  }

  tick() {
    this.flush();
    const r = this.run;
    if (!r.started) return;
    const still = r.pausedAt && !r.ended ? Date.parse(r.pausedAt) : 0, now = r.ended ? Date.parse(r.ended) : still || Date.now();
    const spent = (now - Date.parse(r.started) - r.idle) / 1000, gathers = !r.ended && this.gathers();
    this.elapsed.textContent = clock(spent);
    this.limit.textContent = gathers && this.most > spent ? `at most ${clock(this.most - spent)} left` : "";
  }

  gathers() { return !this.run.audit && along(this.run) <= path(this.run).indexOf("gather"); }

  // How long the gathering may take, from the preset.
  async askLimit() {
    const told = await get("/api/v1/presets", { signal: this.stop.signal }).catch(() => null);
    const name = this.about.context?.research_strategy || told?.default;
    this.most = told?.presets.find((p) => p.name === name)?.max_seconds || 0;
  }

  async askBill() {
    if (document.hidden) return;
    try { this.bill(await get(task(this.id), { signal: this.stop.signal })); } catch { /* the next look may work */ }
    if (["done", "failed", "cancelled"].includes(this.run.state)) clearInterval(this.coster);
  }

  bill(about) {
    if (this.run.state === "paused" && /RUNNING|QUEUED/.test(about.status)) this.resumed(); // somebody else resumed it
    this.spent = about.usage?.estimated_cost || 0;
    this.tokens = about.usage?.total_tokens || 0;
    this.paintCost();
  }

  paintCost() {
    const cap = this.run.estimate?.cap_usd;
    this.cost.textContent = this.tokens ? `${money(this.spent)}${cap ? ` of ${money(cap)}` : ""}` : "no cost";
  }

  // No event tells that a pause is over.
  resumed() { this.take({ kind: "pause.over", seq: 0, at: new Date().toISOString(), data: {} }); }

  async tell(what) {
    try {
      await post(task(this.id, `/${what}`), {});
      if (what === "resume" && this.run.state === "paused") this.resumed();
      say({ pause: "Pausing", resume: "Going on", finish: "Finishing now", cancel: "Cancelling" }[what]);
      if (what === "resume" && this.run.state === "failed") await this.again();
    } catch (e) { toast(e.message, true); }
  }

  // A failed run is shown anew once it is at work again.
  async again() {
    for (let i = 0; i < 20; i++) {
      if (!/FAILED|TIMEOUT/.test((await get(task(this.id), { signal: this.stop.signal })).status)) return dispatchEvent(new Event("hashchange"));
      await new Promise((done) => setTimeout(done, 300));
    }
    toast("It has not been taken up yet. Look again in a moment.");
  }

  async cancelRun() {
    if (await confirmed("Cancel this run?", "It stops at once and writes no report. Finish now would write one with what there is.", "Cancel the run")) this.tell("cancel");
  }
}

function findingNode(f) {
  const quote = f.source_quote || "", said = f.content && f.content.trim() !== quote.trim() ? f.content : "";
  return el("li", { class: "finding", data: { key: String(f.key) } }, said && el("p", { class: "finding-said", dir: "auto" }, said), quote && el("blockquote", { dir: "auto" }, quote),
    el("p", { class: "finding-from", dir: "auto" }, outLink(f.source_url, {}, f.source_title || place(f.source_url)), " · ", site(f.source_url)));
}
