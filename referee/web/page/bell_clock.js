// What time it is on the table's clock, by asking for it: true to half of the time that the quickest answer took.
// The table measures the same way from its end, by a number that comes back at once: it believes no press further back.

import { again, change, read } from "./server.js";
import { t } from "./words.js";

const FIRST = 8;
const GAP_MS = 250;
const LATER_MS = 5000;
const KEPT_MS = 60_000; // a phone's clock drifts by some ms a minute
const DRIFT = 1e-4;
const THUMB_MS = 5; // a screen is asked for touches every 8 to 10 ms
const HERE_MS = 20_000;
let answers = []; // { at, offset, half }: ms, the table's clock less this page's, and how far off that may be
let hereAt = -HERE_MS;

// First in quick succession, then now and then, as long as this view stays.
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

// The best answer, and how far off the time of a press may be by it, ms; null as long as nobody knows.
function best() {
  const now = performance.now();
  const off = (one) => one.half + (now - one.at) * DRIFT;
  const one = answers.reduce((least, other) => (least && off(least) <= off(other) ? least : other), null);
  return one && { offset: one.offset, within: Math.ceil(off(one) + THUMB_MS) };
}

export function withinMs() {
  const one = best();
  return one && one.within;
}

// Tell the table that a bell is here: it waits for presses that are on their way.
export async function bellHere(app) {
  if (!app.me.paired || performance.now() - hereAt < HERE_MS) return;
  hereAt = performance.now();
  await change("/api/do", { do: "bell_here" });
}

// Ring at a time of this page's clock, ms; `done` is told in words what came of it.
export function ring(app, seat, pressedAt, done) {
  const one = best();
  if (one === null) return done(t("one_moment"));
  const command = { do: "ring", seat, t_ns: Math.round((pressedAt + one.offset) * 1e6), within_ms: one.within };
  return app.run(command, () => done(t("thumb_rang", { ms: one.within })));
}
