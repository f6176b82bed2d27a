// Draws a score sheet for the end of Coloretto: counters by colour for each player, the sum and its reasons.

import { h } from "./dom.js";
import { cardDrawn, sheetLine, SUITS } from "./game_coloretto.js";
import { keep as store, kept } from "./kept.js";
import { button, choices, group, heading, sign, stepper, word } from "./parts.js";
import { COLOURS } from "./readings.js";
import { inOrder } from "./server.js";
import { count, t } from "./words.js";

const PALETTES = { colours: COLOURS, suits: SUITS };
const MOST = { "+2": 10, joker: 3 };
const KEPT = "ringmaster-sheet";

function counted(app) {
  if (!app.local.counted) app.local.counted = kept(KEPT) || { table: "brown", players: 3, hands: {} };
  return app.local.counted;
}

// Return the name of the palette: the chosen one, else that of the running game.
function paletteOf(app, sheet) {
  const playing = app.state.game && app.state.game.game === "coloretto" ? app.state.phase.colours || [] : [];
  return sheet.palette || (playing.some((one) => SUITS.includes(one)) ? "suits" : "colours");
}

export function draw(app) {
  const sheet = counted(app);
  const seat = Math.min(app.local.seat || 0, sheet.players - 1);
  const hand = sheet.hands[seat] || {};
  const { worth } = app.local;
  if (!worth) ask(app, sheet);
  const palette = paletteOf(app, sheet);
  const set = (part) => keep(app, Object.assign({}, sheet, part));
  const setHand = (card, value) => set({ hands: Object.assign({}, sheet.hands, { [seat]: Object.assign({}, hand, { [card]: value }) }) });
  const tab = (_none, at) => ({ key: at, on: at === seat, text: [sign(at), name(app, at), worth && worth[at] ? h("strong", { class: "num" }, String(worth[at].points)) : null], tap: () => app.set({ seat: at }), more: { class: "seat-tab" } });
  const counter = (card) => {
    const number = hand[card] || 0;
    const step = (text, key, by, isEnd) => button(text, () => setHand(card, number + by), { "aria-label": t(key, { what: word(card) }), disabled: isEnd });
    return group("counter", word(card), cardDrawn(card), step("−", "one_less", -1, number === 0), h("output", { class: "num" }, String(number)), step("+", "one_more", 1, number >= (MOST[card] || 9)));
  };
  const either = (part, list) => list.map((one) => ({ key: one, on: (part === "palette" ? palette : sheet[part]) === one, text: t(`sheet_${one}`), tap: () => set({ [part]: one }) }));
  return [
    heading(t("count_end")),
    h("div", { key: "who" }, choices(t("by_hand_who"), Array.from({ length: sheet.players }, tab))),
    h("div", { class: "counters", key: "counters" }, [...PALETTES[palette], "+2", "joker"].map(counter)),
    worth && worth[seat] ? h("div", { key: "worth", "aria-live": "polite" }, sheetLine(worth[seat], [sign(seat), name(app, seat)], seat)) : null,
    h("div", { key: "palette" }, choices(null, either("palette", Object.keys(PALETTES)))),
    h("div", { key: "table" }, choices(null, either("table", ["brown", "grey"]))),
    h("div", { class: "row", key: "more" }, stepper(count("players", sheet.players), sheet.players, { least: 2, most: 5, words: ["one_player_less", "one_player_more"] }, (players) => set({ players })), button(t("count_anew"), () => set({ hands: {} }), { class: "quiet", key: "anew" })),
  ];
}

function name(app, seat) {
  const names = app.state.game && app.state.game.game === "coloretto" ? app.state.game.players : [];
  return names[seat] || t("seat", { n: seat + 1 });
}

function keep(app, sheet) {
  store(KEPT, sheet);
  app.set({ counted: sheet });
  ask(app, sheet);
}

// Ask the referee for the points of all hands.
function ask(app, sheet) {
  app.local.worth = app.local.worth || [];
  const all = PALETTES[paletteOf(app, sheet)];
  const hands = Array.from({ length: sheet.players }, (_none, seat) => {
    const hand = sheet.hands[seat] || {};
    const colours = Object.fromEntries(all.filter((one) => hand[one]).map((one) => [one, hand[one]]));
    return { colours, jokers: hand.joker || 0, plus2: hand["+2"] || 0 };
  });
  const take = inOrder(app, "worth");
  app.run({ do: "sheet", table: sheet.table, hands }, (result) => take(result.sheet));
}
