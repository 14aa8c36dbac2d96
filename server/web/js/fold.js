// What a run looks like after its events: the page shows nothing that is not in here. No element is touched.

import { spoken } from "./format.js";
import { keyOf } from "./verdict.js";

/**
 * @typedef {{id: string, question: string, state: string, wave: number, sources: number, findings: number, note: string}} UnitView
 * @typedef {{key: string, kind: "stage"|"wave"|"gate"|"note", title: string, text: string, state: string, at: string, step: string, attempt: number, bad?: boolean}} Entry
 */

const titles = {
  order: "Ordering a draft", collect: "Waiting for the draft", read: "Reading documents", scope: "Understanding the question", plan: "Planning",
  gather: "Gathering", supervise: "Is that enough?", cite: "Choosing what to cite", write: "Writing", review: "Reviewing the draft", claims: "Splitting into claims",
  check: "Checking every claim", publish: "Publishing",
};
const starting = "Starting";
const audited = { read: "Reading what it cites" };

/** The stages that the bar names. An audit begins with somebody else's draft. */
export const path = (r) => r.audit ? ["read", "check", "publish"] : ["scope", "plan", "gather", "write", "check", "publish"];
const stands = { order: "read", collect: "read", supervise: "gather", cite: "gather", review: "write", claims: "check" };

/** An empty run. */
export function newRun(id) {
  return {
    id, question: "", audit: false, state: "queued", stage: "", wave: 0, started: "", ended: "", pausedAt: "", idle: 0, made: 0,
    /** @type {Map<string, number>} the latest attempt of each step */ attempts: new Map(),
    /** @type {Entry[]} */ entries: [], /** @type {Map<string, UnitView>} */ units: new Map(), findings: [], sources: new Map(), hosts: null,
    estimate: null, draft: "", draftDone: false, claims: 0, verdicts: new Map(), wait: null, reason: "",
  };
}

/** Where on the bar's path a run stands. */
export const along = (r) => Math.max(0, path(r).indexOf(stands[r.stage] || r.stage));

/** Folds one event in. Returns what changed, as names of the run's parts. */
export function fold(r, e) {
  const parts = again(r, e) ? ["entries", "findings", "units", "sources", "draft", "verdicts"] : [];
  return [...parts, ...(kinds[e.kind]?.(r, e) || [])];
}

// A step that is attempted again, after an error or a restart of the server, has shown nothing before.
function again(r, e) {
  const before = r.attempts.get(e.step) || 0;
  if (!e.step || !(e.attempt > before)) return false;
  r.attempts.set(e.step, e.attempt);
  const stale = (x) => x.step === e.step && x.attempt < e.attempt;
  r.entries = r.entries.filter((x) => x.kind !== "note" || !stale(x));
  r.findings = r.findings.filter((x) => !stale(x));
  for (const list of [r.sources, r.verdicts]) for (const [k, x] of list) if (stale(x)) list.delete(k);
  if (before === 0) return false;
  for (const u of r.units.values()) if (e.step === `unit.${u.id}` || e.unit === u.id) Object.assign(u, { findings: 0, sources: 0 });
  if (e.step.startsWith("write")) r.draft = "";
  return true;
}

function entry(r, e, kind, title, text, state = "done", bad = false) {
  const x = { key: `${kind}-${r.made++}`, kind, title, text, state, at: e.at, step: e.step, attempt: e.attempt, bad };
  r.entries.push(x);
  return x;
}

// What a unit notes stands on its card; the rest in the timeline.
function note(r, e, title, bad) {
  if (e.unit && !bad) { unit(r, e).note = e.text; return ["units"]; }
  entry(r, e, "note", title, e.text, "done", bad);
  return ["entries"];
}
const current = (r) => r.entries.findLast((x) => x.kind === "stage" || x.kind === "wave");

function settle(r) {
  const x = current(r);
  if (x && x.state === "now") x.state = "done";
}

function unit(r, e) {
  const id = e.unit || e.data.id;
  if (!r.units.has(id)) r.units.set(id, { id, question: "", state: "pending", wave: r.wave || 1, sources: 0, findings: 0, note: "" });
  return r.units.get(id);
}

function end(state) {
  return (r, e) => {
    settle(r);
    Object.assign(r, { state, ended: e.at, reason: e.text, wait: null });
    if (state !== "done") entry(r, e, "note", state === "failed" ? "Failed" : "Cancelled", e.text, "done", state === "failed");
    return ["state", "entries"];
  };
}

