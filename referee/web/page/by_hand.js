// Games that nothing watches are told by hand: whose turn, which card, which row.

import { h } from "./dom.js";
import { cardDrawn, cardName, rowDrawn } from "./coloretto.js";
import { nameOf, sign } from "./parts.js";
import { cardsOf } from "./readings.js";
import { t } from "./words.js";

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "pink"];

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

// A card is chosen and then its row: two taps; a row is taken by one. Where only one row has room, the card goes there.
function coloretto(app) {
  const { local, state } = app;
  const { turn, rows, rooms, last, told, taken, colours } = state.phase;
  const seat = local.seat === undefined ? turn : local.seat;
  const card = local.card;
  const open = rows.flatMap((cards, row) => (cards && cards.length < rooms[row] ? [row] : []));
  const play = (event) => {
    local.seat = undefined;
    local.card = undefined;
    app.runTimely({ do: "event", event });
  };
  const choose = (part) => {
    Object.assign(local, part);
    app.draw();
  };
  const chosen = (name) => {
    if (open.length === 1) play({ event: "card_placed", seat, row: open[0], card: name });
    else choose({ card: card === name ? undefined : name });
  };
  return h(
    "section",
    { class: "by-hand", key: "by-hand", "aria-labelledby": "by-hand-title" },
    h("h2", { id: "by-hand-title", class: "sr" }, t("by_hand")),
    h(
      "div",
      { class: "seat-tabs", role: "group", "aria-label": t("by_hand_who") },
      state.board.map((place) =>
        h(
          "button",
          { type: "button", key: place.seat, class: taken.includes(place.seat) ? "seat-tab out" : "seat-tab", "aria-pressed": String(place.seat === seat), onclick: () => choose({ seat: place.seat }) },
          sign(place.seat),
          h("span", { class: "cut" }, nameOf(app, place.seat)),
        ),
      ),
    ),
    h(
      "div",
      { class: "col-rows" },
      rows.map((cards, row) => {
        const full = !cards || cards.length >= rooms[row];
        const action = card
          ? h("button", { type: "button", class: "main", key: `put ${row}`, disabled: full, onclick: () => play({ event: "card_placed", seat, row, card }) }, t("put_in_row", { n: row + 1 }))
          : h("button", { type: "button", key: `take ${row}`, disabled: !cards || !cards.length, onclick: () => play({ event: "row_taken", seat, row }) }, t("take_row", { n: row + 1 }));
        return h("div", { class: "col-line", key: row }, rowDrawn(cards, rooms[row]), action);
      }),
    ),
    h(
      "div",
      { class: "palette", role: "group", "aria-label": t("by_hand_card") },
      colours.concat(["+2", "joker"]).map((name) =>
        h("button", { type: "button", key: name, "aria-pressed": String(card === name), "aria-label": cardName(name), disabled: !open.length, onclick: () => chosen(name) }, cardDrawn(name)),
      ),
    ),
    h(
      "div",
      { class: "row" },
      told ? h("button", { type: "button", key: "back", onclick: () => app.runTimely({ do: "correct", event: told, with: null }) }, t("take_back")) : null,
      last ? h("p", { key: "last" }, t("last_round_runs")) : h("button", { type: "button", key: "last", class: "quiet", onclick: () => app.runTimely({ do: "event", event: { event: "last_round" } }) }, t("last_round")),
    ),
  );
}
