// The line on which the table's state comes: one for all tabs of this browser where it can, and none for a hidden tab.

import { eventLine } from "./event_line.js";

const NO_WORKER_MS = 5000;

// `take` gets the parts that have changed, and whether this tab leads the browser's others; `heard`: that the server
// was heard so many ms ago; `lost`: that the line broke; `listens`: whether this tab needs the state though nobody looks
// at it.
export function follow({ take, heard, lost, listens }) {
  const taken = (parts, leads, agoMs) => {
    heard(agoMs);
    take(parts, leads);
  };
  let line = null;
  let rests = true;
  const heed = () => {
    const looked = document.visibilityState === "visible";
    const wakes = looked || listens();
    // A tab that rested has missed nothing yet.
    if (wakes && rests) heard(0);
    rests = !wakes;
    if (wakes) line.wake(looked ? "awake" : "listening");
    else line.rest();
  };
  const alone = () => {
    if (line) line.leave();
    line = ownLine(taken, lost);
    heed();
  };
  line = sharedLine(taken, lost, alone);
  if (line) heed();
  else alone();
  document.addEventListener("visibilitychange", heed);
  window.addEventListener("pagehide", () => line.leave());
  window.addEventListener("pageshow", (event) => event.persisted && heed());
  return heed;
}

function ownLine(taken, lost) {
  let line = null;
  const rest = () => {
    if (line) line.close();
    line = null;
  };
  const wake = () => {
    if (line && line.isOpen()) return;
    rest();
    line = eventLine((parts) => taken(parts, true, 0), lost);
  };
  return { wake, rest, leave: rest };
}

// Give null where the browser has no such worker; `fails` is called if it has one that does not work.
function sharedLine(taken, lost, fails) {
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
    else if (data.parts) taken(data.parts, data.leads, data.agoMs || 0);
  };
  const tell = (word, isAsleep) => {
    asleep = isAsleep;
    worker.port.postMessage(word);
    clearTimeout(silence);
    if (!works) silence = setTimeout(fails, NO_WORKER_MS);
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
