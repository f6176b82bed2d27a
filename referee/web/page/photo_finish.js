// The photo-finish: pictures round the ring, and the line of time that they, the faces and all rings lie on.

import { h } from "./dom.js";
import { box, button, colour, maySee, sign } from "./parts.js";
import { picture, squareAround } from "./picture.js";
import { timeLine } from "./time_line.js";
import { number, t } from "./words.js";

const SAME_MS = 0.6;
const LONG_MS = 2000;

// The picture that decided is the one in which things were outlined, else the last one before the ring.
export function decidingFrame({ frames, sight }) {
  const outlined = sight ? frames.findIndex((frame) => Math.abs(frame.t_ms - sight.t_ms) < SAME_MS) : -1;
  return outlined >= 0 ? outlined : Math.max(0, frames.filter((frame) => frame.t_ms <= 0).length - 1);
}

function frameAt(app, line) {
  return app.local.frame === undefined ? decidingFrame(line) : Math.min(app.local.frame, line.frames.length - 1);
}

function fits({ frames, sight }, at) {
  return Boolean(sight && frames[at] && Math.abs(frames[at].t_ms - sight.t_ms) < SAME_MS);
}

// The picture at a moment, and the way to the others; `seen` draws it with what was outlined in it, if anything.
export function finishPicture(app, line, at, deciding, seen) {
  const { frames, sight } = line;
  const go = (to) => () => {
    app.local.frame = Math.min(frames.length - 1, Math.max(0, to));
    app.draw();
  };
  const step = (text, to, label, isEnd) => button(text, go(to), { "aria-label": t(label), disabled: isEnd });
  return [
    seen(fits(line, at) ? sight : null),
    h("p", { class: "sr", key: "told", role: "status" }, moment(frames[at].t_ms)),
    h("figcaption", { class: "row between", key: "when" },
      step("−1", at - 1, "picture_before", at === 0),
      h("button", { type: "button", class: "quiet", key: "deciding", onclick: go(deciding) }, h("strong", { class: "num" }, moment(frames[at].t_ms)), " ", at === deciding ? t("deciding_picture") : ""),
      step("+1", at + 1, "picture_after", at === frames.length - 1)),
  ];
}

// What lay at each place, cut out of a picture large enough for a phone.
export function closeUps(app, line) {
  const { sight, frames, players } = line;
  if (!sight || !sight.outlines.length || !frames.length || !maySee(app)) return null;
  const at = frameAt(app, line);
  const size = [sight.width, sight.height];
  const one = (outline, index) => {
    const mark = Object.assign({}, outline, { corners: outline.corners.map(([x, y]) => [x / size[0], y / size[1]]), sure: outline.certain });
    const shown = picture({ source: `/pictures/${frames[at].picture}.jpg`, alt: "", size, part: squareAround(mark, size), marks: fits(line, at) ? [mark] : [], look: "close-up" });
    return h("li", { key: index }, shown, h("span", {}, sign(outline.seat), " ", outline.seat === null ? "" : (players || [])[outline.seat]));
  };
  return h("ul", { class: "close-ups", key: "close-ups" }, sight.outlines.map(one));
}

// The line of time, and the same in words: each face, from when to when it lay open, and each ring.
export function onTheLine(app, line) {
  const { frames } = line;
  const ms = (at) => (frames.length ? frames[at].t_ms : null);
  const mark = (one, index) => h("li", { key: index, class: `of-${one.kind}` }, sign(one.seat), h("span", {}, one.text), h("span", { class: "num when" }, one.when));
  return box("line", t("photo_finish_title"), timeLine(line, ms(frameAt(app, line)), ms(decidingFrame(line))), h("ul", { class: "marks" }, told(line).map(mark)));
}

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

function faceName(face) {
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
