// Checks a report: node client.mjs report.md [document…]
// PLUMB_URL is the server (default http://127.0.0.1:8080), PLUMB_KEY its key if it wants one. Needs nothing but Node 18.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const url = process.env.PLUMB_URL ?? "http://127.0.0.1:8080";
const key = process.env.PLUMB_KEY ? { "X-API-Key": process.env.PLUMB_KEY } : {};

async function call(path, body) {
  const response = await fetch(url + path, body === undefined
    ? { headers: key }
    : { method: "POST", headers: { ...key, "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status}: ${answer.error}`);
  return answer;
}

// ended polls a task until nothing will happen to it any more.
async function ended(task) {
  for (;;) {
    const state = await call(`/api/v1/tasks/${task}`);
    if (!/QUEUED|RUNNING|PAUSED/.test(state.status)) return state;
    await new Promise((resume) => setTimeout(resume, 250));
  }
}

const [file, ...documents] = process.argv.slice(2);
if (!file) throw new Error("the report is missing: node client.mjs report.md [document…]");

const { task_id: task } = await call("/api/v1/audits", {
  report: await readFile(file, "utf8"),
  name: basename(file),
  documents: await Promise.all(documents.map(async (name) =>
    ({ name: basename(name), content_base64: (await readFile(name)).toString("base64") }))),
});
const state = await ended(task);
if (state.status !== "TASK_STATUS_COMPLETED") throw new Error(`${state.status}: ${state.error}`);

const report = await call(`/api/v1/tasks/${task}/report?format=json`);
console.log(report.headline);
for (const verdict of report.verdicts) {
  console.log(`${verdict.status.padStart(12)}  ${verdict.claim_text}`);
  if (verdict.status !== "supported") console.log(" ".repeat(14) + verdict.reason);
}
