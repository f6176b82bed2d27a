// The photo-finish: pictures round the ring, and the line of time that they and everything else lie on.

import { h } from "./dom.js";
import { button, nameOf, sign } from "./parts.js";
import { number, t } from "./words.js";

export function photoFinish(app, timeline) {
  const { frames, marks } = timeline;
  // The picture that decided is the last one before the ring.
  const deciding = Math.max(0, frames.filter((frame) => frame.t_ms <= 0).length - 1);
  const at = app.local.frame === undefined ? deciding : Math.min(app.local.frame, frames.length - 1);
  const go = (to) => {
    app.local.frame = to;
    app.draw();
  };
  const say = at === deciding ? t("deciding_picture") : "";
  return h(
    "figure",
    { class: "evidence", key: "photo-finish" },
    h("img", { src: `/pictures/${frames[at].picture}.jpg`, alt: t("evidence_alt") }),
    h("figcaption", { role: "status" }, h("strong", { class: "num" }, moment(frames[at].t_ms)), " ", say),
    h("input", {
      type: "range",
      min: 0,
      max: frames.length - 1,
      step: 1,
      value: String(at),
      "aria-label": t("photo_finish"),
      "aria-valuetext": moment(frames[at].t_ms),
      oninput: (event) => go(Number(event.target.value)),
    }),
    line(timeline, frames[at].t_ms),
    h(
      "div",
      { class: "row between" },
      button("−1", () => go(Math.max(0, at - 1)), { "aria-label": t("picture_before"), disabled: at === 0 }),
      button(t("deciding_picture"), () => go(deciding)),
      button("+1", () => go(Math.min(frames.length - 1, at + 1)), { "aria-label": t("picture_after"), disabled: at === frames.length - 1 }),
    ),
    h("ul", { class: "marks" }, told(app, marks || []).map((mark, index) => h("li", { key: index, class: `of-${mark.kind || "frame"}` }, sign(mark.seat), h("span", {}, mark.text), h("span", { class: "num when" }, offset(mark.t_ms))))),
  );
}

function offset(ms) {
  const rounded = Math.round(ms);
  return rounded === 0 ? t("at_the_ring") : `${rounded < 0 ? "−" : "+"}${number(Math.abs(rounded))} ms`;
}

// Cards and pictures need no words of the referee's.
function told(app, marks) {
  return marks
    .map((mark) => Object.assign({}, mark, { text: mark.text || (mark.kind === "card" ? t("mark_card", { name: nameOf(app, mark.seat) }) : "") }))
    .filter((mark) => mark.text);
}

function moment(ms) {
  const rounded = Math.round(ms);
  if (rounded === 0) return t("at_the_ring");
  return t(rounded < 0 ? "ms_before" : "ms_after", { n: number(Math.abs(rounded)) });
}

function line(timeline, now) {
  const all = timeline.frames.concat(timeline.marks || []).map((one) => one.t_ms).concat([0]);
  const from = Math.min(...all);
  const span = Math.max(1, Math.max(...all) - from);
  const x = (ms) => 12 + (976 * (ms - from)) / span;
  return h(
    "svg",
    { class: "time-line", viewBox: "0 0 1000 90", "aria-hidden": "true" },
    h("line", { class: "axis", x1: 12, x2: 988, y1: 60, y2: 60 }),
    timeline.frames.map((frame, index) => h("line", { class: "tick", key: `f${index}`, x1: x(frame.t_ms), x2: x(frame.t_ms), y1: 48, y2: 72 })),
    (timeline.marks || []).map((mark, index) =>
      h("circle", { class: `dot of-${mark.kind || "frame"} ${mark.seat === null || mark.seat === undefined ? "" : `seat-${mark.seat % 7}`}`, key: `m${index}`, cx: x(mark.t_ms), cy: 30, r: 9 }),
    ),
    h("line", { class: "ring-line", x1: x(0), x2: x(0), y1: 6, y2: 84 }),
    h("path", { class: "now", d: `M${x(now) - 10} 88h20l-10-14z` }),
  );
}
