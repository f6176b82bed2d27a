// Holds the stream of the table's state, as server-sent events.
// A browser opens six connections to a server: only a visible tab holds one, and a hidden tab that speaks.
// A silent stream is opened again: no error reports a server without power or Wi-Fi.

import { keep, kept } from "./kept.js";

const AGAIN_MS = 3000;
export const SILENT_MS = 7000; // the server sends a heartbeat every 3 s
const LEADS = "ringmaster-leads";
const own = String(Math.random());
const isLookedAt = () => document.visibilityState === "visible";

// Return whether this tab speaks for this browser: the tab that was visible last does.
export function leads() {
  const leader = kept(LEADS);
  return leader === own || (leader === null && isLookedAt());
}

// Hold the stream while this tab is visible, or hidden and `listens()`.
// `take` gets a state; `heard` and `lost` report messages and breaks.
export function follow({ take, heard, lost, listens }) {
  let source = null;
  let timer = null;
  const close = () => {
    clearTimeout(timer);
    if (source) source.close();
    source = null;
  };
  const openIn = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  };
  const open = () => {
    close();
    openIn(SILENT_MS);
    const stream = new EventSource("/api/events");
    source = stream;
    stream.addEventListener("state", (event) => {
      openIn(SILENT_MS);
      heard();
      take(JSON.parse(event.data));
    });
    stream.onerror = () => {
      lost();
      // The browser reconnects by itself, unless the server refused the connection.
      if (stream.readyState === EventSource.CLOSED && source === stream) openIn(AGAIN_MS);
    };
  };
  const update = () => {
    if (isLookedAt()) keep(LEADS, own);
    if (!isLookedAt() && !(listens() && leads())) return close();
    if (source && source.readyState === EventSource.OPEN) return undefined;
    // A tab that was hidden on purpose is not offline.
    if (!source) heard();
    return open();
  };
  document.addEventListener("visibilitychange", update);
  window.addEventListener("pageshow", (event) => event.persisted && update());
  window.addEventListener("pagehide", () => {
    if (kept(LEADS) === own) keep(LEADS, null);
    close();
  });
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key !== LEADS || newValue !== "null" || !(isLookedAt() || listens())) return;
    keep(LEADS, own);
    update();
  });
  update();
}
