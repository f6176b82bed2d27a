// Asks the server: reads, changes (with what pairing needs), and the stream of the table's state.

export const me = { paired: false, csrf: null, code: null, devices: null, first: false };

export class Refused extends Error {
  constructor(status, data) {
    super(data.error || "");
    this.status = status;
    this.key = data.key;
    this.values = data.values || {};
  }
}

async function answer(request) {
  let response;
  try {
    response = await request;
  } catch (fault) {
    throw new Refused(0, { error: "", key: "no_connection" });
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, data);
  return data;
}

export function read(path) {
  return answer(fetch(path, { credentials: "same-origin" }));
}

export async function change(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (me.csrf) headers["X-CSRF-Token"] = me.csrf;
  return answer(fetch(path, { method: "POST", credentials: "same-origin", headers, body: JSON.stringify(body) }));
}

export function sendPicture(file, players, limit) {
  const headers = { "Content-Type": "application/octet-stream", "X-CSRF-Token": me.csrf || "" };
  const path = `/api/picture?players=${players}&limit=${limit}`;
  return answer(fetch(path, { method: "POST", credentials: "same-origin", headers, body: file }));
}

export async function learnWhoIAm() {
  Object.assign(me, await read("/api/me"));
  return me;
}

export async function pair(code) {
  await change("/api/pair", { code });
  await learnWhoIAm();
}

// Follow the state: `take` gets the parts that have changed, `connected` whether the line stands.
export function follow(take, connected) {
  let source = null;
  const open = () => {
    source = new EventSource("/api/events");
    source.addEventListener("state", (event) => {
      connected(true);
      take(JSON.parse(event.data));
    });
    source.onerror = () => {
      connected(false);
      // The browser tries again by itself, unless it was told that there is no room.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 3000);
    };
  };
  open();
  // A phone that sleeps loses its line without noticing.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && source.readyState !== EventSource.OPEN) {
      source.close();
      open();
    }
  });
}
