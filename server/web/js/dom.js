// Building elements. Whatever comes from the server becomes text nodes here, never markup; safe.js is the one exception.

const svgNS = "http://www.w3.org/2000/svg";

/**
 * An element. Of the properties, `on` holds listeners, `data` the dataset; false and undefined leave an attribute out.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} kids nodes or text; empty ones are left out
 */
export function el(tag, props, ...kids) {
  return fill(document.createElement(tag), props, kids);
}

/** An SVG element. */
export function svg(tag, props, ...kids) {
  return fill(document.createElementNS(svgNS, tag), props, kids);
}

function fill(e, props, kids) {
  for (const [k, v] of Object.entries(props || {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k === "on") for (const [name, f] of Object.entries(v)) e.addEventListener(name, f);
    else if (k === "data") Object.assign(e.dataset, v);
    else if (k === "value" || k === "checked" || k === "open") e[k] = v;
    else e.setAttribute(k, v === true ? "" : String(v));
  }
  e.append(...kids.flat(3).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return e;
}

/** A button with words on it. */
export function button(text, click, props) {
  return el("button", { type: "button", ...props, on: { click } }, text);
}

const paths = {
  up: "M12 19V5M6 11l6-6 6 6", down: "M12 5v14M6 13l6 6 6-6", close: "M6 6l12 12M18 6L6 18", plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5", grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 119.5 4a7 7 0 0010.5 10.5z", auto: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 3v18M12 7h7M12 12h9M12 17h7",
  file: "M7 3h7l5 5v13H7zM14 3v5h5", upload: "M12 16V4M7 9l5-5 5 5M4 16v4h16v-4", search: "M11 4a7 7 0 100 14 7 7 0 000-14zM20 20l-4-4",
  pause: "M8 5v14M16 5v14", play: "M7 4l13 8-13 8z", flag: "M6 21V4h12l-3 4 3 4H6", stop: "M6 6h12v12H6z", download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  check: "M4 12.5l5 5L20 6.5", out: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
};

/** A small drawing beside words; it says nothing by itself. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" }, svg("path", { d: paths[name] }));
}

/** A button that shows only a drawing; its name is for those who don't see it, and for a tip. */
export function iconButton(name, label, click, props) {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, ...props, on: { click } }, icon(name));
}

/** Only http and https lead anywhere. Everything else is shown as text. */
export function href(url) {
  try {
    const u = new URL(url);
    return u.protocol === "http:" || u.protocol === "https:" ? u.href : "";
  } catch {
    return "";
  }
}

/** A link out of the page, or its words alone where the address leads nowhere. */
export function outLink(url, props, ...kids) {
  const to = href(url);
  return to ? el("a", { href: to, target: "_blank", rel: "noopener noreferrer nofollow", ...props }, ...kids) : el("span", props, ...kids);
}

/** Tells screen readers, politely. */
export function say(text) {
  document.getElementById("live").textContent = text;
}

/** A short message that goes away by itself. */
export function toast(text, bad) {
  const t = el("p", { class: bad ? "toast bad" : "toast", role: bad ? "alert" : "status" }, text);
  document.getElementById("toasts").append(t);
  setTimeout(() => t.remove(), bad ? 9000 : 5000);
}

/** Asks before something is lost. Resolves to whether the person agreed. */
export function confirmed(title, text, verb) {
  return new Promise((resolve) => {
    const no = el("button", { value: "no", autofocus: true }, "Keep it");
    const d = el("dialog", { "aria-labelledby": "confirm-title" }, el("h2", { id: "confirm-title" }, title), el("p", {}, text),
      el("form", { method: "dialog", class: "row end" }, no, el("button", { value: "yes", class: "danger" }, verb)));
    d.addEventListener("close", () => { d.remove(); resolve(d.returnValue === "yes"); });
    document.body.append(d);
    d.showModal();
    no.focus();
  });
}

/** What a view shows when it cannot show what it should. */
export function trouble(error, again) {
  return el("div", { class: "empty", role: "alert" }, el("h2", {}, error.title || "That did not work"), el("p", {}, error.message),
    again && button("Try again", again));
}

/** The grey shape of a text that is on its way. */
export function waiting(label) {
  return el("div", { class: "waiting", role: "status" }, el("span", { class: "hidden" }, label || "Loading"), el("i"), el("i"), el("i"));
}
