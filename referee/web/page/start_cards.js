// The cards that everybody starts Coloretto with: they come to no row, but count at the end.

import { h } from "./dom.js";
import { colour, sign } from "./parts.js";
import { t } from "./words.js";

const NONE = "none";

// With two players each starts with two cards, else with one. Of another deck chosen before there is nothing left.
function chosen(app, players, colours) {
  const each = players === 2 ? 2 : 1;
  const before = app.local.startCards || [];
  const kept = (card) => (card === NONE || colours.includes(card) ? card : "");
  return Array.from({ length: players }, (_none, seat) => Array.from({ length: each }, (_nothing, at) => kept((before[seat] || [])[at])));
}

export function startCards(app, names, colours) {
  const cards = chosen(app, names.length, colours);
  return h(
    "fieldset",
    { key: "start-cards" },
    h("legend", {}, t("start_cards")),
    h("p", { class: "note" }, t("start_cards_why")),
    cards.map((held, seat) =>
      h(
        "div",
        { class: "option", key: seat },
        h("span", {}, sign(seat), " ", names[seat] || t("seat", { n: seat + 1 })),
        h("span", { class: "inline" }, held.map((card, at) => choice(app, cards, names, colours, seat, at, card))),
      ),
    ),
  );
}

function choice(app, cards, names, colours, seat, at, card) {
  const texts = [["", t("please_choose")], ...colours.map((name) => [name, colour(name)]), [NONE, t("no_start_card")]];
  return h(
    "select",
    {
      id: `start-card-${seat}-${at}`,
      key: at,
      "aria-label": t("start_card_of", { name: names[seat] || t("seat", { n: seat + 1 }), n: at + 1 }),
      onchange: (event) => {
        cards[seat][at] = event.target.value;
        app.local.startCards = cards;
        app.draw();
      },
    },
    texts.map(([value, text]) => h("option", { value, key: value, selected: value === card }, text)),
  );
}

// A list of colours a seat, or null as long as some card has not been told.
export function startCardsTold(app, players, colours) {
  const cards = chosen(app, players, colours);
  if (cards.flat().includes("")) return null;
  return cards.map((held) => held.filter((card) => card !== NONE));
}
