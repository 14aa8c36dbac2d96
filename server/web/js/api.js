// The server's JSON routes. Keys travel in a header and live in this tab only.

/** What the server, or its absence, said. status 0: it did not answer. */
export class ApiError extends Error {
  constructor(status, message, title) {
    super(message);
    this.status = status;
    this.title = title;
  }
}

const storeKey = "plumb-key";
let kept = ""; // where the browser forbids storage

export function apiKey() {
  try { return sessionStorage.getItem(storeKey) || kept; } catch { return kept; }
}

export function setKey(key) {
  kept = key;
  try { key ? sessionStorage.setItem(storeKey, key) : sessionStorage.removeItem(storeKey); } catch { /* kept */ }
}

/** The page gives the prompt: it resolves once a key was entered. Calls that are refused together ask once. */
let prompt = async () => { throw new ApiError(401, "This server needs a key."); };
let asking = null;
export const onKeyNeeded = (f) => { prompt = f; };
export function keyNeeded() {
  asking ||= prompt().finally(() => { asking = null; });
  return asking;
}

export const keyHeaders = () => (apiKey() ? { "X-API-Key": apiKey() } : {});

/** Sends a request; a 401 asks for a key and tries again. */
export async function request(method, path, { body, headers, raw, signal } = {}) {
  for (;;) {
    const used = apiKey();
    let res;
    try {
      res = await fetch(path, { method, signal, cache: "no-store", headers: { Accept: "application/json", ...(body !== undefined && !raw ? { "Content-Type": "application/json" } : {}), ...keyHeaders(), ...headers },
        body: body === undefined ? undefined : raw ? body : JSON.stringify(body) });
    } catch (e) {
      if (e.name === "AbortError") throw e;
      throw new ApiError(0, "The server does not answer. It may have been stopped; start it again with plumb serve.", "No connection");
    }
    if (res.status !== 401) return res;
    if (used === apiKey()) await keyNeeded();
  }
}

async function failed(res) {
  let message = "";
  try {
    const said = await res.json();
    message = said.message || (typeof said.error === "string" ? said.error : said.error?.message) || "";
  } catch { /* not JSON: the status has to do */ }
  const titles = { 404: "Not found", 409: "Somebody was faster", 413: "Too large", 429: "Too many requests" };
  return new ApiError(res.status, message || `The server answered ${res.status}.`, titles[res.status]);
}

/** A request whose answer is JSON. */
export async function call(method, path, body, options) {
  const res = await request(method, path, { body, ...options });
  if (!res.ok) throw await failed(res);
  if (res.status === 204) return null;
  const text = await res.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(res.status, "The server's answer could not be read.");
  }
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body ?? {}, options);
export const remove = (path) => call("DELETE", path);
export const task = (id, rest = "") => `/api/v1/tasks/${encodeURIComponent(id)}${rest}`;

/** An answer with the version it has. */
export async function getTagged(path) {
  const res = await request("GET", path);
  if (!res.ok) throw await failed(res);
  return { tag: res.headers.get("ETag") || "", value: await res.json() };
}

/** Saves what a route answers as a file: a link could not carry the key. */
export async function save(path, name) {
  const res = await request("GET", path, { headers: { Accept: "*/*" } });
  if (!res.ok) throw await failed(res);
  const url = URL.createObjectURL(await res.blob());
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
