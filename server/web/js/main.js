// The frame around the views: which one is shown, the theme, the key.

import { apiKey, onKeyNeeded, setKey } from "./api.js";
import { el, icon, say, toast, trouble } from "./dom.js";
import { ask } from "./ask.js";
import { audit } from "./audit.js";
import { library } from "./library.js";
import { report } from "./report.js";
import { run } from "./run.js";
import { runs } from "./runs.js";

/**
 * A view fills main and may return what stops it. It sets the title with frame.title.
 * @type {Record<string, (main: HTMLElement, id: string, frame: typeof frame) => (void | (() => void))>}
 */
const views = { ask, run, report, audit, runs, library };

const main = document.getElementById("main");
let stop = null;

const frame = {
  /** Names the page, and lets screen readers begin at its heading. */
  title(text) { document.title = text ? `${text} · Plumb` : "Plumb"; },
};

function parseHash() {
  const [view, id] = location.hash.replace(/^#\/?/, "").split("/");
  let name = "";
  try { name = decodeURIComponent(id || ""); } catch { /* a broken address has no id */ }
  return { view: views[view] && (name || !["run", "report"].includes(view)) ? view : "ask", id: name, known: !view || !!views[view] };
}

function show(first) {
  const { view, id, known } = parseHash();
  stop?.();
  stop = null;
  main.replaceChildren();
  main.className = `view-${view}`;
  document.body.className = "";
  for (const a of document.querySelectorAll("#nav a")) {
    const here = a.getAttribute("href") === `#/${view}` || (["run", "report"].includes(view) && a.getAttribute("href") === "#/runs");
    here ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  try {
    stop = views[view](main, id, frame) || null;
  } catch (e) {
    main.replaceChildren(trouble(e, () => show()));
  }
  if (!known) toast("There is no such view: this is where questions are asked.", true);
  if (!first) {
    const h = main.querySelector("h1");
    if (h && !main.contains(document.activeElement)) { h.tabIndex = -1; h.focus({ preventScroll: true }); }
  }
}

// The theme follows the system until it is switched.
const themes = { system: ["auto", "as the system"], light: ["sun", "light"], dark: ["moon", "dark"] };

function theme() {
  try { return themes[localStorage.getItem("plumb-theme")] ? localStorage.getItem("plumb-theme") : "system"; } catch { return document.documentElement.dataset.theme || "system"; }
}

function setTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try { localStorage.setItem("plumb-theme", name); } catch { /* a private window may forbid storage */ }
  drawTheme(name);
}

function drawTheme(name) {
  const b = document.getElementById("theme");
  b.replaceChildren(icon(themes[name][0]), el("span", { class: "hidden" }, `Theme: ${themes[name][1]}`));
  b.title = `Theme: ${themes[name][1]}`;
}

document.getElementById("theme").addEventListener("click", () => {
  const names = Object.keys(themes), next = names[(names.indexOf(theme()) + 1) % names.length];
  setTheme(next);
  say(`Theme: ${themes[next][1]}`);
});

function drawKey() { document.getElementById("key").hidden = !apiKey(); }

document.getElementById("key").addEventListener("click", () => {
  setKey("");
  drawKey();
  toast("The key is forgotten in this tab.");
  show();
});

/** Asks for a key until one is entered. It stays in this tab. */
function askKey() {
  return new Promise((resolve) => {
    const wrong = !!apiKey();
    const field = el("input", { type: "password", id: "key-field", autocomplete: "off", spellcheck: "false", required: true, autofocus: true });
    const d = el("dialog", { "aria-labelledby": "key-title", class: "key-dialog" },
      el("h2", { id: "key-title" }, wrong ? "That key does not open this server" : "This server needs a key"),
      el("p", {}, "Whoever runs it makes one with ", el("code", {}, "plumb serve keys add NAME"), ". It is kept in this tab only."),
      el("form", { method: "dialog", on: { submit: () => { setKey(field.value.trim()); drawKey(); } } },
        el("label", { for: "key-field" }, "API key"), field, el("div", { class: "row end" }, el("button", { class: "primary" }, "Continue"))));
    d.addEventListener("cancel", (e) => e.preventDefault()); // without a key nothing can be shown
    d.addEventListener("close", () => { d.remove(); resolve(); });
    document.body.append(d);
    d.showModal();
    field.focus();
  });
}
onKeyNeeded(askKey);

document.getElementById("skip").addEventListener("click", (e) => { e.preventDefault(); main.focus(); });
addEventListener("hashchange", () => show());
drawTheme(theme());
drawKey();
show(true);
