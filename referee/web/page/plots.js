// Plots as drawings: bars, dots along a scale, lines over evenings. The table beside them says the same in figures.

import { h } from "./dom.js";
import { number, t } from "./words.js";

const ROW = 44;
// On a phone a drawing is as wide as the phone, so that its letters stay readable.
const WIDTH = window.innerWidth < 760 ? 330 : 600;
const LEFT = window.innerWidth < 760 ? 92 : 120;

function names(rows) {
  return rows.map((row, at) => h("text", { class: "plot-name", x: LEFT - 12, y: at * ROW + 28, "text-anchor": "end" }, short(row.name)));
}

function short(name) {
  return name.length > 9 ? `${name.slice(0, 8)}…` : name;
}

function drawing(height, label, parts) {
  return h("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label }, parts);
}

// A bar of all, and the part of it that counts.
export function bars(rows, kind) {
  const most = Math.max(1, ...rows.map((row) => row.of));
  const scale = (WIDTH - LEFT - 70) / most;
  return drawing(
    rows.length * ROW + 4,
    rows.map((row) => `${row.name}: ${row.text}`).join("; "),
    [
      names(rows),
      rows.map((row, at) => [
        h("rect", { class: "bar-all", x: LEFT, y: at * ROW + 10, width: Math.max(2, row.of * scale), height: 26, rx: 5 }),
        h("rect", { class: `bar-part ${kind || ""}`, x: LEFT, y: at * ROW + 10, width: row.value * scale, height: 26, rx: 5 }),
        h("text", { class: "plot-value", x: LEFT + Math.max(2, row.of * scale) + 10, y: at * ROW + 29 }, `${row.value}/${row.of}`),
      ]),
    ],
  );
}

// One dot a ring, and a stroke at the middle one.
export function dots(rows) {
  const most = Math.max(...rows.map((row) => Math.max(...row.values)));
  const step = [100, 200, 250, 500, 1000, 2000, 5000].find((size) => most / size <= (WIDTH < 400 ? 3 : 5)) || 10000;
  const end = Math.max(step, Math.ceil(most / step) * step);
  const x = (ms) => LEFT + ((WIDTH - LEFT - 30) * ms) / end;
  const height = rows.length * ROW + 36;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_none, at) => at * step);
  return drawing(
    height,
    rows.map((row) => `${row.name}: ${t("ms", { n: number(row.median) })}`).join("; "),
    [
      ticks.map((ms) => [
        h("line", { class: "grid", x1: x(ms), x2: x(ms), y1: 6, y2: height - 28 }),
        h("text", { class: "plot-tick", x: x(ms), y: height - 8, "text-anchor": "middle" }, `${number(ms / 1000, 2)} s`),
      ]),
      names(rows),
      rows.map((row, at) => [
        row.values.slice(-200).map((ms) => h("circle", { class: "plot-dot", cx: x(ms), cy: at * ROW + 23, r: 7 })),
        h("line", { class: "plot-median", x1: x(row.median), x2: x(row.median), y1: at * ROW + 6, y2: at * ROW + 40 }),
      ]),
    ],
  );
}

export function lines(rows, labels) {
  const height = 280;
  const most = Math.max(1, ...rows.map((row) => Math.max(...row.values)));
  const x = (at) => 40 + ((WIDTH - LEFT - 60) * at) / Math.max(1, labels.length - 1);
  const y = (value) => height - 40 - ((height - 70) * value) / most;
  const few = Math.ceil(labels.length / (WIDTH < 400 ? 3 : 6));
  const ends = spread(rows.map((row) => y(row.values[row.values.length - 1])));
  return drawing(
    height,
    rows.map((row) => `${row.name}: ${row.values[row.values.length - 1]}`).join("; "),
    [
      [0, most].map((value) => [
        h("line", { class: "grid", x1: 40, x2: x(labels.length - 1), y1: y(value), y2: y(value) }),
        h("text", { class: "plot-tick", x: 30, y: y(value) + 5, "text-anchor": "end" }, String(value)),
      ]),
      labels.map((label, at) => (at % few ? null : h("text", { class: "plot-tick", x: x(at), y: height - 12, "text-anchor": "middle" }, label))),
      rows.map((row, at) => [
        h("polyline", { class: `plot-line seat-${row.index}`, points: row.values.map((value, evening) => `${x(evening)},${y(value)}`).join(" ") }),
        h("text", { class: "plot-name", x: x(labels.length - 1) + 12, y: ends[at] + 5 }, `${short(row.name)} ${row.values[row.values.length - 1]}`),
      ]),
    ],
  );
}

// Labels at the lines' ends are kept apart, in the order of the lines.
function spread(places) {
  const order = places.map((_place, at) => at).sort((a, b) => places[a] - places[b]);
  const kept = places.slice();
  order.forEach((at, rank) => {
    if (rank) kept[at] = Math.max(kept[at], kept[order[rank - 1]] + 22);
  });
  return kept;
}
