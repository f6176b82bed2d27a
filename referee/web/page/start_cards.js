// The cards that everybody starts Coloretto with: they come to no row, but count at the end.

import { h } from "./dom.js";
import { colour, sign } from "./parts.js";
import { t } from "./words.js";

const NONE = "none";

// With two players each starts with two cards, else with one. Of another deck chosen before there is nothing left.
function chosen(app, players, colours) {
  const before = app.local.startCards || [];
  const kept = (card) => (card === NONE || colours.includes(card) ? card : "");
  return Array.from({ length: players }, (_none, seat) => Array.from({ length: players === 2 ? 2 : 1 }, (_nothing, at) => kept((before[seat] || [])[at])));
}

export function startCards(app, names, colours) {
  const cards = chosen(app, names.length, colours);
  const texts = [["", t("please_choose")], ...colours.map((name) => [name, colour(name)]), [NONE, t("no_start_card")]];
  const called = (seat) => names[seat] || t("seat", { n: seat + 1 });
  const set = (seat, at) => (event) => {
    cards[seat][at] = event.target.value;
    app.local.startCards = cards;
    app.draw();
  };
  const choice = (seat, at, card) =>
    h("select", { id: `start-card-${seat}-${at}`, key: at, "aria-label": t("start_card_of", { name: called(seat), n: at + 1 }), onchange: set(seat, at) }, texts.map(([value, text]) => h("option", { value, key: value, selected: value === card }, text)));
  return h(
    "fieldset",
    { key: "start-cards" },
    h("legend", {}, t("start_cards")),
    h("p", { class: "note" }, t("start_cards_why")),
    h("div", { class: "names" }, cards.map((held, seat) => h("div", { class: "option", key: seat }, h("span", {}, sign(seat), " ", called(seat)), h("span", { class: "inline" }, held.map((card, at) => choice(seat, at, card)))))),
  );
}

// A list of colours a seat, or null as long as some card has not been told.
export function startCardsTold(app, players, colours) {
  const cards = chosen(app, players, colours);
  if (cards.flat().includes("")) return null;
  return cards.map((held) => held.filter((card) => card !== NONE));
}
