// Verdicts as the page shows them: a word and a mark each, so that colour is never the only signal. final.html has the same.

/** @typedef {{key: string, label: string, short: string, mark: string, means: string}} Look */

/** @type {Look[]} in the order of the bar */
export const looks = [
  ["supported", "Supported", "supported", "✓", "A source it cites says so."],
  ["partial", "Partly supported", "partly", "≈", "A source it cites says part of it, or says it with a qualification."],
  ["disputed", "Disputed", "disputed", "⇄", "One source it cites says so, another says otherwise."],
  ["contradicted", "Contradicted", "contradicted", "✕", "A source it cites says otherwise."],
  ["not_found", "Not found", "not found", "?", "Nothing that it cites was found to say this."],
  ["paywall", "Behind a paywall", "paywall", "–", "It could not be checked: the source is behind a paywall."],
  ["inaccessible", "Not accessible", "no access", "–", "It could not be checked: the source could not be read."],
  ["unchecked", "Not checked", "not checked", "–", "Checking was turned off."],
].map(([key, label, short, mark, means]) => ({ key, label, short, mark, means }));

/** @returns {Look} */
export const lookOf = (key) => looks.find((l) => l.key === key) || looks[looks.length - 1];

/** How a verdict appears: a disputed one is a kind of its own. */
export const keyOf = (verdict) => !verdict ? "unchecked" : verdict.disputed ? "disputed" : lookOf(verdict.status).key;

/** Counts by look, as far as there are any: [[look, n], …]. */
export function tally(keys) {
  return looks.map((l) => [l, keys.filter((k) => k === l.key).length]).filter(([, n]) => n > 0);
}
