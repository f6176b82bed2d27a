// The line of time round a ring, in milliseconds: a row a seat with the faces that lay open, the pictures, the rings.

import { h } from "./dom.js";
import { t } from "./words.js";

const ROW = 40;
const HEAD = 26;
const FOOT = 30;
const RIGHT = 12;
const EARLIEST_MS = -1500;
const LATEST_MS = 400;

// On a phone the drawing is as wide as the phone, so that its letters stay readable.
function widths() {
  return window.innerWidth < 760 ? { width: 340, left: 84, letters: 7 } : { width: 720, left: 120, letters: 12 };
}

// now: the picture that is being looked at, deciding: the one that the ring was judged on, ms from the ring, or null.
export function timeLine({ frames, marks, faces, players }, now, deciding) {
  const { width, left, letters } = widths();
  const rings = (marks || []).filter((mark) => mark.kind === "also_rang");
  const last = Math.max(LATEST_MS, ...rings.map((mark) => mark.t_ms + 80));
  const x = (ms) => left + ((width - left - RIGHT) * (Math.min(last, Math.max(EARLIEST_MS, ms)) - EARLIEST_MS)) / (last - EARLIEST_MS);
  const names = players || [];
  const bottom = HEAD + names.length * ROW;
  return h(
    "svg",
    { class: "time-line", viewBox: `0 0 ${width} ${bottom + FOOT}`, "aria-hidden": "true", key: "time-line" },
    frames.map((frame, at) => h("line", { class: "tick", key: `f${at}`, x1: x(frame.t_ms), x2: x(frame.t_ms), y1: HEAD - 12, y2: HEAD - 2 })),
    deciding === null ? null : h("line", { class: "deciding", key: "deciding", x1: x(deciding), x2: x(deciding), y1: HEAD - 14, y2: bottom }),
    names.map((name, seat) => row(name, seat, (faces || []).filter((face) => face.seat === seat), { x, width, left, letters, last })),
    rings.map((mark, at) => h("circle", { class: `dot of-also_rang ${mark.seat === null ? "" : `seat-${mark.seat % 7}`}`, key: `r${at}`, cx: x(mark.t_ms), cy: HEAD - 7, r: 6 })),
    h("line", { class: "ring-line", key: "ring", x1: x(0), x2: x(0), y1: 4, y2: bottom }),
    scale(last).map((ms) => h("text", { class: "plot-tick", key: `s${ms}`, x: x(ms), y: bottom + 20, "text-anchor": "middle" }, ms === 0 ? "0" : `${ms < 0 ? "−" : "+"}${Math.abs(ms)}`)),
    h("text", { class: "plot-tick", key: "unit", x: 4, y: bottom + 20 }, "ms"),
    now === null ? null : h("path", { class: "now", key: "now", d: `M${x(now) - 7} 1h14l-7 11z` }),
  );
}

function scale(last) {
  const step = window.innerWidth < 760 ? 500 : 250;
  const marks = [];
  for (let ms = EARLIEST_MS; ms <= last; ms += step) marks.push(ms);
  return marks;
}

function row(name, seat, faces, { x, width, left, letters, last }) {
  const top = HEAD + seat * ROW;
  return [
    h("text", { class: "plot-name", key: `name ${seat}`, x: left - 8, y: top + 26, "text-anchor": "end" }, name.length > letters ? `${name.slice(0, letters - 1)}…` : name),
    h("line", { class: "grid", key: `grid ${seat}`, x1: left, x2: width - RIGHT, y1: top + ROW - 2, y2: top + ROW - 2 }),
    faces.filter((face) => face.from_ms < last && (face.until_ms === null || face.until_ms > EARLIEST_MS)).map((face, at) => bar(face, `${seat} ${at}`, top, x, last)),
  ];
}

// A face: its colour, its mood, and when it came into sight, where there is room to say so.
function bar(face, key, top, x, last) {
  const [from, until] = [x(face.from_ms), x(face.until_ms === null ? last : face.until_ms)];
  const long = Math.max(2, until - from);
  const came = face.from_ms > EARLIEST_MS;
  return [
    h("rect", { class: `face-bar ${face.colour ? `of-${face.colour} ${face.colour}` : "unread"} ${face.mood || ""}`, key: `bar ${key}`, x: from, y: top + 6, width: long, height: ROW - 14, rx: 4 }),
    long > 30 ? smile(face, key, from + 14, top + ROW / 2 - 1) : null,
    came && long > 92 ? h("text", { class: "face-when", key: `when ${key}`, x: from + 28, y: top + 25 }, t("ms", { n: `${face.from_ms < 0 ? "−" : "+"}${Math.abs(Math.round(face.from_ms))}` })) : null,
  ];
}

function smile(face, key, x, y) {
  if (!face.mood) return h("text", { class: "face-when", key: `mood ${key}`, x: x - 4, y: y + 6 }, "?");
  const mouth = face.mood === "happy" ? `M${x - 5} ${y + 1}q5 6 10 0` : `M${x - 5} ${y + 5}q5 -6 10 0`;
  return h("g", { class: "smile", key: `mood ${key}` }, [
    h("circle", { cx: x, cy: y, r: 9.5 }),
    h("circle", { class: "dot", cx: x - 3.5, cy: y - 2.5, r: 1.4 }),
    h("circle", { class: "dot", cx: x + 3.5, cy: y - 2.5, r: 1.4 }),
    h("path", { d: mouth }),
  ]);
}
