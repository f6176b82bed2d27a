// A picture of evidence with the outlines of what was seen in it, whole or as near as what matters.

import { h } from "./dom.js";
import { button, maySee, sign, unseen } from "./parts.js";
import { zoomable } from "./zoom.js";
import { t } from "./words.js";

const ROOM = 0.25;

// `sight` is null where nothing was outlined: then the picture stands alone. `near` tells which outlines matter most,
// `strong` which of them are meant just now.
export function seen(app, picture, sight, near, strong) {
  if (!maySee(app)) return unseen(app, "picture");
  const source = `/pictures/${picture}.jpg`;
  if (!sight || !sight.outlines.length) return zoomable("picture", h("img", { src: source, alt: t("evidence_alt") }));
  const some = near ? sight.outlines.filter(near) : [];
  const close = some.length > 0 && !app.local.whole;
  const [left, top, width, height] = close ? around(sight, some) : [0, 0, sight.width, sight.height];
  return [
    zoomable(
      "picture",
      h(
        "svg",
        { class: "seen-picture", viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": t("evidence_alt") },
        h("image", { href: source, width: sight.width, height: sight.height }),
        sight.outlines.map((one, at) => outline(one, at, strong)),
        sight.outlines.filter((one) => !one.certain).map((one, at) => mark(one, at, width)),
      ),
    ),
    some.length
      ? h("div", { class: "row", key: "near" }, button(t(close ? "whole_table" : "look_closer"), () => turn(app), { class: "quiet" }))
      : null,
  ];
}

// What lay at each place, cut out of a picture large enough for a phone; `fits`: the outlines are of this picture.
export function closeUps(picture, sight, fits, nameOf) {
  if (!sight || !sight.outlines.length) return null;
  return h(
    "ul",
    { class: "close-ups", key: "close-ups" },
    sight.outlines.map((one, at) => {
      const [left, top, width, height] = around(sight, [one]);
      const size = Math.max(width, height);
      const box = [left + (width - size) / 2, top + (height - size) / 2, size, size];
      return h(
        "li",
        { key: at },
        h(
          "svg",
          { class: "close-up", viewBox: box.join(" "), "aria-hidden": "true" },
          h("image", { href: `/pictures/${picture}.jpg`, width: sight.width, height: sight.height }),
          fits ? outline(one, 0, null) : null,
        ),
        h("span", {}, sign(one.seat), nameOf(one)),
      );
    }),
  );
}

function turn(app) {
  app.local.whole = !app.local.whole;
  app.draw();
}

function outline(one, at, strong) {
  const meant = strong && strong(one);
  const dim = strong && !meant;
  return h("polygon", {
    key: `outline ${at}`,
    class: `outline ${one.certain ? "" : "unsure"} ${one.seat === null ? "" : `seat-${one.seat % 7}`} ${dim ? "dim" : ""} ${meant ? "strong" : ""}`,
    points: one.corners.map((corner) => corner.join(",")).join(" "),
  });
}

// What could not be read for certain.
function mark(one, at, width) {
  const x = one.corners.reduce((sum, corner) => sum + corner[0], 0) / one.corners.length;
  const y = one.corners.reduce((sum, corner) => sum + corner[1], 0) / one.corners.length;
  return h("text", { key: `unsure ${at}`, class: "unsure-mark", x, y: y + width / 40, "font-size": width / 16, "text-anchor": "middle" }, "?");
}

// The box round some outlines with room about it, kept within the picture.
function around(sight, some) {
  const xs = some.flatMap((one) => one.corners.map((corner) => corner[0]));
  const ys = some.flatMap((one) => one.corners.map((corner) => corner[1]));
  const grow = ROOM * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const left = Math.max(0, Math.min(...xs) - grow);
  const top = Math.max(0, Math.min(...ys) - grow);
  return [left, top, Math.min(sight.width, Math.max(...xs) + grow) - left, Math.min(sight.height, Math.max(...ys) + grow) - top];
}
