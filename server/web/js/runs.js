// All runs: what was asked, how it stands, how much of it holds, what it cost. Questions of one conversation stand together.

import { get, remove, task } from "./api.js";
import { button, confirmed, el, icon, iconButton, say, toast, trouble, waiting } from "./dom.js";
import { countsOf, verdictBar } from "./chart.js";
import { ago, count, money } from "./format.js";

const page = 50;

/** Status names of the API as words. */
export const words = { QUEUED: "Queued", RUNNING: "Running", COMPLETED: "Done", FAILED: "Failed", CANCELLED: "Cancelled", TIMEOUT: "Timed out", PAUSED: "Paused" };
export const bare = (status) => String(status || "").replace(/^TASK_STATUS_/, "");

export function runs(main, _id, frame) {
  frame.title("Runs");
  const stop = new AbortController();
  const view = { tasks: [], total: 0, verdicts: new Map(), stopped: stop.signal, list: el("div", { class: "runs" }, waiting("Your runs are being fetched")) };
  view.search = el("input", { type: "search", id: "search-runs", placeholder: "Search questions", "aria-label": "Search questions", on: { input: () => draw(view) } });
  main.append(el("div", { class: "page" }, el("div", { class: "row between" }, el("h1", {}, "Runs"), el("div", { class: "searchbox" }, icon("search"), view.search)), view.list));
  load(view);
  return () => stop.abort();
}

async function load(view) {
  try {
    const told = await get(`/api/v1/tasks?limit=${page}&offset=${view.tasks.length}`, { signal: view.stopped });
    view.tasks.push(...(told.tasks || []));
    view.total = told.total_count || view.tasks.length;
    draw(view);
  } catch (e) {
    if (!view.stopped.aborted) view.list.replaceChildren(trouble(e, () => load(view)));
  }
}

function draw(view) {
  const sought = view.search.value.trim().toLowerCase();
  const found = view.tasks.filter((t) => !sought || (t.query || "").toLowerCase().includes(sought));
  if (!view.tasks.length) {
    return view.list.replaceChildren(el("div", { class: "empty" }, el("h2", {}, "Nothing has been asked yet"), el("p", {}, "Reports and audits will be listed here, with how much of each could be confirmed."), el("a", { class: "button primary", href: "#/ask" }, "Ask the first question")));
  }
  const more = view.tasks.length < view.total && button(`Show more (${view.total - view.tasks.length} left)`, () => load(view), { class: "more-runs" });
  if (!found.length) return view.list.replaceChildren(el("div", { class: "empty" }, el("h2", {}, "No question matches"), el("p", {}, `None of the ${count(view.tasks.length, "run")} shown has “${view.search.value.trim()}” in it.`)), more || "");
  const threads = new Map();
  for (const t of found) {
    const key = t.session_id || t.task_id;
    threads.set(key, [...(threads.get(key) || []), t]);
  }
  view.list.replaceChildren(...[...threads.values()].map((group) => group.length > 1
    ? el("section", { class: "thread", "aria-label": `Conversation of ${count(group.length, "question")}` }, el("p", { class: "thread-title" }, `Conversation · ${count(group.length, "question")}`), el("ul", {}, group.map((t) => row(view, t))))
    : el("ul", {}, row(view, group[0]))), more || "");
  if (sought) say(`${count(found.length, "run")} found`);
}

// The verdicts of a run are fetched when its row comes into view.
function seen(view, place, id) {
  const draw = (v) => { const counts = countsOf(v); if (counts.length) place.replaceChildren(verdictBar(counts, true)); };
  if (view.verdicts.has(id)) return draw(view.verdicts.get(id));
  const watch = new IntersectionObserver(async (entries) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    watch.disconnect();
    const about = await get(task(id), { signal: view.stopped }).catch(() => null);
    view.verdicts.set(id, about?.metadata?.verification);
    draw(about?.metadata?.verification);
  });
  watch.observe(place);
}

function row(view, t) {
  const state = bare(t.status), done = state === "COMPLETED";
  const to = `#/${done ? "report" : "run"}/${encodeURIComponent(t.task_id)}`;
  const cost = t.total_token_usage?.cost_usd || 0, bar = el("span", { class: "mini-place" });
  if (done) seen(view, bar, t.task_id);
  return el("li", { class: "run-row", data: { state } }, el("a", { href: to, class: "run-link", dir: "auto" }, t.query || "Audit of a report"),
    el("p", { class: "run-facts" }, el("span", { class: "state", data: { state } }, words[state] || state), done && bar,
      el("span", {}, [t.kind === "audit" && "audit", cost > 0 && money(cost), ago(t.created_at)].filter(Boolean).join(" · "))),
    iconButton("trash", `Delete: ${t.query || "audit"}`, async () => {
      const running = ["RUNNING", "QUEUED", "PAUSED"].includes(state);
      if (!await confirmed("Delete this run?", `${running ? "It is stopped first. " : ""}Its report, findings and bill are removed. This cannot be undone.`, "Delete")) return;
      try {
        await remove(task(t.task_id));
        view.tasks = view.tasks.filter((x) => x !== t);
        view.total--;
        say("The run was deleted");
      } catch (e) { toast(e.message, true); }
      draw(view);
      view.search.focus();
    }));
}
