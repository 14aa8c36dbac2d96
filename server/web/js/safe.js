// The server's rendered report, cleaned once more before it is shown: what is not on these lists is dropped or unwrapped.

const tags = new Set(("a abbr b blockquote br button caption code dd del dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li mark ol p pre q s small span " +
  "strong sub sup table tbody td tfoot th thead tr u ul section article div").split(" "));
const dropped = new Set("script style template iframe object embed form input textarea select svg math link meta base noscript img video audio picture source track canvas".split(" "));
const attributes = new Set("id class lang dir title colspan rowspan scope align start aria-label aria-hidden aria-expanded aria-controls role data-claim data-verdict data-open".split(" "));
const classes = new Set("claim mark glue cite".split(" "));

/** Markup that the server made of a report, as nodes that can do nothing. */
export function safe(html) {
  const doc = new DOMParser().parseFromString(String(html || ""), "text/html"); // parsed, never run, nothing is loaded
  const out = document.createDocumentFragment();
  for (const n of [...doc.body.childNodes]) out.append(...clean(n));
  return out;
}

function clean(node) {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.data)];
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  const tag = node.localName;
  if (dropped.has(tag)) return [];
  const kids = [...node.childNodes].flatMap(clean);
  if (!tags.has(tag)) return kids;
  const e = document.createElement(tag);
  for (const { name, value } of node.attributes) if (attributes.has(name)) e.setAttribute(name, value);
  if (e.className) e.className = [...e.classList].filter((c) => classes.has(c)).join(" ");
  if (e.id && !/^(claim|method|h|section|fn|fnref)[-_:]/.test(e.id)) e.removeAttribute("id"); // no element of ours is taken over
  if (tag === "button") e.type = "button";
  if (tag === "a") point(e, node.getAttribute("href") || "");
  e.append(...kids);
  return [e];
}

// Links lead to http, https or a place in the report.
function point(a, to) {
  if (to.startsWith("#")) {
    a.dataset.to = to.slice(1); // the page's own addresses begin with # too: report.js follows it
    a.setAttribute("href", location.hash || "#");
    return;
  }
  if (!/^https?:\/\//i.test(to)) return;
  a.setAttribute("href", to);
  a.target = "_blank";
  a.rel = "noopener noreferrer nofollow";
}
