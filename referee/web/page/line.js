// The line on which the table's state comes. A browser has six lines to a server: only a tab that is looked at holds
// one, and a hidden one that speaks. It is opened again when it breaks, and when nothing has come on it for too long:
// a line whose other end lost its power or its Wi-Fi never breaks by itself.

import { keep, kept } from "./kept.js";

const AGAIN_MS = 3000;
export const SILENT_MS = 7000; // the server gives a sign of life every three seconds
const LEADS = "ringmaster-leads";
const own = String(Math.random());
const isLookedAt = () => document.visibilityState === "visible";

// Of several tabs that may speak one does: the one that was looked at last.
export function leads() {
  const leader = kept(LEADS);
  return leader === own || (leader === null && isLookedAt());
}

// `take` gets what has come, `heard` says that something has, `lost` that the line broke; `listens`: whether this tab
// needs the state though nobody looks at it. Give what is to be called when that may have changed.
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
    const line = new EventSource("/api/events");
    source = line;
    line.addEventListener("state", (event) => {
      openIn(SILENT_MS);
      heard();
      take(JSON.parse(event.data));
    });
    line.onerror = () => {
      lost();
      // The browser tries again by itself, unless the server has no room.
      if (line.readyState === EventSource.CLOSED && source === line) openIn(AGAIN_MS);
    };
  };
  const heed = () => {
    if (isLookedAt()) keep(LEADS, own);
    if (!isLookedAt() && !(listens() && leads())) return close();
    if (source && source.readyState === EventSource.OPEN) return undefined;
    // A tab that rested has missed nothing yet.
    if (!source) heard();
    return open();
  };
  document.addEventListener("visibilitychange", heed);
  window.addEventListener("pageshow", (event) => event.persisted && heed());
  window.addEventListener("pagehide", () => {
    if (kept(LEADS) === own) keep(LEADS, null);
    close();
  });
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key !== LEADS || newValue !== "null" || !(isLookedAt() || listens())) return;
    keep(LEADS, own);
    heed();
  });
  heed();
  return heed;
}
