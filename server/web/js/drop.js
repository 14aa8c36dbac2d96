// A place where files are dropped or chosen.

import { el, icon } from "./dom.js";

/**
 * @param {{label: string, hint: string, accept?: string, many?: boolean, take: (files: File[]) => void}} o
 */
export function dropArea(o) {
  const input = el("input", { type: "file", class: "hidden", tabindex: "-1", "aria-hidden": "true", multiple: !!o.many, accept: o.accept,
    on: { change: () => { o.take([...input.files]); input.value = ""; } } });
  const area = el("div", { class: "drop" }, icon("upload"), el("div", {},
    el("button", { type: "button", class: "linkish", on: { click: () => input.click() } }, o.label), el("p", { class: "soft" }, o.hint)), input);
  let depth = 0; // entering a child leaves its parent
  const over = (by) => { depth = Math.max(0, depth + by); area.classList.toggle("over", depth > 0); };
  area.addEventListener("dragenter", (e) => { e.preventDefault(); over(1); });
  area.addEventListener("dragleave", () => over(-1));
  area.addEventListener("dragover", (e) => e.preventDefault());
  area.addEventListener("drop", (e) => {
    e.preventDefault();
    depth = 0;
    over(0);
    const files = [...(e.dataTransfer?.files || [])];
    if (files.length) o.take(o.many ? files : files.slice(0, 1));
  });
  return area;
}
