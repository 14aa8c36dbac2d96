// Numbers, times and counts as people write them.

/** "1 claim", "2 claims". */
export const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : /(s|ch|x)$/.test(noun) ? "es" : "s"}`;

/** Dollars: cents, and more digits where cents would say nothing. */
export function money(usd) {
  if (!usd) return "$0";
  if (usd < 0.01) return "under 1¢";
  return "$" + usd.toFixed(2);
}

/** Seconds as "42 s", "3 min 05 s", "1 h 10 min". */
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, "0")} s`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")} min`;
}

/** Seconds as a clock: "0:42", "1:02:03". */
export function clock(seconds) {
  const s = Math.max(0, Math.floor(seconds)), two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
}

/** How long ago, roughly. */
export function ago(time) {
  const s = (Date.now() - new Date(time)) / 1000;
  if (!(s >= 0)) return "just now";
  for (const [size, noun] of [[86400 * 365, "year"], [86400 * 30, "month"], [86400, "day"], [3600, "hour"], [60, "minute"]])
    if (s >= size) return count(Math.floor(s / size), noun) + " ago";
  return "just now";
}

/** "2 January 2026"; what is no date stays as it is. */
export function day(time) {
  const d = new Date(time);
  return isNaN(d) ? String(time || "") : d.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** "2 January 2026, 15:04". */
export function moment(time) {
  const d = new Date(time);
  return isNaN(d) ? "" : d.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** Bytes as "12 KB". */
export function size(n) {
  if (n < 1024) return `${n} bytes`;
  return n < 1 << 20 ? `${Math.round(n / 1024)} KB` : `${(n / (1 << 20)).toFixed(1)} MB`;
}

/** What a reader recognises an address by. */
export function place(url) {
  return String(url || "").replace(/^doc:/, "").replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
}

/** The site of an address, or "Your documents". */
export function site(url) {
  if (String(url).startsWith("doc:")) return "Your documents";
  try { return new URL(url).hostname.replace(/^www\./, ""); } catch { return place(url); }
}

/** A reason with a capital and a full stop. */
export function spoken(s) {
  const t = String(s || "").trim();
  if (!t) return "";
  return t[0].toUpperCase() + t.slice(1) + (/[.!?…。]["”']?$/.test(t) ? "" : ".");
}
