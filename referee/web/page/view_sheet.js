// The end of Coloretto alone: a counter a colour for each player, the sum, and why.

import { h } from "./dom.js";
import { cardDrawn, cardName, sheetLine, SUITS } from "./game_coloretto.js";
import { button, heading, sign } from "./parts.js";
import { t } from "./words.js";

const PALETTES = { colours: ["red", "orange", "yellow", "green", "blue", "purple", "pink"], suits: SUITS };
const MOST = { "+2": 10, joker: 3 };
const KEPT = "ringmaster-sheet";

function kept() {
  try {
    return JSON.parse(window.localStorage.getItem(KEPT)) || null;
  } catch {
    return null;
  }
}

function counted(app) {
  if (!app.local.counted) app.local.counted = kept() || { table: "brown", players: 3, hands: {} };
  return app.local.counted;
}

// Which cards there are: as somebody chose, or as in the game that is on.
function paletteOf(app, sheet) {
  const playing = app.state.game && app.state.game.game === "coloretto" ? app.state.phase.colours || [] : [];
  return sheet.palette || (playing.some((one) => SUITS.includes(one)) ? "suits" : "colours");
}

export function draw(app) {
  const sheet = counted(app);
  const seat = Math.min(app.local.seat || 0, sheet.players - 1);
  const hand = sheet.hands[seat] || {};
  const worth = app.local.worth;
  if (!worth) ask(app, sheet);
  const palette = paletteOf(app, sheet);
  const cards = [...PALETTES[palette], "+2", "joker"];
  return [
    heading(t("count_end")),
    h(
      "div",
      { class: "row", key: "who", role: "group", "aria-label": t("by_hand_who") },
      Array.from({ length: sheet.players }, (_none, at) =>
        h("button", { type: "button", class: "seat-tab", key: at, "aria-pressed": String(at === seat), onclick: () => show(app, at) }, sign(at), name(app, at), worth && worth[at] ? h("strong", { class: "num" }, String(worth[at].points)) : null),
      ),
    ),
    h(
      "div",
      { class: "counters", key: "counters" },
      cards.map((card) => {
        const number = hand[card] || 0;
        const set = (value) => change(app, seat, card, value);
        return h(
          "div",
          { class: "counter", key: card, role: "group", "aria-label": cardName(card) },
          cardDrawn(card),
          h("button", { type: "button", "aria-label": t("one_less", { what: cardName(card) }), disabled: number === 0, onclick: () => set(number - 1) }, "−"),
          h("output", { class: "num" }, String(number)),
          h("button", { type: "button", "aria-label": t("one_more", { what: cardName(card) }), disabled: number >= (MOST[card] || 9), onclick: () => set(number + 1) }, "+"),
        );
      }),
    ),
    worth && worth[seat] ? h("div", { key: "worth", "aria-live": "polite" }, sheetLine(worth[seat], [sign(seat), name(app, seat)], seat)) : null,
    h(
      "div",
      { class: "row", key: "palette" },
      Object.keys(PALETTES).map((one) => h("button", { type: "button", key: one, "aria-pressed": String(palette === one), onclick: () => keep(app, Object.assign({}, sheet, { palette: one })) }, t(`sheet_${one}`))),
    ),
    h(
      "div",
      { class: "row", key: "more" },
      ["brown", "grey"].map((table) => h("button", { type: "button", key: table, "aria-pressed": String(sheet.table === table), onclick: () => keep(app, Object.assign({}, sheet, { table })) }, t(`sheet_${table}`))),
      h("button", { type: "button", key: "less", "aria-label": t("one_player_less"), disabled: sheet.players <= 2, onclick: () => keep(app, Object.assign({}, sheet, { players: sheet.players - 1 })) }, "−"),
      h("span", { class: "num" }, t("players_many", { n: sheet.players })),
      h("button", { type: "button", key: "more", "aria-label": t("one_player_more"), disabled: sheet.players >= 5, onclick: () => keep(app, Object.assign({}, sheet, { players: sheet.players + 1 })) }, "+"),
      button(t("count_anew"), () => keep(app, Object.assign({}, sheet, { hands: {} })), { class: "quiet", key: "anew" }),
    ),
  ];
}

function name(app, seat) {
  const game = app.state.game;
  const names = game && game.game === "coloretto" ? game.players : [];
  return names[seat] || t("seat", { n: seat + 1 });
}

function show(app, seat) {
  app.local.seat = seat;
  app.draw();
}

function change(app, seat, card, value) {
  const sheet = counted(app);
  const hands = Object.assign({}, sheet.hands, { [seat]: Object.assign({}, sheet.hands[seat], { [card]: value }) });
  keep(app, Object.assign({}, sheet, { hands }));
}

function keep(app, sheet) {
  app.local.counted = sheet;
  window.localStorage.setItem(KEPT, JSON.stringify(sheet));
  ask(app, sheet);
  app.draw();
}

// What the hands are worth is the referee's to say, by the same rules as after a game.
function ask(app, sheet) {
  app.local.worth = app.local.worth || [];
  const { local } = app;
  const all = PALETTES[paletteOf(app, sheet)];
  const hands = Array.from({ length: sheet.players }, (_none, seat) => {
    const hand = sheet.hands[seat] || {};
    const colours = Object.fromEntries(all.filter((one) => hand[one]).map((one) => [one, hand[one]]));
    return { colours, jokers: hand.joker || 0, plus2: hand["+2"] || 0 };
  });
  // Who taps quickly asks several times, and answers may overtake one another: the last question counts.
  const asked = (local.asked || 0) + 1;
  local.asked = asked;
  app.run({ do: "sheet", table: sheet.table, hands }, (result) => {
    if (asked === local.asked) local.worth = result.sheet;
  });
}
