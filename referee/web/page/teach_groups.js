// The groups of cards that show one face: named by tapping, split, joined, and a card moved to where it belongs.

import { h } from "./dom.js";
import { kindWord } from "./game_coloretto.js";
import { gameNamed } from "./games.js";
import { box, button, choices, colour, note, row, swatched } from "./parts.js";
import { teach } from "./view_teach.js";
import { count, t } from "./words.js";

const COLOURS = ["red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black", "grey", "white"];
const SHOWN = 24;

export function groups(app, lesson) {
  const { draft } = lesson;
  if (!draft.groups.length) return null;
  const open = draft.groups.find((group) => group.id === app.local.group);
  const named = draft.kind !== "marks" && draft.game;
  // The next group opens by itself: nobody has to look for it.
  const intoView = (node) => setTimeout(() => node.scrollIntoView({ block: "nearest" }), 0);
  const one = (group) => [
    h("li", { key: `group ${group.id}` }, tile(app, draft, group, group === open)),
    group === open ? h("li", { class: "sheet", key: `sheet ${group.id}`, onmade: intoView }, sheet(app, draft, group)) : null,
  ];
  return box(
    "groups",
    count("teach_groups", draft.groups.length),
    note(t(draft.kind === "marks" ? "teach_marks_why" : named ? "teach_groups_why" : "teach_groups_plain")),
    draft.proposals && named ? row(button(t("teach_confirm"), () => teach(app, { do: "confirm" }), { class: "main" })) : null,
    h("ul", { class: "faces" }, draft.groups.map(one)),
  );
}

// A face as people know it: its picture, its name, and how many cards show it.
function tile(app, draft, group, isOpen, tap) {
  const label = labelOf(draft, group);
  const props = {
    class: `face-tile ${isWhole(draft, group.said) || group.back || !draft.game ? "" : "open"}`,
    "aria-label": `${label}, ${count("teach_times", group.cards.length)}`,
    "aria-expanded": isOpen === undefined ? null : String(isOpen),
  };
  return button([thumb(group.cards[0]), h("span", { class: "name" }, label), group.cards.length > 1 ? h("span", { class: "times num" }, `×${group.cards.length}`) : null], tap || (() => show(app, isOpen ? null : group.id)), props);
}

function thumb(card) {
  return h("img", { src: `/lesson/card/${card}.png`, alt: "", loading: "lazy", key: card });
}

export function labelOf(draft, group) {
  if (!group) return t("teach_unknown");
  if (group.back) return t("teach_back");
  if (isWhole(draft, group.said)) return wordsOf(group.said);
  const guess = Object.keys(group.said).length ? group.said : group.proposed;
  if (Object.keys(guess).length) return `${wordsOf(guess)}?`;
  return draft.game && draft.kind !== "marks" ? "?" : t("teach_card_n", { n: draft.groups.indexOf(group) + 1 });
}

function wordsOf({ kind, room, colour: ink, mood }) {
  const named = kind && kind !== "colour" ? kindWord(kind) + (room ? ` ${room}` : "") : null;
  return [named, ink ? colour(ink) : null, mood ? t(`mood_${mood}`).toLowerCase() : null].filter(Boolean).join(", ");
}

function isWhole(draft, said) {
  const { isNamed } = gameNamed(draft.game || "");
  return isNamed ? isNamed(said) : false;
}

function show(app, id) {
  mark(app, { group: id, card: null, joining: false, naming: null });
}

function mark(app, part) {
  Object.assign(app.local, part);
  app.draw();
}

function sheet(app, draft, group) {
  if (draft.kind === "marks") return h("div", { class: "correct" }, cards(group, null));
  const small = (key, tap, more) => button(t(key), tap, Object.assign({ class: "small" }, more));
  const inside =
    app.local.joining || app.local.card
      ? elsewhere(app, draft, group)
      : [
          gameNamed(draft.game || "").namedBy ? naming(app, draft, group) : null,
          choices(null, [{ key: "back", on: group.back, text: t("teach_is_back"), tap: () => say(app, group, {}, true), more: { class: "small" } }]),
          cards(group, (card) => mark(app, { card })),
          row(
            small("teach_same_as", () => mark(app, { joining: true }), { disabled: draft.groups.length < 2 }),
            small("teach_split", () => teach(app, { do: "split", group: group.id }), { disabled: group.cards.length < 2 }),
            small("teach_close", () => show(app, null), { class: "small quiet" }),
          ),
        ];
  return h("div", { class: "correct", role: "group", "aria-label": t("what_is_it") }, inside);
}

// A tap on each part: the last one that is needed sends it, and the next group without a name opens.
function naming(app, draft, group) {
  const known = Object.assign({}, Object.keys(group.said).length ? group.said : group.proposed, (app.local.naming || {})[group.id]);
  const { colourNamed, namedBy } = gameNamed(draft.game);
  const set = (part) => {
    const next = Object.assign({}, known, part);
    if (part.kind && part.kind !== "colour") delete next.colour;
    if (part.kind && part.kind !== "row") delete next.room;
    app.local.naming = { [group.id]: next };
    if (isWhole(draft, next)) say(app, group, next, false);
    else app.draw();
  };
  const choice = (key, on, text, tap) => ({ key, on, text, tap });
  const ink = (name) => choice(name, known.colour === name, swatched(name, colour(name)), () => set(colourNamed(name)));
  return [h("h3", {}, t("teach_which_card")), choices(t("teach_which_card"), namedBy(known, choice, set)), choices(t("teach_colour"), COLOURS.map(ink))];
}

function say(app, group, attributes, isBack) {
  teach(app, { do: "say", group: group.id, attributes, back: isBack }, (lesson) => {
    const order = lesson.draft.groups;
    const at = order.findIndex((one) => one.id === group.id);
    const next = [...order.slice(at + 1), ...order.slice(0, at + 1)].find((one) => !one.back && !isWhole(lesson.draft, one.said));
    show(app, next && next.id !== group.id ? next.id : null);
  });
}

function cards(group, onpick) {
  const canMove = onpick && group.cards.length > 1;
  const one = (card, at) => (canMove ? button(thumb(card), () => onpick(card), { class: "bare card-thumb", key: card, "aria-label": t("teach_move_card", { n: at + 1 }) }) : h("span", { class: "card-thumb", key: card }, thumb(card)));
  return h("div", { class: "row cards", role: "group", "aria-label": count("teach_times", group.cards.length) }, group.cards.slice(0, SHOWN).map(one), canMove ? note(t("teach_tap_card")) : null);
}

// Where a card, or a whole group, belongs.
function elsewhere(app, draft, group) {
  const { card } = app.local;
  const put = (to) => teach(app, card ? { do: "move", card, to } : { do: "join", first: to, second: group.id }, () => show(app, null));
  return [
    h("h3", {}, t(card ? "teach_card_is" : "teach_group_is")),
    card ? h("span", { class: "card-thumb" }, thumb(card)) : null,
    pick(app, draft, draft.groups.filter((one) => one !== group), put),
    row(card ? button(t("teach_own_group"), () => put(null), { class: "small" }) : null, button(t("cancel"), () => mark(app, { card: null, joining: false }), { class: "small quiet" })),
  ];
}

export function pick(app, draft, among, onpick) {
  return h("ul", { class: "faces" }, among.map((one) => h("li", { key: `to ${one.id}` }, tile(app, draft, one, undefined, () => onpick(one.id)))));
}
