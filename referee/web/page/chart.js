// Draws charts: rows of marks along a scale, and lines over evenings; each has a text for screen readers.

import { h } from "./dom.js";
import { sign } from "./parts.js";
import { number, t } from "./words.js";

// Return a chart. rows: { name, marks, text }; marks: { at | from, to (shares), look, text }; ticks: { at, text }.
export function chart(props, rows, ticks = []) {
  const one = ({ at, from = at, to, look, text }, key) => h("span", { class: look, key, place: { left: `${100 * from}%`, width: to === undefined ? "" : `${100 * (to - from)}%` } }, text);
  const grid = ticks.map(({ at }) => ({ at, look: "grid" }));
  const line = ({ name, marks, text }, key) => [h("span", { class: "plot-name", key: `name ${key}` }, name), h("div", { class: "lane", key }, [...grid, ...marks].map(one)), h("span", { class: "plot-value num", key: `value ${key}` }, text)];
  return h("div", Object.assign({ class: "chart" }, props), rows.map(line), ticks.length ? scale(ticks) : null);
}

function scale(ticks) {
  return h("div", { class: "lane scale", key: "scale" }, ticks.map(({ at, text }) => h("span", { class: "plot-tick", key: at, place: { left: `${100 * at}%`, transform: `translateX(${-100 * at}%)` } }, text)));
}

function said(rows, words) {
  return { role: "img", "aria-label": rows.map((row) => `${row.name}: ${words(row)}`).join("; ") };
}

// Return a chart of bars; rows: { name, value, of, text }.
export function bars(rows, kind = "") {
  const most = Math.max(1, ...rows.map((row) => row.of));
  const marks = ({ value, of }) => [{ from: 0, to: of / most, look: "bar-all" }, { from: 0, to: value / most, look: `bar-part ${kind}` }];
  return chart(said(rows, (row) => row.text), rows.map((row) => ({ name: row.name, marks: marks(row), text: `${row.value}/${row.of}` })));
}

// Return a chart of reaction times: a dot for each, a stroke at the median.
export function dots(rows) {
  const most = Math.max(...rows.flatMap((row) => row.values));
  const step = [100, 200, 250, 500, 1000, 2000, 5000].find((size) => most / size <= 3) || 10_000;
  const end = step * Math.max(1, Math.ceil(most / step));
  const marks = ({ values, median }) => [...values.slice(-200).map((ms) => ({ at: ms / end, look: "plot-dot" })), { at: median / end, look: "plot-median" }];
  const ticks = Array.from({ length: end / step + 1 }, (_none, at) => ({ at: (at * step) / end, text: `${number((at * step) / 1000, 2)} s` }));
  return chart(said(rows, (row) => t("ms", { n: number(row.median) })), rows.map((row) => ({ name: row.name, marks: marks(row) })), ticks);
}

// Return a line chart; rows: { name, index (of the seat's colour), values }, one value for each label.
export function lines(rows, labels) {
  const most = Math.max(1, ...rows.flatMap((row) => row.values));
  const last = labels.length - 1;
  const few = Math.ceil(labels.length / 4);
  const points = ({ values }) => values.map((value, at) => `${(100 * at) / last},${100 - (100 * value) / most}`).join(" ");
  const sum = ({ values }) => values[last];
  return [
    h("svg", Object.assign({ class: "plot-lines", viewBox: "0 0 100 100", preserveAspectRatio: "none" }, said(rows, sum)), rows.map((row) => h("polyline", { class: `plot-line seat-${row.index}`, points: points(row) }))),
    scale(labels.map((text, at) => ({ at: at / last, text })).filter((_tick, at) => at % few === 0)),
    h("ul", { class: "row" }, rows.map((row) => h("li", { key: row.name }, sign(row.index), ` ${row.name} `, h("strong", { class: "num" }, sum(row))))),
  ];
}
