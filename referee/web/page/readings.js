// Draws the choices that correct a reading.

import { h } from "./dom.js";
import { button, card, choices, faceWords, group, icon, nameOf, row, sign, swatched, word } from "./parts.js";
import { t } from "./words.js";

const CONFETTI = ["red", "orange", "yellow", "green", "blue", "purple"];
export const COLOURS = [...CONFETTI, "pink"];
const CLOWNS = [...COLOURS, "black"];
// A changed card is entered after 2 s, because a second circle may be wrong, too.
const ENTER_MS = 2000;

// Change an event, or strike it (null), and offer undo; the server refuses it if the state has changed.
function correct(app, reading, data, done) {
  const moment = reading.moment === undefined ? app.state.moment : reading.moment;
  app.run({ do: "correct", event: reading.event, with: data, moment }, () => {
    if (done) done();
    // Undo applies to the current game only.
    app.toasted(t("corrected_now"), false, !reading.past);
  });
}

// Return the choices for a reading, by the kind of its event.
export function choicesFor(app, reading, done) {
  const { event, cards } = reading.data || {};
  const change = (part) => correct(app, reading, part && Object.assign({}, reading.data, part), done);
  if (event === "card_shown" || event === "card_read") return clown(app, reading.data, change);
  if (event === "bell" || event === "ringer") return ringer(app, reading, change);
  if (event === "hand") return cardsOf(app, reading, cards || [], (list) => change({ cards: list }));
  return row(button(t("strike"), () => change(null)));
}

function clown(app, data, change) {
  // The colours of a taught deck, else of all decks.
  const { deck_colours: taught } = (app.state.game && app.state.game.options) || {};
  const mood = (name) => ({ key: name, on: data.mood === name, text: [icon(name), word(name)], tap: () => change({ mood: name }) });
  const ink = (name) => ({ key: name, on: data.colour === name, text: swatched(name, word(name)), tap: () => change({ colour: name }) });
  return [choices(null, ["happy", "sad"].map(mood)), choices(null, (taught && taught.length ? taught : CLOWNS).map(ink), button(t("no_card"), () => change(null), { key: "strike", class: "quiet" }))];
}

function ringer(app, reading, change) {
  const { data } = reading;
  // A person's verdict overrules the ruling's.
  const holds = typeof data.valid === "boolean" ? data.valid : reading.ruled;
  const verdict = (valid, word) => ({ key: word, on: holds === valid, text: [icon(valid ? "yes" : "no"), t(word)], tap: () => change({ valid }) });
  const who = ({ seat }) => ({ key: seat, on: data.seat === seat, text: [sign(seat), nameOf(app, seat)], tap: () => change({ seat }) });
  const verdicts = data.event === "bell" ? [verdict(true, "ring_valid"), verdict(false, "ring_false")] : [];
  return choices(null, [...verdicts, ...app.state.board.map(who)], button(t("no_ring"), () => change(null), { key: "strike", class: "quiet" }));
}

// Return the cards of a seat's last hand.
export function cardsRead({ state }, seat) {
  const hand = Object.values(state.readings).find((one) => one.event === "hand" && one.seat === seat);
  return hand ? hand.cards : [];
}

// Return the open card of a hand, { at, colours (small, medium, big) }, or null.
export function draftOf(app, reading) {
  return app.local[`open ${reading.event}`] || null;
}

// Open the card of a hand that was read as `label`.
export function openHand(app, event, data, label) {
  const cards = (data && data.event === "hand" && data.cards) || [];
  const at = cards.findIndex((one) => one.join(" ") === label);
  app.local[`open ${event}`] = at < 0 ? undefined : { at, colours: cards[at].slice() };
}

// Return a hand of Confetti as buttons; a tap opens a card, `entered` gets the corrected hand.
function cardsOf(app, reading, cards, entered) {
  const order = reading.order || cards.map((_card, index) => index);
  const draft = draftOf(app, reading);
  const open = (next) => {
    if (draft) clearTimeout(draft.timer);
    app.set({ [`open ${reading.event}`]: next });
  };
  const enter = (list) => {
    open(undefined);
    entered(list);
  };
  const one = (index) => {
    const isOpen = draft !== null && draft.at === index;
    const props = { class: "bare", key: index, "aria-expanded": String(isOpen), "aria-label": t("correct_this", { what: faceWords(cards[index]) }) };
    return button(card(isOpen ? draft.colours : cards[index]), () => open(isOpen ? undefined : { at: index, colours: cards[index].slice() }), props);
  };
  return [
    draft ? openCard(app, cards, draft, open, enter) : null,
    h("div", { class: "row cards", key: "cards" }, order.map(one), button(t("add_card"), () => open({ at: cards.length, colours: [null, null, null] }), { key: "add" })),
  ];
}

// Return the colours of the open card. A read card is entered ENTER_MS after a tap, a new one by its button.
function openCard(app, cards, draft, open, enter) {
  const { at, colours } = draft;
  const isNew = at >= cards.length;
  const listOf = (next) => (isNew ? [...cards, next] : cards.map((one, index) => (index === at ? next : one)));
  const isChanged = (next) => next.every(Boolean) && (isNew || next.join() !== cards[at].join());
  const { local } = app;
  const choose = (which, name) => {
    const next = swapped(colours, which, name);
    open({ at, colours: next, timer: isNew || !isChanged(next) ? null : setTimeout(() => app.local === local && enter(listOf(next)), ENTER_MS) });
  };
  const ink = (which) => (name) => ({ key: name, on: colours[which] === name, text: swatched(name), tap: () => choose(which, name), more: { class: "small", "aria-label": word(name) } });
  const circle = (size, which) => h("div", { class: size, key: size }, choices(t(size), CONFETTI.map(ink(which))));
  return h("div", { class: "open-card", key: "open" },
    ["size_small", "size_medium", "size_big"].map(circle),
    row(
      button(t("enter_card"), () => enter(listOf(colours)), { class: "main", disabled: !isChanged(colours) }),
      button(t("cancel"), () => open(undefined), { class: "quiet" }),
      isNew ? null : button(t("card_not_there"), () => enter(cards.filter((_one, index) => index !== at)), { class: "quiet" }),
    ),
  );
}

// Return the colours after a choice; a colour that another circle has changes places with it.
function swapped(colours, which, name) {
  const next = colours.slice();
  const other = next.indexOf(name);
  if (other >= 0) next[other] = next[which];
  next[which] = name;
  return next;
}

// Return the entry of hands that the camera has not seen; it begins with the cards seen last.
export function missingHands(app, question) {
  return question.seats.map((seat, at) => {
    const key = `hand ${question.id} ${seat}`;
    const cards = app.local[key] || (question.last_seen || [])[at] || [];
    const enter = () => app.runTimely({ do: "event", event: { event: "hand", seat, cards } });
    return group("reading", nameOf(app, seat), h("h3", {}, sign(seat), nameOf(app, seat)), cardsOf(app, { event: key }, cards, (list) => app.set({ [key]: list })), button(cards.length ? t("hand_is_all") : t("hand_is_none"), enter, { class: "big" }));
  });
}
