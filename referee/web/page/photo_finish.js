// The photo-finish: pictures round the ring, and the line of time that they, the faces and all rings lie on.

import { h } from "./dom.js";
import { button, colour, maySee, sign, unseen } from "./parts.js";
import { closeUps, seen } from "./seen.js";
import { timeLine } from "./time_line.js";
import { number, t } from "./words.js";

const SAME_MS = 0.6;
const LONG_MS = 2000;

export function photoFinish(app, timeline) {
  const { frames } = timeline;
  const shown = frames.length > 0 && maySee(app);
  const deciding = decidingFrame(timeline);
  const at = app.local.frame === undefined ? deciding : Math.min(app.local.frame, frames.length - 1);
  const go = (to) => {
    app.local.frame = to;
    app.draw();
  };
  return h(
    "figure",
    { class: "evidence", key: "photo-finish" },
    maySee(app) ? null : unseen(app, "picture"),
    shown ? pictures(app, timeline, at, deciding, go) : null,
    timeLine(timeline, frames.length ? frames[at].t_ms : null, frames.length ? frames[deciding].t_ms : null),
    shown ? buttons(frames, at, deciding, go) : null,
    h("ul", { class: "marks" }, told(timeline).map((mark, index) => h("li", { key: index, class: `of-${mark.kind}` }, sign(mark.seat), h("span", {}, mark.text), h("span", { class: "num when" }, mark.when)))),
  );
}

// The picture that decided is the one in which things were outlined, else the last one before the ring.
function decidingFrame({ frames, sight }) {
  const outlined = sight ? frames.findIndex((frame) => Math.abs(frame.t_ms - sight.t_ms) < SAME_MS) : -1;
  return outlined >= 0 ? outlined : Math.max(0, frames.filter((frame) => frame.t_ms <= 0).length - 1);
}

function pictures(app, { frames, sight, players }, at, deciding, go) {
  const fits = sight && Math.abs(frames[at].t_ms - sight.t_ms) < SAME_MS;
  return [
    seen(app, frames[at].picture, fits ? sight : null),
    h("figcaption", { role: "status", key: "when" }, h("strong", { class: "num" }, moment(frames[at].t_ms)), " ", at === deciding ? t("deciding_picture") : ""),
    h("input", {
      key: "slide",
      type: "range",
      min: 0,
      max: frames.length - 1,
      step: 1,
      value: String(at),
      "aria-label": t("photo_finish"),
      "aria-valuetext": moment(frames[at].t_ms),
      oninput: (event) => go(Number(event.target.value)),
    }),
    closeUps(frames[at].picture, sight, fits, (one) => (one.seat === null ? "" : (players || [])[one.seat])),
  ];
}

function buttons(frames, at, deciding, go) {
  return h(
    "div",
    { class: "row between", key: "buttons" },
    button("−1", () => go(Math.max(0, at - 1)), { "aria-label": t("picture_before"), disabled: at === 0 }),
    button(t("deciding_picture"), () => go(deciding)),
    button("+1", () => go(Math.min(frames.length - 1, at + 1)), { "aria-label": t("picture_after"), disabled: at === frames.length - 1 }),
  );
}

// The same in words: each face, from when to when it lay open, and each ring.
function told({ faces, marks, players }) {
  const open = (faces || []).map((face) => ({
    kind: "card",
    seat: face.seat,
    t_ms: face.from_ms,
    text: t("face_of", { name: players[face.seat], face: faceName(face) }),
    when: lay(face.from_ms, face.until_ms),
  }));
  const rings = (marks || []).filter((mark) => mark.kind !== "card" && mark.text).map((mark) => Object.assign({}, mark, { when: offset(mark.t_ms) }));
  return open.concat(rings).sort((a, b) => a.t_ms - b.t_ms);
}

export function faceName(face) {
  if (!face.colour) return t("face_unread");
  return face.mood ? `${colour(face.colour)}, ${t(`mood_${face.mood}`)}` : colour(face.colour);
}

// From when to when a face lay open, in one unit: the larger one, where one of the two is long.
function lay(from, until) {
  if (until === null) return offset(from);
  const long = Math.max(Math.abs(from), Math.abs(until)) >= LONG_MS;
  if (Math.round(until) === 0) return t("until_the_ring", { from: offset(from, long) });
  return t("from_until", { from: offset(from, long), until: offset(until, long) });
}

function offset(ms, long = Math.abs(ms) >= LONG_MS) {
  const rounded = Math.round(ms);
  if (rounded === 0) return t("at_the_ring");
  const sign_ = rounded < 0 ? "−" : "+";
  return long ? `${sign_}${number(Math.abs(ms) / 1000, Math.abs(ms) < 100 ? 2 : 1)} s` : `${sign_}${Math.abs(rounded)} ms`;
}

function moment(ms) {
  const rounded = Math.round(ms);
  if (rounded === 0) return t("at_the_ring");
  return t(rounded < 0 ? "ms_before" : "ms_after", { n: number(Math.abs(rounded)) });
}
