// Draws statistics over all evenings: wins, reaction times, false rings.

import { h } from "./dom.js";
import { heading, note, table, waitingFor } from "./parts.js";
import { day, number, t } from "./words.js";
import { bars, dots, lines } from "./chart.js";

export function draw(app) {
  const figures = app.loaded("figures", "/api/statistics");
  if (!figures || figures.fault) return [heading(t("nav_figures")), waitingFor(figures)];
  const { players, evenings } = figures;
  if (!players.length) return [heading(t("nav_figures")), note(t("no_games_yet"))];
  const fast = players.filter((one) => one.reactions_ms.length).map((one) => ({ name: one.name, values: one.reactions_ms, median: median(one.reactions_ms) }));
  const rang = players.filter((one) => one.valid + one.false > 0).map((one) => ({ name: one.name, value: one.false, of: one.valid + one.false, text: t("false_of", { n: one.false, all: one.valid + one.false }) }));
  const won = players.map((one) => ({ name: one.name, value: one.wins, of: one.games, text: t("wins_of", { n: one.wins, all: one.games }) }));
  const plot = (key, drawing) => h("figure", { class: "card-box", key }, h("figcaption", {}, h("h2", {}, t(key))), drawing);
  return [
    heading(t("nav_figures")),
    h("div", { class: "plots" }, [
      plot("fig_wins", bars(won)),
      fast.length ? plot("fig_reactions", dots(fast)) : null,
      rang.length ? plot("fig_false", bars(rang, "bad")) : null,
      evenings.length > 1 ? plot("fig_evenings", lines(series(players, evenings), evenings.map((one) => day(`${one.date}T12:00`, { day: "numeric", month: "short" })))) : null,
    ]),
    all(players),
  ];
}

// Return the cumulative wins of the first seven players by evening.
function series(players, evenings) {
  return players.slice(0, 7).map((one, index) => {
    let sum = 0;
    return { name: one.name, index, values: evenings.map((evening) => (sum += (evening.wins || {})[one.name] || 0)) };
  });
}

function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function all(players) {
  const heads = ["player", "col_games", "col_wins", "col_valid", "col_false", "col_late", "col_fastest", "col_median"];
  const row = (one) => {
    const ms = one.reactions_ms;
    const times = [Math.min, (...values) => median(values)].map((of) => (ms.length ? t("ms", { n: number(of(...ms)) }) : "–"));
    return { head: one.name, cells: [one.games, one.wins, one.valid, one.false, one.too_late].map((cell) => number(cell)).concat(times) };
  };
  return table(t("all_figures"), heads.map((head) => t(head)), players.map(row));
}
