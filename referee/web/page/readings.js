// What was read, and what it may have been instead: each choice is one tap.

import { h } from "./dom.js";
import { card, colour, icon, nameOf, sign } from "./parts.js";
import { t } from "./words.js";

const CLOWNS = ["red", "orange", "yellow", "green", "blue", "purple", "pink", "black"];
const CONFETTI = ["red", "orange", "yellow", "green", "blue", "purple"];

// Change an event, or strike it (null), and say so with a way back; only if it still stands as it was shown.
export function correct(app, reading, data, done) {
  const moment = reading.moment === undefined ? app.state.moment : reading.moment;
  app.run({ do: "correct", event: reading.event, with: data, moment }, (_result, toast) => {
    if (done) done();
    // What is taken back by a tap is of the game on the table.
    toast(t("corrected_now"), false, !reading.past);
  });
}

export function choicesFor(app, reading, done) {
  const data = reading.data;
  if (!data) return strike(app, reading, done);
  if (data.event === "card_shown" || data.event === "card_read") return clown(app, reading, done);
  if (data.event === "bell" || data.event === "ringer") return ringer(app, reading, done);
  if (data.event === "hand") return hand(app, reading, done);
  return strike(app, reading, done);
}

function strike(app, reading, done) {
  return h("div", { class: "row" }, h("button", { type: "button", onclick: () => correct(app, reading, null, done) }, t("strike")));
}

function clown(app, reading, done) {
  const { data } = reading;
  const change = (part) => correct(app, reading, Object.assign({}, data, part), done);
  return [
    h(
      "div",
      { class: "row choices" },
      ["happy", "sad"].map((mood) =>
        h("button", { type: "button", key: mood, "aria-pressed": String(data.mood === mood), onclick: () => change({ mood }) }, face(mood), t(`mood_${mood}`)),
      ),
    ),
    h(
      "div",
      { class: "row choices" },
      clownColours(app).map((name) =>
        h(
          "button",
          { type: "button", key: name, "aria-pressed": String(data.colour === name), onclick: () => change({ colour: name }) },
          h("span", { class: `swatch ${name}`, "aria-hidden": "true" }),
          colour(name),
        ),
      ),
      h("button", { type: "button", key: "strike", class: "quiet", onclick: () => correct(app, reading, null, done) }, t("no_card")),
    ),
  ];
}

// Those of the deck on the table; a card may have been read by one that has others.
function clownColours(app) {
  const options = (app.state.game && app.state.game.options) || {};
  return options.deck_colours && options.deck_colours.length ? options.deck_colours : CLOWNS;
}

export function face(mood) {
  const mouth = mood === "happy" ? "M7 14q5 5 10 0" : "M7 17q5-5 10 0";
  return h("svg", { class: "icon line", viewBox: "0 0 24 24", "aria-hidden": "true" }, [
    h("circle", { cx: 12, cy: 12, r: 10 }),
    h("circle", { class: "dot", cx: 8.5, cy: 9, r: 1.3 }),
    h("circle", { class: "dot", cx: 15.5, cy: 9, r: 1.3 }),
    h("path", { d: mouth }),
  ]);
}

function ringer(app, reading, done) {
  const { data } = reading;
  const change = (part) => correct(app, reading, Object.assign({}, data, part), done);
  // What people have said of it, else as it was ruled.
  const holds = typeof data.valid === "boolean" ? data.valid : reading.ruled;
  const verdict = (valid, sign_, word) =>
    h("button", { type: "button", key: word, "aria-pressed": String(holds === valid), onclick: () => change({ valid }) }, icon(sign_), t(word));
  const verdicts = data.event === "bell" ? [verdict(true, "yes", "ring_valid"), verdict(false, "no", "ring_false")] : [];
  return h(
    "div",
    { class: "row choices" },
    verdicts,
    app.state.board.map((place) =>
      h(
        "button",
        { type: "button", key: place.seat, "aria-pressed": String(data.seat === place.seat), onclick: () => correct(app, reading, Object.assign({}, data, { seat: place.seat }), done) },
        sign(place.seat),
        nameOf(app, place.seat),
      ),
    ),
    h("button", { type: "button", key: "strike", class: "quiet", onclick: () => correct(app, reading, null, done) }, t("no_ring")),
  );
}

// The card of a hand that is being put right: its place, and the colours chosen so far, small, medium, big.
export function draftOf(app, reading) {
  return app.local[`open ${reading.event}`] || null;
}

function hand(app, reading, done) {
  const { data } = reading;
  const enter = (list) => correct(app, reading, Object.assign({}, data, { cards: list }), done);
  return cardsOf(app, reading, data.cards || [], enter);
}

// A hand of Confetti: a tap on a card opens it, and it is entered once it is whole.
export function cardsOf(app, reading, cards, entered) {
  const order = reading.order || cards.map((_card, index) => index);
  const draft = draftOf(app, reading);
  const open = (next) => {
    app.local[`open ${reading.event}`] = next;
    app.draw();
  };
  const enter = (list) => {
    open(undefined);
    entered(list);
  };
  return [
    h(
      "div",
      { class: "row cards" },
      order.map((index) =>
        h(
          "button",
          {
            type: "button",
            class: "bare",
            key: index,
            "aria-expanded": String(draft !== null && draft.at === index),
            "aria-label": `${t("correct_this", { what: cards[index].map(colour).join(", ") })}`,
            onclick: () => open(draft && draft.at === index ? undefined : { at: index, colours: cards[index].slice() }),
          },
          card(cards[index]),
        ),
      ),
      h("button", { type: "button", key: "add", onclick: () => open({ at: cards.length, colours: [null, null, null] }) }, t("add_card")),
    ),
    draft ? openCard(cards, draft, open, enter) : null,
  ];
}

function openCard(cards, draft, open, enter) {
  const { at, colours } = draft;
  const isNew = at >= cards.length;
  const whole = colours.every(Boolean);
  const same = !isNew && colours.join() === cards[at].join();
  const sizes = ["size_small", "size_medium", "size_big"];
  return h(
    "div",
    { class: "open-card" },
    sizes.map((size, which) =>
      h(
        "div",
        { class: "row choices", key: size, role: "group", "aria-label": t(size) },
        h("span", { class: "label" }, t(size)),
        CONFETTI.map((name) =>
          h(
            "button",
            { type: "button", key: name, class: "small", "aria-pressed": String(colours[which] === name), "aria-label": colour(name), onclick: () => open({ at, colours: swapped(colours, which, name) }) },
            h("span", { class: `swatch ${name}`, "aria-hidden": "true" }),
          ),
        ),
      ),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "main", disabled: !whole || same, onclick: () => enter(isNew ? cards.concat([colours]) : cards.map((one, index) => (index === at ? colours : one))) }, t("enter_card")),
      h("button", { type: "button", class: "quiet", onclick: () => open(undefined) }, t("cancel")),
      isNew ? null : h("button", { type: "button", class: "quiet", onclick: () => enter(cards.filter((_one, index) => index !== at)) }, t("card_not_there")),
    ),
  );
}

// Three circles of one card always have three colours: one that is taken changes places.
function swapped(colours, which, name) {
  const next = colours.slice();
  const other = next.indexOf(name);
  if (other >= 0) next[other] = next[which];
  next[which] = name;
  return next;
}
