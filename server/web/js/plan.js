// The plan as an outline that can be changed in place before anybody is sent out.

import { getTagged, post, task } from "./api.js";
import { button, confirmed, el, icon, iconButton, say, svg, toast, trouble, waiting } from "./dom.js";
import { count, money } from "./format.js";

const kinds = { general: "Web and documents", academic: "Papers first", internal: "Your documents" };

/**
 * Shows the plan that waits. decided is called once the server has taken a decision.
 * @returns {HTMLElement}
 */
export function planView(id, estimate, decided) {
  const v = new Plan(id, estimate, decided);
  v.load();
  return v.node;
}

class Plan {
  constructor(id, estimate, decided) {
    Object.assign(this, { id, estimate, decided, units: [], round: 0, made: 0, node: el("div", { class: "plan" }, waiting("The plan is being fetched")) });
    this.resize = new ResizeObserver(() => this.connect());
  }

  async load(message) {
    try {
      const { tag, value } = await getTagged(task(this.id, "/review"));
      Object.assign(this, { tag, round: value.round });
      this.plan = value.plan;
      this.units = (this.plan.units || []).map((u) => ({ ...u, needs: [...(u.needs || [])] }));
      this.before = JSON.stringify(this.units);
      this.draw(message);
    } catch (e) {
      if (e.status === 404) return this.decided(); // somebody decided meanwhile
      this.node.replaceChildren(trouble(e, () => this.load()));
    }
  }

  changed() { return JSON.stringify(this.units) !== this.before; }

  draw(message) {
    this.list = el("ol", { class: "outline", "aria-label": "Questions of the plan" });
    this.lines = svg("svg", { class: "connectors", "aria-hidden": "true", focusable: "false" });
    this.sum = el("p", { class: "soft plan-sum", "aria-live": "polite" });
    this.approve = button("Approve", () => this.send(), { class: "primary large" });
    this.wish = el("textarea", { id: "wish", rows: 3, maxlength: 4000, placeholder: "For example: leave out prices, look at Scandinavia too" });
    this.wishes = el("form", { class: "wishes", hidden: true, on: { submit: (e) => { e.preventDefault(); this.ask(); } } }, el("label", { for: "wish" }, "What should be different?"), this.wish,
      el("div", { class: "row end" }, button("Never mind", () => { this.wishes.hidden = true; this.wants.setAttribute("aria-expanded", "false"); this.wants.focus(); }), el("button", { class: "primary" }, "Plan again")));
    this.wants = button("Ask for changes", () => { this.wishes.hidden = false; this.wants.setAttribute("aria-expanded", "true"); this.wish.focus(); }, { "aria-expanded": "false" });
    const asked = this.plan.feedback && el("p", { class: "notice" }, "You asked: ", el("q", {}, this.plan.feedback));
    this.node.replaceChildren(...[el("h2", {}, this.round > 1 ? `The plan, round ${this.round}` : "The plan"),
      el("p", { class: "soft" }, "Each line is a question that one researcher answers alone. Change what you like; nothing has been searched yet."), message && el("p", { class: "notice", role: "alert" }, message), asked,
      el("div", { class: "outline-box" }, this.lines, this.list), button([icon("plus"), "Add a question"], () => this.add(), { class: "add" }), this.sum,
      el("div", { class: "row plan-actions" }, this.approve, this.wants, el("span", { class: "spacer" }), button("Cancel the run", () => this.cancel(), { class: "danger quiet" })), this.wishes].filter(Boolean));
    this.rows();
    this.resize.observe(this.list);
  }

  rows() {
    this.list.replaceChildren(...this.units.map((u, i) => this.row(u, i)));
    if (!this.units.length) this.list.append(el("li", { class: "soft none" }, "A plan needs at least one question."));
    this.tell();
  }

  row(u, i) {
    const text = el("textarea", { class: "unit-question", rows: 1, maxlength: 1000, "aria-label": `Question ${i + 1}`, value: u.question, dir: "auto", on: { input: () => { u.question = text.value; this.tell(); } } });
    const needs = u.needs.map((n) => this.units.findIndex((x) => x.id === n) + 1).filter(Boolean);
    const li = el("li", { class: "outline-row", data: { unit: u.id } }, el("span", { class: "grip", title: "Drag to reorder", draggable: "true", "aria-hidden": "true" }, icon("grip")), el("span", { class: "number", "aria-hidden": "true" }, i + 1),
      el("div", { class: "grow" }, text, el("p", { class: "unit-about" }, [kinds[u.kind] || u.kind, u.area && u.area !== u.question && u.area, needs.length && `after ${needs.join(" and ")}`].filter(Boolean).join(" · "))),
      el("div", { class: "row-buttons" }, iconButton("up", `Move question ${i + 1} up`, () => this.move(i, i - 1), { disabled: i === 0 }), iconButton("down", `Move question ${i + 1} down`, () => this.move(i, i + 1), { disabled: i === this.units.length - 1 }),
        iconButton("trash", `Remove question ${i + 1}`, () => this.drop(i))));
    this.draggable(li, i);
    return li;
  }

