// One line to the server for all tabs of a browser: a browser has six lines to a server, and each tab held one of them.

import { merged } from "./merge.js";

const AGAIN_MS = 3000;
const tabs = new Map(); // a tab's port, and when somebody looked at it last: 0 if it only listens, null if it rests
let looks = 0;
let source = null;
let state = null;
let takenAt = 0;

function tell(message) {
  const lead = Math.max(...tabs.values());
  let led = false;
  for (const [tab, look] of tabs) {
    if (look === null) continue;
    const leads = !led && look === lead;
    led = led || leads;
    tab.postMessage(Object.assign({ leads }, message));
  }
}

function open() {
  const line = new EventSource("/api/events");
  source = line;
  state = null;
  line.addEventListener("state", (event) => {
    const parts = JSON.parse(event.data);
    state = merged(state, parts);
    takenAt = performance.now();
    tell({ parts });
  });
  line.onerror = () => {
    tell({ lost: true });
    if (line.readyState !== EventSource.CLOSED) return;
    // There was no room: the browser does not try again by itself.
    setTimeout(() => {
      if (source !== line) return;
      source = null;
      settle();
    }, AGAIN_MS);
  };
}

function settle() {
  const awake = [...tabs.values()].some((look) => look !== null);
  if (awake && source === null) open();
  if (!awake && source !== null) {
    source.close();
    source = null;
  }
}

function wake(tab, look) {
  tabs.set(tab, look);
  if (source === null || state === null) return;
  // The clock has gone on since.
  const t_ns = state.t_ns + Math.round((performance.now() - takenAt) * 1e6);
  tab.postMessage({ parts: Object.assign({}, state, { t_ns }) });
}

self.onconnect = (event) => {
  const tab = event.ports[0];
  tab.onmessage = ({ data }) => {
    // So a tab knows that this worker works, even while the server does not.
    tab.postMessage({ cannot: !self.EventSource });
    if (data === "awake") wake(tab, ++looks);
    else if (data === "listening") wake(tab, 0);
    else if (data === "asleep") tabs.set(tab, null);
    else tabs.delete(tab);
    if (self.EventSource) settle();
  };
};
