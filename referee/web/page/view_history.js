// What has been played: games by evening, and one game with its rounds, rulings and corrections.

import { h } from "./dom.js";
import { scoresTitle } from "./games.js";
import { button, heading, icon, shownPoints, sign, waitingFor } from "./parts.js";
import { rulingLink } from "./view_table.js";
import { change } from "./server.js";
import { ask, sure } from "./view_system.js";
import { clock, day, t } from "./words.js";

export function opened(app) {
  if (app.route.id) app.load("game", `/api/history/${encodeURIComponent(app.route.id)}`);
  else app.load("games", "/api/history");
}

export function draw(app) {
  return app.route.id ? oneGame(app) : allGames(app);
}

function allGames(app) {
  const { games } = app.local;
  if (!games || games.fault) return [heading(t("nav_history")), waitingFor(games)];
  const evenings = new Map();
  for (const game of games.games) evenings.set(game.evening, (evenings.get(game.evening) || []).concat([game]));
  return [
    heading(t("nav_history")),
    games.games.length ? null : h("p", { class: "note" }, t("no_games_yet")),
    (games.faults || []).map((fault) => h("p", { class: "note bad", key: fault }, fault)),
    [...evenings].map(([date, played]) =>
      h(
        "section",
        { class: "card-box", key: date },
        h("h2", {}, day(`${date}T12:00`)),
        h("ul", { class: "games-list" }, played.map((game) => h("li", { key: game.id }, gameLink(game)))),
      ),
    ),
  ];
}

function gameLink(game) {
  const winners = (game.winners || []).map((seat) => game.players[seat]);
  return h(
    "a",
    { href: `#history/${game.id}` },
    h("span", { class: "num when" }, clock(game.started)),
    h("strong", {}, t(`game_${game.game}`)),
    h("span", {}, game.players.join(", ")),
    winners.length ? h("span", { class: "winner" }, icon("end"), winners.join(", ")) : h("span", { class: "when" }, t("not_finished")),
    game.fault ? h("span", { class: "note bad" }, game.fault) : null,
  );
}

function oneGame(app) {
  const { game } = app.local;
  const back = h("p", { class: "back", key: "back" }, h("a", { href: "#history" }, icon("back"), t("nav_history")));
  if (!game || game.fault) return [back, heading(t("nav_history")), waitingFor(game)];
  return [
    back,
    heading(`${t(`game_${game.game}`)}, ${day(`${game.evening}T12:00`, { dateStyle: "long" })}`),
    game.fault ? h("p", { class: "note bad" }, game.fault) : null,
    h("div", { class: "columns" }, h("div", { class: "column" }, points(game), corrections(game)), h("div", { class: "column wide" }, rulings(app, game))),
    deletion(app, game),
  ];
}

// A tap asks, another one deletes.
function deletion(app, game) {
  const doIt = () =>
    app.run(
      () => change("/api/system", { do: "forget_game", game: game.id }),
      () => {
        app.go("history");
        app.toasted(t("game_deleted"));
      },
    );
  return app.local.asked === "delete"
    ? sure(app, t("delete_game_sure"), t("delete_game_yes"), doIt)
    : h("div", { class: "row", key: "delete" }, button(t("delete_this_game"), () => ask(app, "delete"), { class: "quiet" }));
}

function points(game) {
  const rounds = game.rounds || [];
  return h(
    "div",
    { class: "card-box scroll", tabindex: "0", role: "region", "aria-label": scoresTitle(game) },
    h(
      "table",
      {},
      h("caption", {}, scoresTitle(game)),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("player")), h("th", { scope: "col", class: "num" }, t("total")), rounds.map((round) => h("th", { scope: "col", class: "num" }, t("round", { n: round.number }))))),
      h(
        "tbody",
        {},
        game.players.map((name, seat) =>
          h(
            "tr",
            { class: (game.winners || []).includes(seat) ? "ahead" : null },
            h("th", { scope: "row" }, sign(seat), name),
            h("td", { class: "num" }, shownPoints((game.points || [])[seat])),
            rounds.map((round) => h("td", { class: "num" }, shownPoints(round.points[seat]))),
          ),
        ),
      ),
    ),
  );
}

function rulings(app, game) {
  const worded = (game.rulings || []).filter((one) => one.text);
  if (!worded.length) return h("p", { class: "note" }, t("no_ruling_yet"));
  const first = worded[0].t_ns;
  return h(
    "section",
    { class: "card-box", "aria-labelledby": "rulings-title" },
    h("h2", { id: "rulings-title" }, t("so_far")),
    h("ul", { class: "rulings" }, worded.map((one) => h("li", { key: one.id }, rulingLink(app, one, since(one.t_ns - first))))),
  );
}

function since(ns) {
  const s = Math.round(ns / 1e9);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

function corrections(game) {
  const list = game.corrections || [];
  if (!list.length) return null;
  return h(
    "section",
    { class: "card-box", "aria-labelledby": "corrections-title" },
    h("h2", { id: "corrections-title" }, t("corrections")),
    h("ul", {}, list.map((one) => h("li", {}, one.change ? h("strong", {}, one.change) : null, one.change ? " " : "", one.text, " ", one.undone ? h("span", { class: "tag" }, t("undone")) : null))),
  );
}
