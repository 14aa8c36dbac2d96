// Checking a report that somebody else wrote: dropped or pasted, then on the way like any run.

import { post } from "./api.js";
import { el } from "./dom.js";
import { dropArea } from "./drop.js";
import { size } from "./format.js";

const most = 900 << 10; // bytes; the server takes bodies of 1 MB

export function audit(main, _id, frame) {
  frame.title("Audit");
  const field = el("textarea", { id: "report-text", rows: 12, required: true, spellcheck: "false", placeholder: "# The report\n\nParis has 2.1 million inhabitants [1].\n\n## Sources\n1. https://example.org/paris" });
  const error = el("p", { class: "field-error", role: "alert", hidden: true });
  const note = el("p", { class: "soft" }, "\u00a0");
  const go = el("button", { class: "primary large" }, "Check this report");
  const wrong = (text) => { error.textContent = text; error.hidden = false; };
  let name = "";
  const take = async ([f]) => {
    error.hidden = true;
    if (f.size > most) return wrong(`${f.name} has ${size(f.size)}; at most ${size(most)} can be checked at once.`);
    const text = await f.text();
    if (text.includes("\u0000")) return wrong(`${f.name} is not a text file. Save it as Markdown or plain text first.`);
    field.value = text;
    name = f.name;
    note.textContent = `${f.name}, ${size(f.size)}`;
    go.focus();
  };
  const form = el("form", { class: "audit-form", novalidate: true }, dropArea({ label: "Choose a report", hint: "Drop a Markdown or text file here, or paste the report below.", accept: ".md,.markdown,.txt,text/*", take }), note,
    el("label", { for: "report-text" }, "The report"), field, error,
    el("p", { class: "outlook" }, "Every page that it cites is fetched and read, and each claim is compared with what stands there. Your own documents count too."), el("div", { class: "row end" }, go));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    if (go.disabled) return;
    if (!field.value.trim()) { wrong("There is nothing to check yet: drop a file, or paste the report."); return field.focus(); }
    go.disabled = true;
    try {
      const made = await post("/api/v1/audits", { report: field.value, ...(name ? { name } : {}) });
      location.hash = `#/run/${encodeURIComponent(made.task_id || made.workflow_id)}`;
    } catch (err) {
      wrong(err.message);
      go.disabled = false;
    }
  });
  main.append(el("div", { class: "ask" }, el("h1", {}, "Check a report"), el("p", { class: "lead" }, "Whoever wrote it, a person or a machine: what do its sources really say?"), form));
}