const kinds = {
  "run.started": (r, e) => {
    Object.assign(r, { question: e.text, started: e.at, state: "running" });
    entry(r, e, "stage", starting, "", "now"); // the first stage has no event of its own
    return ["state", "entries"];
  },
  "run.resumed": (r, e) => {
    awake(r, e);
    r.state = "running";
    if (!r.waited) entry(r, e, "note", "Taken up again", e.text); // after a wait for a person it is no news
    r.waited = false;
    return ["state", "entries"];
  },
  "pause.over": (r, e) => { awake(r, e); r.state = "running"; entry(r, e, "note", "Going on", ""); return ["state", "entries"]; },
  "run.paused": (r, e) => { r.state = "paused"; r.pausedAt = e.at; entry(r, e, "note", "Paused", e.text); return ["state", "entries"]; },
  "run.waiting": (r, e) => { r.state = "waiting"; r.waited = true; r.pausedAt = e.at; r.wait = { ...e.data, approval: e.approval }; return ["state", "wait"]; },
  "run.done": end("done"), "run.failed": end("failed"), "run.cancelled": end("cancelled"),

  "stage.started": (r, e) => {
    awake(r, e);
    if (e.text === "scope" || e.text === "claims") first(r, "read"); // the stage before these
    settle(r);
    Object.assign(r, { stage: e.text, state: "running", wait: null });
    if (e.text === "write") { r.draft = ""; r.draftDone = false; }
    if (e.text !== "gather" && e.text !== "end") entry(r, e, "stage", (r.audit && audited[e.text]) || titles[e.text] || e.text, "", "now");
    return ["state", "entries", "wait", "draft"];
  },
  "wave.started": (r, e) => {
    awake(r, e);
    settle(r);
    Object.assign(r, { wait: null, state: "running", stage: "gather" });
    r.wave++;
    for (const u of r.units.values()) if (u.state === "pending") u.wave = r.wave;
    const x = entry(r, e, "wave", `Gathering, wave ${r.wave}`, "", "now");
    x.wave = r.wave;
    return ["entries", "units", "state", "wait"];
  },
  "wave.done": (r, e) => { const x = current(r); if (x) { x.state = "done"; x.text = e.text.replace(/^wave \d+ done: /, ""); } return ["entries"]; },
  "gate.decided": (r, e) => { entry(r, e, "gate", spoken(e.text), ""); return ["entries"]; },

  "documents.read": (r, e) => { first(r, "read"); step(r, e.text); return ["entries"]; },
  "brief.ready": (r, e) => { first(r, "scope"); step(r, e.text); return ["entries"]; },
  "plan.ready": (r, e) => {
    step(r, e.text);
    for (const u of r.units.values()) if (u.state === "pending") r.units.delete(u.id);
    for (const u of e.data.units || []) {
      if (!r.units.has(u.id)) r.units.set(u.id, { id: u.id, question: u.question, state: "pending", wave: r.wave + 1, sources: 0, findings: 0, note: "" });
    }
    return ["units", "entries"];
  },
  "hosts.named": (r, e) => { r.hosts = e.data.hosts || []; return ["hosts"]; },
  "estimate.ready": (r, e) => { r.estimate = e.data; return ["estimate"]; },
  "unit.started": (r, e) => { const u = unit(r, e); u.question = e.text || u.question; u.state = "now"; u.wave = r.wave || 1; return ["units"]; },
  "unit.done": (r, e) => {
    const u = unit(r, e);
    Object.assign(u, { state: e.data.status || "done", question: u.question || e.data.topic || "", findings: e.data.findings ?? u.findings, note: e.data.failure_reason || "" });
    return ["units"];
  },
  "source.read": (r, e) => {
    if (r.audit) first(r, "read");
    r.sources.set(e.data.source || e.data.url, { ...e.data, ok: true, step: e.step, attempt: e.attempt });
    if (e.unit) unit(r, e).sources++;
    return ["units", "sources"];
  },
  "lead.skipped": (r, e) => { r.sources.set(e.data.url, { ...e.data, ok: false, step: e.step, attempt: e.attempt }); return ["sources"]; },
  "leads.found": (r, e) => { if (e.unit) unit(r, e).note = e.text; return ["units"]; },
  thought: (r, e) => { if (e.unit) { unit(r, e).note = e.text; return ["units"]; } step(r, e.text); return ["entries"]; },
  "finding.made": (r, e) => {
    r.findings.push({ ...e.data, key: e.seq, unit: e.unit, step: e.step, attempt: e.attempt });
    if (e.unit) unit(r, e).findings++;
    return ["findings", "units"];
  },
  "step.retried": (r, e) => note(r, e, "Tried again"),
  "step.failed": (r, e) => note(r, e, "A step failed", true),
  "step.fell_back": (r, e) => note(r, e, "Without the model"),
  warning: (r, e) => note(r, e, "Note"),
  "file.skipped": (r, e) => note(r, e, "A file was left out"),
  "call.waits": (r, e) => { step(r, e.text); return ["entries"]; },
  "remote.waits": (r, e) => { step(r, e.text); return ["entries"]; },
  cited: (r, e) => { step(r, e.text); return ["entries"]; },
  "draft.delta": (r, e) => { r.draft = e.reset ? "" : r.draft + e.text; return ["draft"]; },
  "draft.written": (r, e) => { step(r, e.text); if (e.response) r.draft = e.response; r.draftDone = true; return ["draft", "entries"]; },
  "draft.reviewed": (r, e) => { step(r, e.text); return ["entries"]; },
  "claims.split": (r, e) => { r.claims = parseInt(e.text, 10) || 0; step(r, e.text); return ["verdicts", "entries"]; },
  "claim.checked": (r, e) => {
    r.verdicts.set(e.data.claim_id, { key: keyOf(e.data), text: e.data.claim_text, reason: e.data.reason, step: e.step, attempt: e.attempt });
    return ["verdicts"];
  },
  "report.published": (r, e) => { step(r, e.text); if (e.response) r.draft = e.response; return ["entries"]; },
};

// first names the stage that a run began with.
function first(r, stage) {
  const x = current(r);
  if (x && x.title === starting) x.title = (r.audit && audited[stage]) || titles[stage];
}

function step(r, text) {
  const x = current(r);
  if (x && text) x.text = text;
}

// Time in which the run stood still does not count as its own.
function awake(r, e) {
  if (r.pausedAt) r.idle += Math.max(0, new Date(e.at) - new Date(r.pausedAt));
  r.pausedAt = "";
}
