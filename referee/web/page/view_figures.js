// Figures over all evenings, as plots: wins, how fast people ring, false rings.

import { h } from "./dom.js";
import { heading, waitingFor } from "./parts.js";
import { day, number, t } from "./words.js";
import { bars, dots, lines } from "./plots.js";

export function opened(app) {
  app.load("figures", "/api/statistics");
}

export function draw(app) {
  const { figures } = app.local;
  if (!figures || figures.fault) return [heading(t("nav_figures")), waitingFor(figures)];
  const { players, evenings } = figures;
  if (!players.length) return [heading(t("nav_figures")), h("p", { class: "note" }, t("no_games_yet"))];
  const fast = players.filter((one) => one.reactions_ms.length);
  const rang = players.filter((one) => one.valid + one.false > 0);
  return [
    heading(t("nav_figures")),
    h("div", { class: "plots" }, [
      plot("wins", t("fig_wins"), bars(players.map((one) => ({ name: one.name, value: one.wins, of: one.games, text: t("wins_of", { n: one.wins, all: one.games }) })))),
      fast.length ? plot("reactions", t("fig_reactions"), dots(fast.map((one) => ({ name: one.name, values: one.reactions_ms, median: median(one.reactions_ms) })))) : null,
      rang.length ? plot("false", t("fig_false"), bars(rang.map((one) => ({ name: one.name, value: one.false, of: one.valid + one.false, text: t("false_of", { n: one.false, all: one.valid + one.false }) })), "bad")) : null,
      evenings.length > 1 ? plot("evenings", t("fig_evenings"), lines(series(players, evenings), evenings.map((one) => day(`${one.date}T12:00`, { day: "numeric", month: "short" })))) : null,
    ]),
    table(players),
  ];
}

function plot(name, title, drawing) {
  return h("figure", { class: "card-box", key: name }, h("figcaption", {}, h("h2", {}, title)), drawing);
}

// Wins added up from evening to evening, for those who won most.
function series(players, evenings) {
  return players.slice(0, 7).map((one, index) => {
    let sum = 0;
    return {
      name: one.name,
      index,
      values: evenings.map((evening) => {
        sum += (evening.wins || {})[one.name] || 0;
        return sum;
      }),
    };
  });
}

export function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function table(players) {
  const heads = ["player", "col_games", "col_wins", "col_valid", "col_false", "col_late", "col_fastest", "col_median"];
  return h(
    "div",
    { class: "card-box scroll", tabindex: "0", role: "region", "aria-label": t("all_figures") },
    h(
      "table",
      {},
      h("caption", {}, t("all_figures")),
      h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at ? "num" : null }, t(head))))),
      h(
        "tbody",
        {},
        players.map((one) => {
          const ms = one.reactions_ms;
          const cells = [one.games, one.wins, one.valid, one.false, one.too_late];
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, one.name),
            cells.map((cell) => h("td", { class: "num" }, number(cell))),
            h("td", { class: "num" }, ms.length ? t("ms", { n: number(Math.min(...ms)) }) : "–"),
            h("td", { class: "num" }, ms.length ? t("ms", { n: number(median(ms)) }) : "–"),
          );
        }),
      ),
    ),
  );
}
