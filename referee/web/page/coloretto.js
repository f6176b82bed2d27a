// Coloretto drawn: rows and cards as the referee knows them, and a score sheet that says why.

import { h } from "./dom.js";
import { colour, nameOf, shownPoints, sign } from "./parts.js";
import { signed, t } from "./words.js";

export const SUITS = ["spade", "heart", "diamond", "coin", "crown", "moon", "star"];

export function cardName(name) {
  return name === "+2" ? "+2" : name === "joker" ? t("joker") : colour(name);
}

// A card in small: its colour, and for those who do not tell colours its first letters.
export function cardDrawn(name, key) {
  const plain = name === "+2" || name === "joker" || SUITS.includes(name);
  const short = name === "+2" ? "+2" : name === "joker" ? "★" : cardName(name).slice(0, 3);
  return h("span", { class: plain ? "col-card plain" : `col-card ${name}`, key, role: "img", "aria-label": cardName(name) }, short);
}

// The cards of a row, and the places that are free yet.
export function rowDrawn(cards, room) {
  if (!cards) return h("span", { class: "col-row gone" }, t("row_is_gone"));
  const free = Math.max(0, room - cards.length);
  return h(
    "span",
    { class: "col-row" },
    cards.map((name, at) => cardDrawn(name, at)),
    Array.from({ length: free }, (_none, at) => h("span", { class: "col-card free", key: `free ${at}`, "aria-hidden": "true" })),
  );
}

// Who has what, what it is worth and why; before the end it says how it stands now.
export function scoreSheet(app) {
  const { sheet, key } = app.state.phase;
  if (!sheet || !sheet.some((one) => one.lines.length || one.plus2 || one.jokers)) return null;
  const over = key === "over";
  const lines = h("div", { class: "sheet" }, sheet.map((one, seat) => sheetLine(one, [sign(seat), nameOf(app, seat)], seat)));
  if (over) return h("section", { class: "card-box", key: "sheet", "aria-labelledby": "sheet-title" }, h("h2", { id: "sheet-title" }, t("score_sheet")), lines);
  return h("details", { class: "card-box", key: "sheet" }, h("summary", {}, t("worth_now")), lines);
}

export function sheetLine(one, title, key) {
  return h(
    "div",
    { class: "sheet-line", key },
    h("p", { class: "sheet-name" }, title, h("strong", { class: "num" }, shownPoints(one.points))),
    h(
      "ul",
      { class: "sheet-cards" },
      one.lines.map((line) =>
        h(
          "li",
          { key: line.colour, class: line.points < 0 ? "minus" : "plus" },
          cardDrawn(line.colour),
          h("span", { class: "num" }, `${line.cards} → ${signed(line.points)}`),
          line.jokers ? h("span", { class: "note" }, t("with_joker")) : null,
        ),
      ),
      one.plus2 ? h("li", { key: "+2", class: "plus" }, cardDrawn("+2"), h("span", { class: "num" }, `${one.plus2} → ${signed(2 * one.plus2)}`)) : null,
    ),
    one.text ? h("p", { class: "note" }, one.text) : null,
  );
}
