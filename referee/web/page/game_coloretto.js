// Draws Coloretto: rows, moves that are entered by hand, start cards, and the score sheet with its reasons.

import { h } from "./dom.js";
import { box, button, group, nameOf, note, row, shownPoints, sign, unfolded, word } from "./parts.js";
import { signed, t } from "./words.js";

export const isEnteredByHand = true;
export const lesson = { expected: 7, unit: "teach_colours", said: "teach_said_colours" };

const NONE = "none"; // this player has no start card
const KINDS = ["+2", "joker", "last round", "row"];
export const SUITS = ["spade", "heart", "diamond", "coin", "crown", "moon", "star"];

// Return a small card: its colour, and the first letters of the colour's name.
export function cardDrawn(name, key) {
  const isWhite = name === "+2" || name === "joker" || SUITS.includes(name);
  const short = name === "+2" ? "+2" : name === "joker" ? "★" : word(name).slice(0, 3);
  return h("span", { class: isWhite ? "col-card" : `col-card ${name}`, key, role: "img", "aria-label": word(name) }, short);
}

// Return the cards and free places of a row; `cards` is null for a row that was taken.
function rowDrawn(cards, room) {
  if (!cards) return h("span", { class: "col-row gone" }, t("row_is_gone"));
  const free = (_none, at) => h("span", { class: "col-card free", key: `free ${at}`, "aria-hidden": "true" });
  return h("span", { class: "col-row" }, cards.map(cardDrawn), Array.from({ length: Math.max(0, room - cards.length) }, free));
}

// Return the score sheet of all players, folded before the end, or null before the first card.
export function scoreSheet(app) {
  const { sheet, key } = app.state.phase;
  if (!sheet || !sheet.some((one) => one.lines.length || one.plus2 || one.jokers)) return null;
  const lines = h("div", { class: "stack" }, sheet.map((one, seat) => sheetLine(one, [sign(seat), nameOf(app, seat)], seat)));
  return key === "over" ? box("sheet", t("score_sheet"), lines) : unfolded("sheet", t("worth_now"), lines);
}

export function sheetLine(one, title, key) {
  const held = (name, cards, points, more) => h("li", { key: name, class: points < 0 ? "minus" : "plus" }, cardDrawn(name), h("span", { class: "num" }, `${cards} → ${signed(points)}`), more);
  return h("div", { class: "sheet-line", key },
    h("p", { class: "sheet-name" }, title, h("strong", { class: "num" }, shownPoints(one.points))),
    h("ul", { class: "sheet-cards" }, one.lines.map((line) => held(line.colour, line.cards, line.points, line.jokers ? h("span", { class: "note" }, t("with_joker")) : null)), one.plus2 ? held("+2", one.plus2, 2 * one.plus2) : null),
    one.text ? note(one.text) : null,
  );
}

