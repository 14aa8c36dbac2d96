// Following a run: server-sent events over fetch, since keys travel in a header. A stream that breaks is taken up again
// after the last event that was seen.

import { get, keyHeaders, keyNeeded, task } from "./api.js";

const silence = 25_000; // ms without a byte (the server pings every 10 s) until a line counts as dead
const waits = [500, 1000, 2000, 4000, 8000]; // ms between attempts

/**
 * @typedef {{kind: string, seq: number, at: string, text: string, step: string, attempt: number, unit: string,
 *   approval: string, data: any, response: string, reset?: boolean}} RunEvent
 */

/**
 * Calls event with every event of a run, once and in order, and state with "live", "reconnecting", "ended" or "gone".
 * @returns {() => void} stops it
 */
export function follow(id, { after = 0, event, state }) {
  const stop = new AbortController();
  const told = { last: after, event: (e) => {
    if (e.seq && e.seq <= told.last) return; // came twice
    if (e.seq) told.last = e.seq;
    event(e);
  } };
  run(id, told, state, stop.signal);
  return () => stop.abort();
}

async function run(id, told, state, stopped) {
  for (let tries = 0; !stopped.aborted;) {
    const how = await attempt(id, told, state, stopped).catch(() => "broken");
    if (stopped.aborted) return;
    if (how === "ended" || how === "gone") return state(how);
    tries = how === "cut" ? 0 : tries + 1;
    state("reconnecting");
    await pause(waits[Math.min(tries, waits.length - 1)], stopped);
  }
}

const pause = (ms, stopped) => new Promise((done) => {
  const timer = setTimeout(done, ms);
  stopped.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
});

/** One connection. "ended": all was told; "cut": it worked for a while; "broken": it did not; "gone": no such run. */
async function attempt(id, told, state, stopped) {
  const line = new AbortController();
  const hangUp = () => line.abort();
  stopped.addEventListener("abort", hangUp, { once: true });
  let timer = setTimeout(hangUp, silence);
  try {
    const res = await fetch(`/api/v1/stream/sse?workflow_id=${encodeURIComponent(id)}`, { signal: line.signal, cache: "no-store",
      headers: { Accept: "text/event-stream", ...keyHeaders(), ...(told.last ? { "Last-Event-ID": String(told.last) } : {}) } });
    if (res.status === 401) { await keyNeeded(); return "cut"; }
    if (res.status === 404) return "gone";
    if (!res.ok) return "broken";
    if (!res.body) return await poll(id, told);
    state("live");
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader(), parse = parser();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return "cut";
      clearTimeout(timer);
      timer = setTimeout(hangUp, silence);
      for (const m of parse(value)) {
        if (m.event === "done") return "ended";
        const e = read(m);
        if (e) told.event(e);
      }
    }
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener("abort", hangUp);
  }
}

// Where answers cannot be read as they come, the list of events is.
async function poll(id, told) {
  const { events } = await get(task(id, "/events"));
  for (const e of events) told.event(normal(e));
  const { status } = await get(task(id));
  return /COMPLETED|FAILED|CANCELLED|TIMEOUT/.test(status) ? "ended" : "cut";
}

/** Reads a stream in pieces, as they come. */
export function parser() {
  let rest = "";
  return (text) => {
    const all = rest + text, half = all.endsWith("\r") ? "\r" : ""; // perhaps the first half of a line's end
    const blocks = (half ? all.slice(0, -1) : all).replace(/\r\n?/g, "\n").split("\n\n");
    rest = blocks.pop() + half;
    return blocks.map(message).filter((m) => m.data || m.event);
  };
}

function message(block) {
  const m = { id: "", event: "", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value] = /^(id|event|data): ?(.*)$/.exec(line) || [];
    if (field === "data") m.data += (m.data ? "\n" : "") + value;
    else if (field) m[field] = value;
  }
  return m;
}

/** @returns {RunEvent | null} */
function read(m) {
  let w;
  try { w = JSON.parse(m.data); } catch { return null; }
  if (m.event === "thread.message.delta") return { kind: "draft.delta", seq: 0, text: w.delta || "", reset: !!w.reset };
  return normal(w);
}

function normal(w) {
  const p = w.payload || {};
  return { kind: p.kind || w.type, seq: w.seq || 0, at: w.timestamp, text: w.message || "", step: p.step || "", attempt: p.attempt || 0,
    unit: p.unit || "", approval: p.approval_id || "", data: p.data || {}, response: w.response || "" };
}
