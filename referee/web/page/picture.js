// Draws a picture with outlines; corners are shares of the whole picture.

import { h } from "./dom.js";
import { button, faceWords, sign } from "./parts.js";
import { t } from "./words.js";

const WHOLE = [0, 0, 1, 1];
const NEAR_SIDE = 0.25; // of the picture's width: a name centred on an outline this near to a side would be cut
const NEAR_BOTTOM = 0.85; // of its height
const ROOM = 0.12; // of the picture, around enlarged outlines
const NEAR = 0.03; // of the picture: outlines without seat that are closer form one pile

// Return a picture. size: [width, height], if known. part: [left, top, width, height] to show.
// marks: { corners, seat, certain, look (a class), key, name, isNamed, words, tap, pressed }: an outline and its button.
export function picture({ source, alt, size, part, marks = [], look = "", key = "picture" }, ...more) {
  const view = part || WHOLE;
  const [left, top, width, height] = view;
  const ratio = size ? (size[0] * width) / (size[1] * height) : 1;
  const place = size ? { aspectRatio: String(ratio), maxWidth: `calc(var(--tall, 200vh) * ${ratio})` } : {};
  const moved = view === WHOLE ? "" : `scale(${1 / width}, ${1 / height}) translate(${-left * 100}%, ${-top * 100}%)`;
  return h("div", { class: `picture ${size ? "sized" : ""} ${look}`, key, place },
    h("img", { src: source, alt, place: { transform: moved } }),
    h("svg", { class: "outlines", viewBox: view.join(" "), preserveAspectRatio: "none", "aria-hidden": "true" }, marks.filter((one) => !one.bare).map(outline)),
    marks.filter((one) => one.corners.length && (one.tap || one.name)).map((one, at) => tag(one, at, view)),
    more,
  );
}

function outline(one, at) {
  const seat = typeof one.seat === "number" ? `seat-${one.seat % 7}` : one.look ? "" : "seatless";
  return h("polygon", { key: at, class: `outline ${one.certain === false ? "uncertain" : ""} ${seat} ${one.look || ""}`, points: one.corners.map((corner) => corner.join(",")).join(" ") });
}

// Return the button of an outline; its name is beside the outline, so that it does not hide the card.
function tag(one, at, [x0, y0, width, height]) {
  const [left, top, right, bottom] = boxOf(one.corners.map((corner) => [(corner[0] - x0) / width, (corner[1] - y0) / height]));
  const side = left + right < 2 * NEAR_SIDE ? "rightwards" : left + right > 2 - 2 * NEAR_SIDE ? "leftwards" : "";
  const middle = (from, to) => `clamp(22px, ${(from + to) * 50}%, calc(100% - 22px))`;
  const props = {
    class: `seen ${one.isNamed ? "named" : ""} ${one.within ? "middle" : `${side} ${bottom > NEAR_BOTTOM ? "upwards" : ""}`}`,
    key: one.key || `tag ${at}`,
    place: { left: middle(left, right), top: middle(top, bottom), width: `${(right - left) * 100}%`, height: `${(bottom - top) * 100}%` },
  };
  const name = one.name ? h("span", { class: "name" }, one.signed ? sign(one.seat) : null, one.name) : null;
  if (!one.tap) return h("span", Object.assign(props, { "aria-hidden": "true" }), name);
  return button(name, one.tap, Object.assign(props, { "aria-label": one.words, "aria-pressed": one.pressed === undefined ? null : String(one.pressed) }));
}

// Return the colours and mood of an outlined card in words.
export function outlineWords({ certain, label }) {
  return certain && label ? faceWords(label.split(" ")) : t("face_unread");
}

export function boxOf(corners) {
  const xs = corners.map((corner) => corner[0]);
  const ys = corners.map((corner) => corner[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

// Return the part of a picture that encloses outlines: a square if the size is given, else in the picture's shape.
export function partAround(outlines, [width, height] = [1, 1], room = (side) => side + ROOM) {
  const box = boxOf(outlines.flatMap((one) => one.corners));
  const side = Math.min(width, height, room(Math.max((box[2] - box[0]) * width, (box[3] - box[1]) * height)));
  const at = (from, to, share) => Math.min(1 - share, Math.max(0, (from + to - share) / 2));
  return [at(box[0], box[2], side / width), at(box[1], box[3], side / height), side / width, side / height];
}

export function isIn([left, top, width, height], corners) {
  const box = boxOf(corners);
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return x >= left && x <= left + width && y >= top && y <= top + height;
}

// Return outlines grouped by hand or pile: { seat, outlines, corners }. A finger needs a large target.
export function hands(outlines) {
  const groups = [];
  const touch = (a, b) => a[0] - NEAR <= b[2] && b[0] - NEAR <= a[2] && a[1] - NEAR <= b[3] && b[1] - NEAR <= a[3];
  for (const one of outlines) {
    const joined = groups.filter((group) => (one.seat !== null ? group.seat === one.seat : group.seat === null && touch(boxOf(group.corners), boxOf(one.corners))));
    joined.forEach((group) => groups.splice(groups.indexOf(group), 1));
    groups.push({ seat: one.seat, outlines: [...joined.flatMap((group) => group.outlines), one], corners: [...joined.flatMap((group) => group.corners), ...one.corners] });
  }
  return groups;
}
