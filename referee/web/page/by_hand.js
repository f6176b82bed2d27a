// Games that nothing watches are told by hand: whose turn, which card, which row.

import { h } from "./dom.js";
import { colour, nameOf, sign } from "./parts.js";
import { t } from "./words.js";

const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "brown"];

export function byHand(app) {
  const { game, mode } = app.state;
  if (!game || mode !== "playing") return null;
  if (game.game === "coloretto") return coloretto(app);
  if (game.game === "piccolino") return bells(app);
  return null;
}

// A ring told by hand, for a table whose bell is not wired yet.
function bells(app) {
  return h(
    "details",
    { class: "card-box", key: "by-hand" },
    h("summary", {}, t("by_hand_ring")),
    h(
      "div",
      { class: "row" },
      app.state.board.map((place) =>
        h("button", { type: "button", key: place.seat, onclick: () => tell(app, { event: "bell", seat: place.seat }) }, sign(place.seat), place.name),
      ),
    ),
  );
}

function tell(app, event) {
  app.run({ do: "event", event });
}

function coloretto(app) {
  const { local, state } = app;
  const rows = state.board.length === 2 ? 3 : state.board.length;
  const turn = (state.phase || {}).turn;
  const seat = local.seat === undefined ? (turn === null || turn === undefined ? 0 : turn) : local.seat;
  const card = local.card || "red";
  const choose = (part) => {
    Object.assign(local, part);
    app.draw();
  };
  const play = (event) => {
    local.seat = undefined;
    tell(app, event);
  };
  const numbers = Array.from({ length: rows }, (_none, row) => row);
  return h(
    "section",
    { class: "card-box", key: "by-hand", "aria-labelledby": "by-hand-title" },
    h("h2", { id: "by-hand-title" }, t("by_hand")),
    h(
      "div",
      { class: "row choices", role: "group", "aria-label": t("by_hand_who") },
      state.board.map((place) =>
        h("button", { type: "button", key: place.seat, "aria-pressed": String(place.seat === seat), onclick: () => choose({ seat: place.seat }) }, sign(place.seat), nameOf(app, place.seat)),
      ),
    ),
    h(
      "div",
      { class: "row choices", role: "group", "aria-label": t("by_hand_card") },
      COLOURS.concat(["+2", "joker"]).map((name) =>
        h(
          "button",
          { type: "button", key: name, "aria-pressed": String(card === name), onclick: () => choose({ card: name }) },
          COLOURS.includes(name) ? h("span", { class: `swatch ${name}`, "aria-hidden": "true" }) : null,
          name === "+2" ? "+2" : name === "joker" ? t("joker") : colour(name),
        ),
      ),
    ),
    h(
      "div",
      { class: "rows" },
      numbers.map((row) => [
        h("button", { type: "button", class: "main", key: `put ${row}`, onclick: () => play({ event: "card_placed", seat, row, card }) }, t("put_in_row", { n: row + 1 })),
        h("button", { type: "button", key: `take ${row}`, onclick: () => play({ event: "row_taken", seat, row }) }, t("take_row", { n: row + 1 })),
      ]),
    ),
    h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: () => tell(app, { event: "last_round" }) }, t("last_round"))),
  );
}
