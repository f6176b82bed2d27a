// Draws the photo-finish: pictures around the ring, and a time line of pictures, faces and rings.

import { h } from "./dom.js";
import { chart } from "./chart.js";
import { box, button, faceWords, icon, maySee, sign } from "./parts.js";
import { partAround, picture } from "./picture.js";
import { number, t } from "./words.js";

const SAME_MS = 0.6;
const LONG_MS = 2000;
const EARLIEST_MS = -1500;
const LATEST_MS = 400;
const ROOMY = 0.4; // share of the time line: a longer bar shows when its face appeared

// Return the index of the picture with outlines, or -1.
function outlinedFrame({ frames, sight }) {
  return sight ? frames.findIndex((frame) => Math.abs(frame.t_ms - sight.t_ms) < SAME_MS) : -1;
}

// Return the index of the deciding picture: the one with outlines, else the last one before the ring.
function decidingFrame(line) {
  const outlined = outlinedFrame(line);
  return outlined >= 0 ? outlined : Math.max(0, line.frames.filter((frame) => frame.t_ms <= 0).length - 1);
}

function frameAt(app, line) {
  return app.local.frame === undefined ? decidingFrame(line) : Math.min(app.local.frame, line.frames.length - 1);
}

// Return the chosen picture with buttons to the others; `seen` draws a picture and its outlines.
export function finishPicture(app, line, seen) {
  const { frames, sight } = line;
  const [at, deciding] = [frameAt(app, line), decidingFrame(line)];
  const go = (to) => () => app.set({ frame: Math.min(frames.length - 1, Math.max(0, to)) });
  const step = (text, to, label, isEnd) => button(text, go(to), { "aria-label": t(label), disabled: isEnd });
  return [
    seen(frames[at].picture, at === outlinedFrame(line) ? sight : null),
    h("p", { class: "sr", key: "moment", role: "status" }, moment(frames[at].t_ms)),
    h("figcaption", { class: "row between", key: "when" },
      step("−1", at - 1, "picture_before", at === 0),
      button([h("strong", { class: "num" }, moment(frames[at].t_ms)), " ", at === deciding ? t("deciding_picture") : ""], go(deciding), { class: "quiet", key: "deciding" }),
      step("+1", at + 1, "picture_after", at === frames.length - 1)),
  ];
}

// Return an enlarged part of the picture for each outline, or null.
export function closeUps(app, line) {
  const { sight, frames, players } = line;
  if (!sight || !sight.outlines.length || !frames.length || !maySee(app)) return null;
  const at = frameAt(app, line);
  const size = [sight.width, sight.height];
  const one = (outline, index) => {
    const mark = Object.assign({}, outline, { corners: outline.corners.map(([x, y]) => [x / size[0], y / size[1]]) });
    const shown = picture({ source: `/pictures/${frames[at].picture}.jpg`, alt: "", size, part: partAround([mark], size, (side) => 1.5 * side), marks: at === outlinedFrame(line) ? [mark] : [], look: "close-up" });
    return h("li", { key: index }, shown, h("span", {}, sign(outline.seat), " ", outline.seat === null ? "" : (players || [])[outline.seat]));
  };
  return h("ul", { class: "close-ups", key: "close-ups" }, sight.outlines.map(one));
}

// Return the time line, and a list of its faces and rings in words.
export function onTheLine(app, line) {
  const mark = (one, index) => h("li", { key: index, class: `of-${one.kind}` }, sign(one.seat), h("span", {}, one.text), h("span", { class: "num when" }, one.when));
  return box("line", t("photo_finish_title"), timeLine(app, line), h("ul", { class: "marks" }, entries(line).map(mark)));
}

// Return a row of visible faces for each seat, under a row of pictures and other rings.
function timeLine(app, line) {
  const { frames, marks, faces, players } = line;
  const rings = (marks || []).filter((mark) => mark.kind === "also_rang");
  const last = Math.max(LATEST_MS, ...rings.map((mark) => mark.t_ms + 80));
  const x = (ms) => (Math.min(last, Math.max(EARLIEST_MS, ms)) - EARLIEST_MS) / (last - EARLIEST_MS);
  const strokes = [{ at: x(0), look: "ring-line" }, ...(frames.length ? [{ at: x(frames[decidingFrame(line)].t_ms), look: "deciding" }] : [])];
  const bar = ({ from_ms: from, until_ms: until, colour, mood }) => {
    const long = x(until === null ? last : until) - x(from);
    const came = from > EARLIEST_MS && long > ROOMY ? ` ${t("ms", { n: `${from < 0 ? "−" : "+"}${Math.abs(Math.round(from))}` })}` : null;
    return { from: x(from), to: x(from) + long, look: `face-bar ${colour ? `of-${colour} ${colour}` : "unread"} ${mood || ""}`, text: [mood ? icon(mood) : "?", came] };
  };
  const inSight = (face) => face.from_ms < last && (face.until_ms === null || face.until_ms > EARLIEST_MS);
  const lane = (name, seat) => ({ name, marks: [...strokes, ...(faces || []).filter((face) => face.seat === seat && inSight(face)).map(bar)] });
  const moments = [
    ...frames.map(({ t_ms: ms }) => ({ at: x(ms), look: "tick" })),
    ...rings.map((mark) => ({ at: x(mark.t_ms), look: "ringer", text: sign(mark.seat) })),
    ...(frames.length ? [{ at: x(frames[frameAt(app, line)].t_ms), look: "now" }] : []),
  ];
  const ticks = [-1000, 0].map((ms) => ({ at: x(ms), text: ms ? "−1 s" : "0 s" }));
  return chart({ class: "chart time-line", "aria-hidden": "true", key: "time-line" }, [{ marks: [...strokes, ...moments] }, ...(players || []).map(lane)], ticks);
}

function entries({ faces, marks, players }) {
  const name = (face) => faceWords([face.colour, face.colour && face.mood]) || t("face_unread");
  const open = (faces || []).map((face) => ({ kind: "card", seat: face.seat, t_ms: face.from_ms, text: t("face_of", { name: players[face.seat], face: name(face) }), when: duration(face.from_ms, face.until_ms) }));
  const rings = (marks || []).filter((mark) => mark.kind !== "card" && mark.text).map((mark) => Object.assign({}, mark, { when: offset(mark.t_ms) }));
  return open.concat(rings).sort((a, b) => a.t_ms - b.t_ms);
}

// Return the time in which a face was visible; both ends have one unit, s if one is over LONG_MS.
function duration(from, until) {
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
