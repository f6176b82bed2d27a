// Asks the server: reads, and changes (with what pairing needs).

const LIMIT_MS = 10_000;
const DEVICES_MS = 45_000; // another camera is tried before it is taken
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

// Ask, and give what comes; a server that does not answer in time is told of by the sentence `silent`.
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

// Ask again and again as long as the view stays that is open now, where it is in sight. `ask` gives what is new for
// `local`, null if nothing is, or false at the end.
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

export function change(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (me.csrf) headers["X-CSRF-Token"] = me.csrf;
  const limitMs = body.do === "settings" ? DEVICES_MS : LIMIT_MS;
  return asked(path, { method: "POST", headers, body: JSON.stringify(body) }, limitMs, "not_confirmed");
}

// Send a file: a picture, a deck, a backup.
export async function send(path, file, mostMb, silent = "not_confirmed") {
  if (file.size > mostMb * 1024 * 1024) throw new Refused(413, { key: "too_large" });
  const headers = { "Content-Type": "application/octet-stream", "X-CSRF-Token": me.csrf || "" };
  return asked(path, { method: "POST", headers, body: file }, PICTURE_MS, silent);
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