  draggable(li, i) {
    li.addEventListener("dragstart", (e) => { this.dragged = i; li.classList.add("dragged"); e.dataTransfer.effectAllowed = "move"; e.dataTransfer.setDragImage(li, 20, 20); e.dataTransfer.setData("text/plain", String(i)); });
    li.addEventListener("dragend", () => { this.dragged = null; li.classList.remove("dragged"); });
    li.addEventListener("dragover", (e) => { if (this.dragged !== null && this.dragged !== undefined) { e.preventDefault(); li.classList.add("target"); } });
    li.addEventListener("dragleave", () => li.classList.remove("target"));
    li.addEventListener("drop", (e) => { e.preventDefault(); li.classList.remove("target"); if (this.dragged !== null && this.dragged !== undefined) this.move(this.dragged, i); });
  }

  move(from, to) {
    if (to < 0 || to >= this.units.length || from === to) return;
    const [u] = this.units.splice(from, 1);
    this.units.splice(to, 0, u);
    this.rows();
    const [up, down] = this.list.children[to].querySelectorAll(".row-buttons button");
    (to > from ? (down.disabled ? up : down) : up.disabled ? down : up).focus();
    say(`Moved to place ${to + 1} of ${this.units.length}`);
  }

  drop(i) {
    const [gone] = this.units.splice(i, 1);
    for (const u of this.units) u.needs = u.needs.filter((n) => n !== gone.id);
    this.rows();
    (this.list.children[Math.min(i, this.units.length - 1)]?.querySelector("textarea") || this.node.querySelector(".add")).focus();
    say(`Question ${i + 1} was removed`);
  }

  add() {
    const ids = new Set(this.units.map((u) => u.id));
    do this.made++; while (ids.has(`own-${this.made}`));
    this.units.push({ id: `own-${this.made}`, question: "", kind: "general", area: "", needs: [] });
    this.rows();
    this.list.lastElementChild.querySelector("textarea").focus();
  }

  // What the plan comes to now, and whether it can be approved.
  tell() {
    const n = this.units.length, e = this.estimate, was = JSON.parse(this.before).length || 1;
    const blank = this.units.some((u) => !u.question.trim());
    const cost = e?.priced && e.high_usd > 0 ? `probably ${money(e.low_usd * n / was)} to ${money(e.high_usd * n / was)}` : "";
    this.sum.textContent = [count(n, "question"), cost, blank && "one of them is empty"].filter(Boolean).join(" · ");
    this.approve.textContent = this.changed() ? "Approve with your changes" : "Approve";
    this.approve.disabled = n === 0 || blank;
    this.connect();
  }

  // Thin lines from what a question needs to the question.
  connect() {
    this.lines.parentNode.classList.toggle("linked", this.units.some((u) => u.needs.length > 0));
    const box = this.lines.getBoundingClientRect(), mid = (i) => { const r = this.list.children[i].getBoundingClientRect(); return r.top + Math.min(22, r.height / 2) - box.top; };
    this.lines.replaceChildren(...this.units.flatMap((u, i) => u.needs.map((n) => this.units.findIndex((x) => x.id === n)).filter((k) => k >= 0 && k !== i).map((k) => {
      const a = mid(k), b = mid(i), x = 14 - Math.min(10, Math.abs(i - k) * 3);
      return svg("path", { d: `M20 ${a.toFixed(1)} C ${x} ${a.toFixed(1)}, ${x} ${b.toFixed(1)}, 20 ${b.toFixed(1)}` });
    })));
  }

  async post(body, done) {
    if (this.busy) return;
    this.busy = true;
    try {
      await post(task(this.id, "/review"), body, { headers: this.tag ? { "If-Match": this.tag } : {} });
      say(done);
      this.resize.disconnect();
      this.decided();
    } catch (e) {
      if (e.status === 409 || e.status === 412) await this.load("The plan has changed meanwhile. This is the plan as it stands now; your changes were not applied.");
      else if (e.status === 404) this.decided();
      else toast(e.message, true);
    } finally { this.busy = false; }
  }

  send() {
    if (!this.changed()) return this.post({ action: "approve" }, "The plan is approved");
    const plan = { ...this.plan, units: this.units.map((u) => ({ ...u, question: u.question.trim() })) };
    return this.post({ action: "edit", plan }, "Your plan is approved");
  }

  ask() {
    if (this.wish.value.trim()) this.post({ action: "feedback", message: this.wish.value.trim() }, "The plan is being made again");
    else this.wish.focus();
  }

  async cancel() {
    if (await confirmed("Cancel this run?", "Nothing has been searched yet. The question stays in the list of runs.", "Cancel the run")) this.post({ action: "reject", message: "cancelled in the plan" }, "The run is cancelled");
  }
}