// Return the buttons that enter moves: a card, then its row; or a row to take.
// A card goes to the only row with room at once.
export function byHand(app) {
  const { local, state } = app;
  const { turn, rows, rooms, last, told: lastMove, taken, colours } = state.phase;
  const seat = local.seat === undefined ? turn : local.seat;
  const { card } = local;
  const open = rows.flatMap((cards, at) => (cards && cards.length < rooms[at] ? [at] : []));
  const play = (event) => {
    Object.assign(local, { seat: undefined, card: undefined });
    app.runTimely({ do: "event", event });
  };
  const chosen = (name) => (open.length === 1 ? play({ event: "card_placed", seat, row: open[0], card: name }) : app.set({ card: card === name ? undefined : name }));
  const tab = (place) => button([sign(place.seat), h("span", { class: "cut" }, nameOf(app, place.seat))], () => app.set({ seat: place.seat }), { key: place.seat, class: taken.includes(place.seat) ? "seat-tab out" : "seat-tab", "aria-pressed": String(place.seat === seat) });
  const line = (cards, at) => {
    const full = !cards || cards.length >= rooms[at];
    const action = card
      ? button(t("put_in_row", { n: at + 1 }), () => play({ event: "card_placed", seat, row: at, card }), { class: "main", key: `put ${at}`, disabled: full })
      : button(t("take_row", { n: at + 1 }), () => play({ event: "row_taken", seat, row: at }), { key: `take ${at}`, disabled: !cards || !cards.length });
    return h("div", { class: "col-line", key: at }, rowDrawn(cards, rooms[at]), action);
  };
  const ink = (name) => button(cardDrawn(name), () => chosen(name), { key: name, "aria-pressed": String(card === name), "aria-label": word(name), disabled: !open.length });
  return h("section", { class: "by-hand", key: "by-hand", "aria-labelledby": "by-hand-title" },
    h("h2", { id: "by-hand-title", class: "sr" }, t("by_hand")),
    group("seat-tabs", t("by_hand_who"), state.board.map(tab)),
    h("div", { class: "col-rows" }, rows.map(line)),
    group("palette", t("by_hand_card"), colours.concat(["+2", "joker"]).map(ink)),
    row(
      lastMove ? button(t("take_back"), () => app.runTimely({ do: "correct", event: lastMove, with: null }), { key: "back" }) : null,
      last ? h("p", { key: "last" }, t("last_round_runs")) : button(t("last_round"), () => app.runTimely({ do: "event", event: { event: "last_round" } }), { key: "last", class: "quiet" }),
    ),
  );
}

export function isNamed(said) {
  return Boolean(said.kind && (said.kind !== "colour" || said.colour));
}

// Return the choices that name a taught card beside its colour; `choice` makes one, `set` applies it.
export function namedBy(known, choice, set) {
  const kinds = KINDS.map((kind) => choice(kind, known.kind === kind, word(kind), () => set({ kind })));
  if (known.kind !== "row") return kinds;
  return kinds.concat(["1", "2", "3"].map((room) => choice(`room ${room}`, known.room === room, t("teach_room", { n: room }), () => set({ room }))));
}

export function colourNamed(name) {
  return { kind: "colour", colour: name };
}

// Return the start cards by seat, "" before the choice: two each for two players, else one.
// Start cards are laid in no row, but count at the end. A card of another deck becomes "".
function startCardsOf(app, players, colours) {
  const before = app.local.startCards || [];
  const kept = (card) => (card === NONE || colours.includes(card) ? card : "");
  return Array.from({ length: players }, (_none, seat) => Array.from({ length: players === 2 ? 2 : 1 }, (_nothing, at) => kept((before[seat] || [])[at])));
}

export function startCards(app, names, colours) {
  const cards = startCardsOf(app, names.length, colours);
  const texts = [["", t("please_choose")], ...colours.map((name) => [name, word(name)]), [NONE, t("no_start_card")]];
  const called = (seat) => names[seat] || t("seat", { n: seat + 1 });
  const set = (seat, at) => (event) => {
    cards[seat][at] = event.target.value;
    app.set({ startCards: cards });
  };
  const choice = (seat, at, card) => h("select", { id: `start-card-${seat}-${at}`, key: at, "aria-label": t("start_card_of", { name: called(seat), n: at + 1 }), onchange: set(seat, at) }, texts.map(([value, text]) => h("option", { value, key: value, selected: value === card }, text)));
  const line = (held, seat) => h("div", { class: "option", key: seat }, h("span", {}, sign(seat), " ", called(seat)), h("span", { class: "inline" }, held.map((card, at) => choice(seat, at, card))));
  return h("fieldset", { key: "start-cards" }, h("legend", {}, t("start_cards")), note(t("start_cards_why")), h("div", { class: "names" }, cards.map(line)));
}

// Return the colours of the start cards by seat, or null until all are chosen.
export function startCardsChosen(app, players, colours) {
  const cards = startCardsOf(app, players, colours);
  return cards.flat().includes("") ? null : cards.map((held) => held.filter((card) => card !== NONE));
}
