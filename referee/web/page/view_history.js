// Draws the history: games by evening, and one game with its rounds, rulings and corrections.

import { h } from "./dom.js";
import { scoresTitle } from "./games.js";
import { backTo, box, columns, confirmed, heading, icon, note, row, shownPoints, sign, table, waitingFor } from "./parts.js";
import { rulingLink } from "./view_table.js";
import { clock, day, t } from "./words.js";

export function draw(app) {
  return app.route.id ? oneGame(app) : allGames(app);
}

function allGames(app) {
  const games = app.loaded("games", "/api/history");
  if (!games || games.fault) return [heading(t("nav_history")), waitingFor(games)];
  const evenings = new Map();
  for (const game of games.games) evenings.set(game.evening, [...(evenings.get(game.evening) || []), game]);
  const evening = ([date, played]) => box(date, day(`${date}T12:00`), h("ul", { class: "games-list lined" }, played.map((game) => h("li", { key: game.id }, gameLink(game)))));
  return [heading(t("nav_history")), games.games.length ? null : note(t("no_games_yet")), (games.faults || []).map((fault) => h("p", { class: "note bad", key: fault }, fault)), [...evenings].map(evening)];
}

function gameLink(game) {
  const winners = (game.winners || []).map((seat) => game.players[seat]);
  return h("a", { href: `#history/${game.id}` },
    h("span", { class: "num when" }, clock(game.started)),
    h("strong", {}, t(`game_${game.game}`)),
    h("span", {}, game.players.join(", ")),
    winners.length ? h("span", { class: "winner" }, icon("end"), winners.join(", ")) : h("span", { class: "when" }, t("not_finished")),
    game.fault ? h("span", { class: "note bad" }, game.fault) : null,
  );
}

function oneGame(app) {
  const game = app.loaded("game", `/api/history/${encodeURIComponent(app.route.id)}`);
  const back = backTo("#history", t("nav_history"));
  if (!game || game.fault) return [back, heading(t("nav_history")), waitingFor(game)];
  const deleted = () => {
    location.assign("#history");
    app.toasted(t("game_deleted"));
  };
  return [
    back,
    heading(`${t(`game_${game.game}`)}, ${day(`${game.evening}T12:00`, { dateStyle: "long" })}`),
    game.fault ? h("p", { class: "note bad" }, game.fault) : null,
    columns([points(game), corrections(game)], rulings(app, game)),
    row(confirmed(app, "delete", t("delete_game_sure"), t("delete_game_yes"), () => app.change("/api/system", { do: "forget_game", game: game.id }, deleted), t("delete_this_game"))),
  ];
}

function points(game) {
  const rounds = game.rounds || [];
  const one = (name, seat) => ({ head: [sign(seat), name], ahead: (game.winners || []).includes(seat), cells: [(game.points || [])[seat], ...rounds.map((round) => round.points[seat])].map(shownPoints) });
  return table(scoresTitle(game), [t("player"), t("total"), ...rounds.map((round) => t("round", { n: round.number }))], game.players.map(one));
}

function rulings(app, game) {
  const worded = (game.rulings || []).filter((one) => one.text);
  if (!worded.length) return note(t("no_ruling_yet"));
  return box("rulings", t("so_far"), h("ul", { class: "rulings lined" }, worded.map((one) => h("li", { key: one.id }, rulingLink(app, one, since(one.t_ns - worded[0].t_ns))))));
}

function since(ns) {
  const s = Math.round(ns / 1e9);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

function corrections(game) {
  const list = game.corrections || [];
  const one = ({ change: what, text, undone }) => h("li", {}, what ? h("strong", {}, what) : null, what ? " " : "", text, " ", undone ? h("span", { class: "tag" }, t("undone")) : null);
  return list.length ? box("corrections", t("corrections"), h("ul", {}, list.map(one))) : null;
}
