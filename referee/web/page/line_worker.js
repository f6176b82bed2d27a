// One line to the server for all tabs of a browser: a browser has six lines to a server, and each tab held one of them.

import { eventLine } from "./event_line.js";
import { merged } from "./merge.js";

const tabs = new Map(); // a tab's port, and when somebody looked at it last: 0 if it only listens, null if it rests
let looks = 0;
let line = null;
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
  state = null;
  line = eventLine(
    (parts) => {
      state = merged(state, parts);
      takenAt = performance.now();
      tell({ parts });
    },
    () => tell({ lost: true }),
  );
}

function settle() {
  const awake = [...tabs.values()].some((look) => look !== null);
  if (awake && line === null) open();
  if (!awake && line !== null) {
    line.close();
    line = null;
  }
}

function wake(tab, look) {
  tabs.set(tab, look);
  if (line === null || state === null) return;
  // The clock has gone on since.
  const agoMs = performance.now() - takenAt;
  tab.postMessage({ agoMs, parts: Object.assign({}, state, { t_ns: state.t_ns + Math.round(agoMs * 1e6) }) });
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
