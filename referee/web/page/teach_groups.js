// Draws the groups of cards of one face: to name, split and join them, and to move cards.

import { h } from "./dom.js";
import { gameNamed } from "./games.js";
import { attributeWords, box, button, choices, group, note, row, swatched, word } from "./parts.js";
import { inOrder } from "./server.js";
import { count, t } from "./words.js";

const COLOURS = ["red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black", "grey", "white"];
const SHOWN = 24;

// Carry out a command of the lesson, and keep the lesson in the answer.
export function teach(app, command, done) {
  const take = inOrder(app, "lesson");
  return app.change("/api/lesson", command, (lesson) => {
    take(lesson);
    if (done) done(lesson);
  });
}

export function groups(app, lesson) {
  const { draft } = lesson;
  if (!draft.groups.length) return null;
  const open = draft.groups.find((group) => group.id === app.local.group);
  const named = draft.kind !== "marks" && draft.game;
  // The next group opens by itself: scroll to it.
  const intoView = (node) => setTimeout(() => node.scrollIntoView({ block: "nearest" }), 0);
  const one = (some) => [
    h("li", { key: `group ${some.id}` }, tile(app, draft, some, some === open)),
    some === open ? h("li", { class: "sheet", key: `sheet ${some.id}`, onmade: intoView }, sheet(app, draft, some)) : null,
  ];
  return box("groups", count("teach_groups", draft.groups.length),
    note(t(draft.kind === "marks" ? "teach_marks_why" : named ? "teach_groups_why" : "teach_groups_plain")),
    draft.proposals && named ? row(button(t("teach_confirm"), () => teach(app, { do: "confirm" }), { class: "main" })) : null,
    h("ul", { class: "faces" }, draft.groups.map(one)),
  );
}

// Return a group's tile: picture, name and number of cards.
function tile(app, draft, { id, back, said, cards: held }, isOpen, tap) {
  const label = labelOf(draft, draft.groups.find((one) => one.id === id));
  const look = isWhole(draft, said) || back || !draft.game ? "face-tile" : "face-tile open";
  const props = { class: look, "aria-label": `${label}, ${count("teach_times", held.length)}`, "aria-expanded": isOpen === undefined ? null : String(isOpen) };
  return button([thumb(held[0]), h("span", { class: "name" }, label), held.length > 1 ? h("span", { class: "times num" }, `×${held.length}`) : null], tap || (() => show(app, isOpen ? null : id)), props);
}

function thumb(card) {
  return h("img", { src: `/lesson/card/${card}.png`, alt: "", loading: "lazy", key: card });
}

export function labelOf(draft, some) {
  if (!some) return t("teach_unknown");
  if (some.back) return t("teach_back");
  if (isWhole(draft, some.said)) return attributeWords(some.said);
  const guess = Object.keys(some.said).length ? some.said : some.proposed;
  if (Object.keys(guess).length) return `${attributeWords(guess)}?`;
  return draft.game && draft.kind !== "marks" ? "?" : t("teach_card_n", { n: draft.groups.indexOf(some) + 1 });
}

function isWhole(draft, said) {
  const { isNamed } = gameNamed(draft.game || "");
  return isNamed ? isNamed(said) : false;
}

function show(app, id) {
  app.set({ group: id, card: null, joining: false, naming: null });
}

function sheet(app, draft, one) {
  if (draft.kind === "marks") return h("div", { class: "correct" }, cards(one, null));
  const small = (key, tap, more) => button(t(key), tap, Object.assign({ class: "small" }, more));
  if (app.local.joining || app.local.card) return group("correct", t("what_is_it"), elsewhere(app, draft, one));
  return group("correct", t("what_is_it"),
    gameNamed(draft.game || "").namedBy ? naming(app, draft, one) : null,
    choices(null, [{ key: "back", on: one.back, text: t("teach_is_back"), tap: () => say(app, one, {}, true), more: { class: "small" } }]),
    cards(one, (card) => app.set({ card })),
    row(
      small("teach_same_as", () => app.set({ joining: true }), { disabled: draft.groups.length < 2 }),
      small("teach_split", () => teach(app, { do: "split", group: one.id }), { disabled: one.cards.length < 2 }),
      small("teach_close", () => show(app, null), { class: "small quiet" }),
    ),
  );
}

// Return the choices that name a group; the last one that is needed sends it.
function naming(app, draft, some) {
  const known = Object.assign({}, Object.keys(some.said).length ? some.said : some.proposed, (app.local.naming || {})[some.id]);
  const { colourNamed, namedBy } = gameNamed(draft.game);
  const set = (part) => {
    const next = Object.assign({}, known, part);
    if (part.kind && part.kind !== "colour") delete next.colour;
    if (part.kind && part.kind !== "row") delete next.room;
    app.set({ naming: { [some.id]: next } });
    if (isWhole(draft, next)) say(app, some, next, false);
  };
  const choice = (key, on, text, tap) => ({ key, on, text, tap });
  const ink = (name) => choice(name, known.colour === name, swatched(name, word(name)), () => set(colourNamed(name)));
  return [h("h3", {}, t("teach_which_card")), choices(t("teach_which_card"), namedBy(known, choice, set)), choices(t("teach_colour"), COLOURS.map(ink))];
}

function say(app, some, attributes, isBack) {
  teach(app, { do: "say", group: some.id, attributes, back: isBack }, (lesson) => {
    const order = lesson.draft.groups;
    const at = order.findIndex((one) => one.id === some.id);
    const next = [...order.slice(at + 1), ...order.slice(0, at + 1)].find((one) => !one.back && !isWhole(lesson.draft, one.said));
    show(app, next && next.id !== some.id ? next.id : null);
  });
}

function cards(some, onpick) {
  const canMove = onpick && some.cards.length > 1;
  const one = (card, at) => (canMove ? button(thumb(card), () => onpick(card), { class: "bare card-thumb", key: card, "aria-label": t("teach_move_card", { n: at + 1 }) }) : h("span", { class: "card-thumb", key: card }, thumb(card)));
  return group("row cards", count("teach_times", some.cards.length), some.cards.slice(0, SHOWN).map(one), canMove ? note(t("teach_tap_card")) : null);
}

// Return the choice of a group for the open card, or for all cards of this group.
function elsewhere(app, draft, some) {
  const { card } = app.local;
  const moveTo = (to) => teach(app, card ? { do: "move", card, to } : { do: "join", first: to, second: some.id }, () => show(app, null));
  return [
    h("h3", {}, t(card ? "teach_card_is" : "teach_group_is")),
    card ? h("span", { class: "card-thumb" }, thumb(card)) : null,
    pick(app, draft, draft.groups.filter((one) => one !== some), moveTo),
    row(card ? button(t("teach_own_group"), () => moveTo(null), { class: "small" }) : null, button(t("cancel"), () => app.set({ card: null, joining: false }), { class: "small quiet" })),
  ];
}

export function pick(app, draft, among, onpick) {
  return h("ul", { class: "faces" }, among.map((one) => h("li", { key: `to ${one.id}` }, tile(app, draft, one, undefined, () => onpick(one.id)))));
}
