// Our own drawings: three circles, a clown and a crab for the games, and the table for each step of setting it up.

import { h } from "./dom.js";

const shape = (tag, fill, props) => h(tag, Object.assign({ fill }, props));
const circle = (fill, cx, cy, r) => shape("circle", fill, { cx, cy, r });
const line = (stroke, d, width = 3) => h("path", { d, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" });

const rect = (fill, x, y, width, height, rx = 2) => shape("rect", fill, { x, y, width, height, rx });
const WOOD = "#a9794a";
const LIT = "#f6d51f";
// The table from above, and from the side.
const above = () => rect(WOOD, 10, 14, 44, 36, 4);
const beside = () => [rect(WOOD, 6, 46, 52, 5), rect(WOOD, 12, 51, 4, 11, 0), rect(WOOD, 48, 51, 4, 11, 0)];
const cards = (...places) => places.map(([x, y, ink]) => [rect("#fffdf8", x, y, 9, 13, 1.5), circle(ink, x + 4.5, y + 6.5, 2.6)]);

const ART = {
  camera: () => [beside(), rect("currentColor", 23, 8, 18, 12, 3), circle("var(--box)", 32, 14, 3.5), line("#66b8ea", "M27 21L12 44M37 21l15 23", 2)],
  table: () => [above(), [[10, 14], [45, 14], [45, 41], [10, 41]].map(([x, y]) => [rect("#fff", x, y, 9, 9, 1), rect("#1f2430", x + 2, y + 2, 5, 5, 0)])],
  seats: () => [above(), circle("var(--seat-0)", 32, 57, 6), circle("var(--seat-1)", 6, 30, 6), circle("var(--seat-2)", 58, 30, 6)],
  light: () => [beside(), shape("path", "currentColor", { d: "M22 16L28 6h8l6 10z" }), circle(LIT, 32, 18, 4), line(LIT, "M22 24l-6 14M32 26v12M42 24l6 14", 2.5)],
  bell: () => [beside(), shape("path", "#f08a1d", { d: "M18 40a14 14 0 0 1 28 0z" }), circle("#d32432", 32, 24, 4), rect("currentColor", 15, 40, 34, 5)],
  sandtimer: () => [beside(), shape("path", "#bcd3e0", { d: "M22 10h20L33 27l9 17H22l9-17z" }), shape("path", LIT, { d: "M27 16h10l-5 9zM25 42l7-9 7 9z" }), line("currentColor", "M20 9h24M20 45h24")],
  lamp: () => [beside(), circle("#2c9a4b", 22, 36, 8), rect("currentColor", 36, 20, 16, 25, 3), circle("var(--box)", 44, 35, 5), circle("var(--box)", 44, 25, 2.5)],
  deck: () => [above(), cards([15, 19, "#d32432"], [28, 19, "#2166c4"], [41, 19, LIT], [21, 34, "#2c9a4b"], [34, 34, "#7d3fa8"])],
  check: () => [above(), cards([16, 26, "#d32432"], [40, 26, "#2166c4"]), line("#2c9a4b", "M24 34l7 7 12-16", 5)],
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

export function drawing(name) {
  return ART[name] ? h("svg", { class: "art", viewBox: "0 0 64 64", "aria-hidden": "true" }, ART[name]()) : null;
}
