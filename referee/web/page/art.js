// The games' own art: a clown, a crab between two rows, three circles.

import { h } from "./dom.js";

const shape = (tag, fill, props) => h(tag, Object.assign({ fill }, props));
const circle = (fill, cx, cy, r) => shape("circle", fill, { cx, cy, r });
const line = (stroke, d, width = 3) => h("path", { d, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" });

const ART = {
  confetti: () => [circle("#d32432", 22, 42, 16), circle("#2166c4", 45, 26, 11), circle("#f6d51f", 25, 14, 7)],
  piccolino: () => [
    shape("path", "#2166c4", { d: "M32 2l11 18H21z" }),
    circle("#f08a1d", 13, 30, 9),
    circle("#f08a1d", 51, 30, 9),
    circle("#ffe3c2", 32, 37, 20),
    circle("#1f2430", 25, 32, 2.6),
    circle("#1f2430", 39, 32, 2.6),
    circle("#d32432", 32, 39, 5),
    line("#7a1f3d", "M22 46q10 9 20 0"),
    circle("#f6d51f", 32, 3, 3),
  ],
  coloretto: () => [
    line("#d32432", "M16 40L6 48M18 45l-7 11M48 40l10 8M46 45l7 11"),
    line("#d32432", "M18 32Q8 28 9 17M46 32q10-4 9-15", 4),
    circle("#d32432", 9, 13, 7),
    circle("#d32432", 55, 13, 7),
    shape("path", "var(--box)", { d: "M9 13L5 3h8zM55 13L51 3h8z" }),
    shape("ellipse", "#d32432", { cx: 32, cy: 39, rx: 19, ry: 14 }),
    circle("#fff", 26, 28, 5),
    circle("#fff", 38, 28, 5),
    circle("#1f2430", 27, 28, 2.2),
    circle("#1f2430", 37, 28, 2.2),
    line("#fff", "M25 43q7 5 14 0", 2.5),
  ],
};

export function gameArt(game) {
  return ART[game] ? h("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, ART[game]()) : null;
}
