// What time it is on the table's clock, by asking for it: true to half of the time that the quickest answer took.
// The table measures the same way from its end, by a number that comes back at once: it believes no press further back.

import { change, read } from "./server.js";
import { t } from "./words.js";

const FIRST = 8;
const GAP_MS = 250;
const LATER_MS = 5000;
const KEPT_MS = 60_000; // a phone's clock drifts by some ms a minute
const DRIFT = 1e-4;
const THUMB_MS = 5; // a screen is asked for touches every 8 to 10 ms
const HERE_MS = 20_000;
let answers = []; // { at, offset, half }: ms, the table's clock less this page's, and how far off that may be
let timer = null;
let hereAt = -HERE_MS;

export async function syncClock(app) {
  if (timer !== null) return;
  const ask = async () => {
    try {
      const echo = await sample("");
      if (echo) await sample(`?echo=${echo}`);
    } catch {
      // The line may come back.
    }
    if (app.route.view !== "bell") {
      timer = null;
      return;
    }
    bellHere(app).catch(() => null);
    app.draw();
    timer = setTimeout(ask, answers.length < FIRST ? GAP_MS : LATER_MS);
  };
  timer = setTimeout(ask, 0);
}

async function sample(echo) {
  const sent = performance.now();
  const answer = await read(`/api/clock${echo}`);
  const came = performance.now();
  answers = answers.filter((one) => came - one.at < KEPT_MS).concat([{ at: came, offset: answer.t_ns / 1e6 - (sent + came) / 2, half: (came - sent) / 2 }]);
  return answer.echo;
}

function best() {
  const now = performance.now();
  const off = (one) => one.half + (now - one.at) * DRIFT;
  return answers.reduce((least, one) => (least === null || off(one) < off(least) ? one : least), null);
}

// How far off the time of a press may be, ms; null as long as nobody knows.
export function withinMs() {
  const one = best();
  return one === null ? null : Math.ceil(one.half + (performance.now() - one.at) * DRIFT + THUMB_MS);
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
  if (one === null) {
    done(t("one_moment"));
    return;
  }
  const within = withinMs();
  const command = { do: "ring", seat, t_ns: Math.round((pressedAt + one.offset) * 1e6), within_ms: within };
  app.run(command, () => done(t("thumb_rang", { ms: within })));
}
