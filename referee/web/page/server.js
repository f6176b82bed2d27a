// Sends requests to the server, with the token that pairing gives.

const LIMIT_MS = 10_000;
const DEVICES_MS = 45_000; // the server tries a new camera before it answers
const PICTURE_MS = 180_000;

export const me = { paired: false, csrf: null, code: null, devices: null, first: false };

export class Refused extends Error {
  constructor(status, data) {
    super(data.error || "");
    this.status = status;
    this.key = data.key;
    this.values = data.values || {};
  }
}

// Return the server's answer, or throw Refused; `silent`: the key of the sentence after limitMs.
async function asked(path, init, limitMs, silent) {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), limitMs);
  try {
    const response = await fetch(path, Object.assign({ credentials: "same-origin", signal: end.signal }, init));
    const data = await response.json().catch((fault) => {
      if (end.signal.aborted) throw fault;
      return {};
    });
    if (!response.ok) throw new Refused(response.status, data);
    return data;
  } catch (fault) {
    if (fault instanceof Refused) throw fault;
    throw new Refused(0, { error: "", key: end.signal.aborted ? silent : "no_connection", values: { seconds: limitMs / 1000 } });
  } finally {
    clearTimeout(timer);
  }
}

export function read(path) {
  return asked(path, {}, LIMIT_MS, "no_answer");
}

// Call `ask` every `everyMs` while the current view is open and visible, and merge its result into `local`.
// `ask` returns null for no change, or false to stop.
export function again(app, everyMs, ask) {
  const { local } = app;
  const turn = async () => {
    if (app.local !== local) return;
    const part = document.visibilityState === "visible" ? await ask().catch(() => null) : null;
    if (app.local !== local || part === false) return;
    if (part) app.set(part);
    setTimeout(turn, everyMs);
  };
  turn();
}

// Return a function that keeps an answer in `app.local[name]`, unless a later request was answered before.
export function inOrder({ local }, name) {
  const number = (local.requests = (local.requests || 0) + 1);
  return (answer) => {
    if (number >= (local.answered || 0)) Object.assign(local, { [name]: answer, answered: number });
  };
}

export function change(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (me.csrf) headers["X-CSRF-Token"] = me.csrf;
  const limitMs = body.do === "settings" ? DEVICES_MS : LIMIT_MS;
  return asked(path, { method: "POST", headers, body: JSON.stringify(body) }, limitMs, "not_confirmed");
}

// Upload a file.
export async function send(path, file, mostMb, silent = "not_confirmed") {
  if (file.size > mostMb * 1024 * 1024) throw new Refused(413, { key: "too_large" });
  const headers = { "Content-Type": "application/octet-stream", "X-CSRF-Token": me.csrf || "" };
  return asked(path, { method: "POST", headers, body: file }, PICTURE_MS, silent);
}

// Announce a code that admits a device; return { said: false } if it was announced just before.
export async function askForCode() {
  const answer = await change("/api/pair/ask", {});
  await learnWhoIAm();
  return answer;
}

export async function learnWhoIAm() {
  Object.assign(me, await read("/api/me"));
  return me;
}

export async function pair(code) {
  const { kept } = await change("/api/pair", { code });
  await learnWhoIAm();
  return kept ? "paired_now" : "paired_for_now";
}
