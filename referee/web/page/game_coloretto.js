// Coloretto on the page: rows and cards as the referee knows them, moves told by hand, and a score sheet that says why.

import { h } from "./dom.js";
import { box, button, colour, nameOf, shownPoints, sign, unfolded } from "./parts.js";
import { startCards, startCardsTold } from "./start_cards.js";
import { has, signed, t } from "./words.js";

export { startCards, startCardsTold };
export const isToldByHand = true;
export const lesson = { expected: 7, unit: "teach_colours", said: "teach_said_colours" };

const KINDS = ["+2", "joker", "last round", "row"];
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
  const lines = h("div", { class: "stack" }, sheet.map((one, seat) => sheetLine(one, [sign(seat), nameOf(app, seat)], seat)));
  return key === "over" ? box("sheet", t("score_sheet"), lines) : unfolded("sheet", t("worth_now"), lines);
}

export function sheetLine(one, title, key) {
  const held = (name, cards, points, more) => h("li", { key: name, class: points < 0 ? "minus" : "plus" }, cardDrawn(name), h("span", { class: "num" }, `${cards} → ${signed(points)}`), more);
  return h(
    "div",
    { class: "sheet-line", key },
    h("p", { class: "sheet-name" }, title, h("strong", { class: "num" }, shownPoints(one.points))),
    h("ul", { class: "sheet-cards" }, one.lines.map((line) => held(line.colour, line.cards, line.points, line.jokers ? h("span", { class: "note" }, t("with_joker")) : null)), one.plus2 ? held("+2", one.plus2, 2 * one.plus2) : null),
    one.text ? h("p", { class: "note" }, one.text) : null,
  );
}

// A card is chosen and then its row: two taps; a row is taken by one. Where only one row has room, the card goes there.
export function byHand(app) {
  const { local, state } = app;
  const { turn, rows, rooms, last, told, taken, colours } = state.phase;
  const seat = local.seat === undefined ? turn : local.seat;
  const { card } = local;
  const open = rows.flatMap((cards, at) => (cards && cards.length < rooms[at] ? [at] : []));
  const choose = (part) => {
    Object.assign(local, part);
    app.draw();
  };
  const play = (event) => {
    Object.assign(local, { seat: undefined, card: undefined });
    app.runTimely({ do: "event", event });
  };
  const chosen = (name) => (open.length === 1 ? play({ event: "card_placed", seat, row: open[0], card: name }) : choose({ card: card === name ? undefined : name }));
  const tab = (place) => button([sign(place.seat), h("span", { class: "cut" }, nameOf(app, place.seat))], () => choose({ seat: place.seat }), { key: place.seat, class: taken.includes(place.seat) ? "seat-tab out" : "seat-tab", "aria-pressed": String(place.seat === seat) });
  const line = (cards, at) => {
    const full = !cards || cards.length >= rooms[at];
    const action = card
      ? button(t("put_in_row", { n: at + 1 }), () => play({ event: "card_placed", seat, row: at, card }), { class: "main", key: `put ${at}`, disabled: full })
      : button(t("take_row", { n: at + 1 }), () => play({ event: "row_taken", seat, row: at }), { key: `take ${at}`, disabled: !cards || !cards.length });
    return h("div", { class: "col-line", key: at }, rowDrawn(cards, rooms[at]), action);
  };
  const ink = (name) => button(cardDrawn(name), () => chosen(name), { key: name, "aria-pressed": String(card === name), "aria-label": cardName(name), disabled: !open.length });
  return h(
    "section",
    { class: "by-hand", key: "by-hand", "aria-labelledby": "by-hand-title" },
    h("h2", { id: "by-hand-title", class: "sr" }, t("by_hand")),
    h("div", { class: "seat-tabs", role: "group", "aria-label": t("by_hand_who") }, state.board.map(tab)),
    h("div", { class: "col-rows" }, rows.map(line)),
    h("div", { class: "palette", role: "group", "aria-label": t("by_hand_card") }, colours.concat(["+2", "joker"]).map(ink)),
    h(
      "div",
      { class: "row" },
      told ? button(t("take_back"), () => app.runTimely({ do: "correct", event: told, with: null }), { key: "back" }) : null,
      last ? h("p", { key: "last" }, t("last_round_runs")) : button(t("last_round"), () => app.runTimely({ do: "event", event: { event: "last_round" } }), { key: "last", class: "quiet" }),
    ),
  );
}

export function isNamed(said) {
  return Boolean(said.kind && (said.kind !== "colour" || said.colour));
}

// What a card is, beside its colour: `choice` makes one, `set` takes it.
export function namedBy(known, choice, set) {
  const kinds = KINDS.map((kind) => choice(kind, known.kind === kind, kindWord(kind), () => set({ kind })));
  if (known.kind !== "row") return kinds;
  return kinds.concat(["1", "2", "3"].map((room) => choice(`room ${room}`, known.room === room, t("teach_room", { n: room }), () => set({ room }))));
}

export function colourNamed(name) {
  return { kind: "colour", colour: name };
}

export function kindWord(kind) {
  return has(`kind_${kind.replace(" ", "_")}`) ? t(`kind_${kind.replace(" ", "_")}`) : kind;
}
