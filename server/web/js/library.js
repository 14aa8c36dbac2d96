// The person's own documents: put on the shelf, listed, taken off.

import { get, remove, request } from "./api.js";
import { confirmed, el, iconButton, say, toast, trouble, waiting } from "./dom.js";
import { dropArea } from "./drop.js";
import { count, day, size } from "./format.js";

const route = "/api/v1/library/documents";

/** Puts files on the shelf, one after the other, and says how it went. Resolves to how many are there. */
export async function shelve(files, each = () => {}) {
  let n = 0;
  for (const f of files) {
    each(f, "now");
    try {
      await put(f);
      n++;
      each(f, "done");
    } catch (e) {
      each(f, "failed", e.message);
      toast(`${f.name}: ${e.message}`, true);
    }
  }
  if (n) toast(`${count(n, "document")} added.`);
  return n;
}

async function put(file) {
  const form = new FormData();
  form.append("file", file, file.name);
  const res = await request("POST", route, { body: form, raw: true });
  if (res.ok) return;
  const said = await res.json().catch(() => ({}));
  throw new Error(said.error || `the server answered ${res.status}`);
}

export function library(main, _id, frame) {
  frame.title("Library");
  const stop = new AbortController();
  const list = el("div", { class: "documents" }, waiting("Your documents are being fetched"));
  const load = async () => {
    try {
      const { documents } = await get(route, { signal: stop.signal });
      draw(list, documents || [], load);
    } catch (e) {
      if (!stop.signal.aborted) list.replaceChildren(trouble(e, load));
    }
  };
  main.append(el("div", { class: "page" }, el("h1", {}, "Your documents"), el("p", { class: "lead" }, "Every question is also put to them, and what they say is cited by passage. They stay on this server; a hosted model sees the parts it is asked about."),
    dropArea({ label: "Add documents", hint: "PDF, Word, HTML, Markdown, CSV or text", many: true, take: async (files) => { await shelve(files); load(); } }), list));
  load();
  return () => stop.abort();
}

function draw(list, documents, again) {
  if (!documents.length) {
    return list.replaceChildren(el("div", { class: "empty" }, el("h2", {}, "The shelf is empty"), el("p", {}, "Reports, minutes, papers, notes: what you add here is searched with every question.")));
  }
  const remover = (name) => async () => {
    if (!await confirmed(`Remove ${name}?`, "It is no longer searched. Reports that cite it keep the text they were checked against.", "Remove")) return;
    try {
      await remove(`${route}?name=${encodeURIComponent(name)}`);
      say(`${name} was removed`);
    } catch (e) { toast(e.message, true); }
    again();
  };
  list.replaceChildren(el("p", { class: "soft" }, count(documents.length, "document")), el("table", { class: "list" }, el("thead", {}, el("tr", {}, ["Name", "Title", "Length", "Added", ""].map((h) => el("th", { scope: "col" }, h || el("span", { class: "hidden" }, "Remove"))))),
    el("tbody", {}, documents.map((d) => el("tr", {}, el("th", { scope: "row", dir: "auto" }, d.name), el("td", { dir: "auto" }, d.title && d.title !== d.name ? d.title : ""),
      el("td", { class: "number" }, size(d.size)), el("td", {}, day(d.added_at)), el("td", { class: "end" }, iconButton("trash", `Remove ${d.name}`, remover(d.name))))))));
}
