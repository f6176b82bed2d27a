// Games that nothing watches are told by hand: whose turn, which card, which row.

import { h } from "./dom.js";
import { colour, nameOf, sign } from "./parts.js";
import { cardsOf } from "./readings.js";
import { t } from "./words.js";

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "brown"];

export function byHand(app) {
  const { game, mode } = app.state;
  if (!game || mode !== "playing") return null;
  if (game.game === "coloretto") return coloretto(app);
  if (game.game === "piccolino") return bells(app);
  return null;
}

// A ring told by hand, for a table whose bell is not wired yet.
function bells(app) {
  return [
    h("a", { class: "button big as-bell", key: "as-bell", href: "#bell" }, t("nav_bell")),
    toldRing(app),
  ];
}

function toldRing(app) {
  return h(
    "details",
    { class: "card-box", key: "by-hand" },
    h("summary", {}, t("by_hand_ring")),
    h(
      "div",
      { class: "row" },
      app.state.board.map((place) =>
        h("button", { type: "button", key: place.seat, onclick: () => app.run({ do: "event", event: { event: "bell", seat: place.seat } }) }, sign(place.seat), place.name),
      ),
    ),
  );
}

// Hands that the camera has not seen: each is told card by card, or that there is none.
export function untoldHands(app, question) {
  return question.seats.map((seat) => {
    const key = `hand ${question.id} ${seat}`;
    const cards = app.local[key] || [];
    const tell = () => app.runTimely({ do: "event", event: { event: "hand", seat, cards } });
    const change = (list) => {
      app.local[key] = list;
      app.draw();
    };
    return h(
      "div",
      { class: "reading", key, role: "group", "aria-label": nameOf(app, seat) },
      h("h3", {}, sign(seat), nameOf(app, seat)),
      cardsOf(app, { event: key }, cards, change),
      h("button", { type: "button", class: "big", onclick: tell }, cards.length ? t("hand_is_all") : t("hand_is_none")),
    );
  });
}

function coloretto(app) {
  const { local, state } = app;
  const { turn, rows, rooms, last, told } = state.phase;
  const seat = local.seat === undefined ? (turn === null || turn === undefined ? 0 : turn) : local.seat;
  const card = local.card || "red";
  const choose = (part) => {
    Object.assign(local, part);
    app.draw();
  };
  const play = (event) => {
    local.seat = undefined;
    app.runTimely({ do: "event", event });
  };
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
          swatch(name),
          cardName(name),
        ),
      ),
    ),
    h(
      "div",
      { class: "rows" },
      rows.map((cards, row) => [
        lying(cards, row),
        h("button", { type: "button", class: "main", key: `put ${row}`, disabled: !cards || cards.length >= rooms[row], onclick: () => play({ event: "card_placed", seat, row, card }) }, t("put_in_row", { n: row + 1 })),
        h("button", { type: "button", key: `take ${row}`, disabled: !cards || !cards.length, onclick: () => play({ event: "row_taken", seat, row }) }, t("take_row", { n: row + 1 })),
      ]),
    ),
    h(
      "div",
      { class: "row" },
      last ? h("p", {}, t("last_round_runs")) : h("button", { type: "button", class: "quiet", onclick: () => app.runTimely({ do: "event", event: { event: "last_round" } }) }, t("last_round")),
      told ? h("button", { type: "button", key: "back", onclick: () => app.runTimely({ do: "correct", event: told, with: null }) }, t("take_back")) : null,
    ),
  );
}

// What was told to lie in a row, to be compared with the table.
function lying(cards, row) {
  const key = `lying ${row}`;
  if (!cards) return h("p", { class: "lying", key }, t("row_gone", { n: row + 1 }));
  if (!cards.length) return h("p", { class: "lying", key }, t("row_empty", { n: row + 1 }));
  return h("p", { class: "lying", key }, cards.map(swatch), t("row_holds", { n: row + 1, cards: cards.map(cardName).join(", ") }));
}

function swatch(name) {
  return COLOURS.includes(name) ? h("span", { class: `swatch ${name}`, "aria-hidden": "true" }) : null;
}

function cardName(name) {
  return name === "+2" ? "+2" : name === "joker" ? t("joker") : colour(name);
}
