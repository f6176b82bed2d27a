// The line on which the table's state comes: one for all tabs of this browser where it can, and none for a hidden tab.

const AGAIN_MS = 3000;
const SILENT_MS = 5000;

// `take` gets the parts that have changed, and whether this tab leads the browser's others; `connected` whether the
// line stands; `listens`: whether this tab needs the state though nobody looks at it.
export function follow(take, connected, listens) {
  const heard = (parts, leads) => {
    connected(true);
    take(parts, leads);
  };
  const lost = () => connected(false);
  let line = null;
  const heed = () => {
    if (document.visibilityState === "visible") line.wake("awake");
    else if (listens()) line.wake("listening");
    else line.rest();
  };
  const alone = () => {
    if (line) line.leave();
    line = ownLine(heard, lost);
    heed();
  };
  line = sharedLine(heard, lost, alone);
  if (line) heed();
  else alone();
  document.addEventListener("visibilitychange", heed);
  window.addEventListener("pagehide", () => line.leave());
  window.addEventListener("pageshow", (event) => event.persisted && heed());
  return heed;
}

function ownLine(heard, lost) {
  let source = null;
  const rest = () => {
    if (source) source.close();
    source = null;
  };
  const wake = () => {
    if (source && source.readyState === EventSource.OPEN) return;
    rest();
    const line = new EventSource("/api/events");
    source = line;
    line.addEventListener("state", (event) => heard(JSON.parse(event.data), true));
    line.onerror = () => {
      lost();
      // The browser tries again by itself, unless it was told that there is no room.
      if (line.readyState === EventSource.CLOSED) setTimeout(() => source === line && wake(), AGAIN_MS);
    };
  };
  return { wake, rest, leave: rest };
}

// Give null where the browser has no such worker; `fails` is called if it has one that does not work.
function sharedLine(heard, lost, fails) {
  if (!window.SharedWorker) return null;
  let worker = null;
  try {
    worker = new SharedWorker(trusted("/page/line_worker.js"), { type: "module", name: "ringmaster" });
  } catch {
    return null;
  }
  let asleep = true;
  let silence = null;
  let works = false;
  const heardOf = () => {
    works = true;
    clearTimeout(silence);
    worker.onerror = null;
  };
  worker.onerror = fails;
  worker.port.onmessage = ({ data }) => {
    heardOf();
    if (data.cannot) {
      fails();
      return;
    }
    if (asleep) return;
    if (data.lost) lost();
    else if (data.parts) heard(data.parts, data.leads);
  };
  const tell = (word, isAsleep) => {
    asleep = isAsleep;
    worker.port.postMessage(word);
    clearTimeout(silence);
    if (!works) silence = setTimeout(fails, SILENT_MS);
  };
  return {
    wake: (how) => tell(how, false),
    rest: () => tell("asleep", true),
    leave: () => {
      heardOf();
      tell("gone", true);
    },
  };
}

// The one address of a script that is ever run from here.
function trusted(url) {
  if (!window.trustedTypes) return url;
  return window.trustedTypes.createPolicy("ringmaster", { createScriptURL: () => url }).createScriptURL(url);
}
