// Estimates the table's clock from round trips, and sends rings with their time and its uncertainty.
// The table measures the round trip, too, by an echoed number; it accepts no ring that is older.

import { again, change, read } from "./server.js";
import { t } from "./words.js";

const FIRST = 8;
const GAP_MS = 250;
const LATER_MS = 5000;
const KEPT_MS = 60_000; // a phone's clock drifts by up to 6 ms in this time
const DRIFT = 1e-4;
const THUMB_MS = 5; // a screen samples touches every 8 to 10 ms
const HERE_MS = 20_000;
let answers = []; // { at, offset, half } in ms; half: half of the round trip, the most that offset is off
let hereAt = -HERE_MS;

// Sample the table's clock while this view is open: FIRST times quickly, then every LATER_MS.
export function syncClock(app) {
  again(app, GAP_MS, async () => {
    bellHere(app).catch(() => null);
    if (answers.length >= FIRST && performance.now() - answers[answers.length - 1].at < LATER_MS) return null;
    const echo = await sample("");
    if (echo) await sample(`?echo=${echo}`);
    return {};
  });
}

async function sample(echo) {
  const sent = performance.now();
  const answer = await read(`/api/clock${echo}`);
  const came = performance.now();
  answers = answers.filter((one) => came - one.at < KEPT_MS).concat([{ at: came, offset: answer.t_ns / 1e6 - (sent + came) / 2, half: (came - sent) / 2 }]);
  return answer.echo;
}

// Return { offset, within } in ms of the answer with the least uncertainty, or null before the first answer.
export function bestAnswer() {
  const now = performance.now();
  const off = (one) => one.half + (now - one.at) * DRIFT;
  const one = answers.reduce((least, other) => (least && off(least) <= off(other) ? least : other), null);
  return one && { offset: one.offset, within: Math.ceil(off(one) + THUMB_MS) };
}

// Announce this phone as a bell every HERE_MS, so that the table waits for its delayed rings.
export async function bellHere(app) {
  if (!app.me.paired || performance.now() - hereAt < HERE_MS) return;
  hereAt = performance.now();
  await change("/api/do", { do: "bell_here" });
}

// Send a ring of `pressedAt`, in ms of this page's clock; `done` gets a sentence about the result.
export function ring(app, seat, pressedAt, done) {
  const one = bestAnswer();
  if (one === null) return done(t("one_moment"));
  const command = { do: "ring", seat, t_ns: Math.round((pressedAt + one.offset) * 1e6), within_ms: one.within };
  return app.run(command, () => done(t("thumb_rang", { ms: one.within })));
}
