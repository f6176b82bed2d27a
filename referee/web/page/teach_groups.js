// The groups of cards that show one face: named by tapping, split, joined, and a card moved to where it belongs.

import { h } from "./dom.js";
import { kindWord } from "./game_coloretto.js";
import { gameNamed } from "./games.js";
import { button, colour } from "./parts.js";
import { teach } from "./view_teach.js";
import { boxOf, spot } from "./hands.js";
import { count, t } from "./words.js";

const COLOURS = ["red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black", "grey", "white"];
const FEW = 12;

export function groups(app, lesson) {
  const { draft } = lesson;
  if (!draft.groups.length) return null;
  const open = draft.groups.find((group) => group.id === app.local.group);
  const named = draft.kind !== "marks" && draft.game;
  return h(
    "section",
    { class: "card-box", key: "groups" },
    h("h2", {}, count("teach_groups", draft.groups.length)),
    h("p", { class: "note" }, t(draft.kind === "marks" ? "teach_marks_why" : named ? "teach_groups_why" : "teach_groups_plain")),
    draft.proposals && named
      ? h("div", { class: "row", key: "confirm" }, button(t("teach_confirm"), () => teach(app, { do: "confirm" }), { class: "main" }))
      : null,
    h(
      "ul",
      { class: "faces" },
      draft.groups.map((group) => [
        h("li", { key: `group ${group.id}` }, tile(app, draft, group, group === open)),
        group === open ? h("li", { class: "sheet", key: `sheet ${group.id}`, onmade: intoView }, sheet(app, draft, group)) : null,
      ]),
    ),
  );
}

// The next group opens by itself: nobody has to look for it.
function intoView(node) {
  setTimeout(() => node.scrollIntoView({ block: "nearest" }), 0);
}

// A face as people know it: its picture, its name, and how many cards show it.
export function tile(app, draft, group, isOpen, ontap) {
  const label = labelOf(draft, group);
  const props = {
    type: "button",
    class: `face-tile ${isWhole(draft, group.said) || group.back || !draft.game ? "" : "open"}`,
    "aria-label": `${label}, ${count("teach_times", group.cards.length)}`,
    onclick: ontap || (() => show(app, isOpen ? null : group.id)),
  };
  if (isOpen !== undefined) props["aria-expanded"] = String(isOpen);
  return h("button", props, thumb(group.cards[0]), h("span", { class: "name" }, label), group.cards.length > 1 ? h("span", { class: "times num" }, `×${group.cards.length}`) : null);
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

function wordsOf(said) {
  const parts = [];
  if (said.kind && said.kind !== "colour") parts.push(kindWord(said.kind) + (said.room ? ` ${said.room}` : ""));
  if (said.colour) parts.push(colour(said.colour));
  if (said.mood) parts.push(t(`mood_${said.mood}`).toLowerCase());
  return parts.join(", ");
}

function isWhole(draft, said) {
  const { isNamed } = gameNamed(draft.game || "");
  return isNamed ? isNamed(said) : false;
}

function show(app, id) {
  Object.assign(app.local, { group: id, card: null, joining: false, naming: null });
  app.draw();
}

function sheet(app, draft, group) {
  if (draft.kind === "marks") return h("div", { class: "correct" }, cards(app, group, null));
  const { local } = app;
  const joining = local.joining || local.card;
  return h(
    "div",
    { class: "correct", role: "group", "aria-label": t("what_is_it") },
    joining ? elsewhere(app, draft, group) : [gameNamed(draft.game || "").namedBy ? naming(app, draft, group) : null, back(app, group)],
    joining ? null : cards(app, group, (card) => mark(app, { card })),
    joining
      ? null
      : h(
          "div",
          { class: "row" },
          button(t("teach_same_as"), () => mark(app, { joining: true }), { class: "small", disabled: draft.groups.length < 2 }),
          button(t("teach_split"), () => teach(app, { do: "split", group: group.id }), { class: "small", disabled: group.cards.length < 2 }),
          button(t("teach_close"), () => show(app, null), { class: "small quiet" }),
        ),
  );
}

function mark(app, part) {
  Object.assign(app.local, part);
  app.draw();
}

function back(app, group) {
  return h("div", { class: "row choices" }, button(t("teach_is_back"), () => say(app, group, {}, true), { "aria-pressed": String(group.back), class: "small" }));
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
  const colours = h(
    "div",
    { class: "row choices", key: "colours", role: "group", "aria-label": t("teach_colour") },
    COLOURS.map((name) => choice(name, known.colour === name, [h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), colour(name)], () => set(colourNamed(name)))),
  );
  return [h("h3", {}, t("teach_which_card")), h("div", { class: "row choices", key: "second" }, namedBy(known, choice, set)), colours];
}

function choice(key, chosen, content, onclick) {
  return h("button", { type: "button", key, "aria-pressed": String(chosen), onclick }, content);
}

function say(app, group, attributes, isBack) {
  teach(app, { do: "say", group: group.id, attributes, back: isBack }, (lesson) => {
    const order = lesson.draft.groups;
    const at = order.findIndex((one) => one.id === group.id);
    const next = order.slice(at + 1).concat(order.slice(0, at + 1)).find((one) => !one.back && !isWhole(lesson.draft, one.said));
    show(app, next && next.id !== group.id ? next.id : null);
  });
}

function cards(app, group, onpick) {
  const shown = group.cards.slice(0, FEW * 2);
  return h(
    "div",
    { class: "row cards", role: "group", "aria-label": count("teach_times", group.cards.length) },
    shown.map((card, at) =>
      onpick && group.cards.length > 1
        ? h("button", { type: "button", class: "bare card-thumb", key: card, "aria-label": t("teach_move_card", { n: at + 1 }), onclick: () => onpick(card) }, thumb(card))
        : h("span", { class: "card-thumb", key: card }, thumb(card)),
    ),
    onpick && group.cards.length > 1 ? h("p", { class: "note" }, t("teach_tap_card")) : null,
  );
}

// Where a card, or a whole group, belongs.
function elsewhere(app, draft, group) {
  const { card } = app.local;
  const put = (to) => {
    const command = card ? { do: "move", card, to } : { do: "join", first: to, second: group.id };
    teach(app, command, () => show(app, null));
  };
  return [
    h("h3", {}, t(card ? "teach_card_is" : "teach_group_is")),
    card ? h("span", { class: "card-thumb" }, thumb(card)) : null,
    pick(app, draft, draft.groups.filter((one) => one !== group), put),
    h("div", { class: "row" }, card ? button(t("teach_own_group"), () => put(null), { class: "small" }) : null, button(t("cancel"), () => mark(app, { card: null, joining: false }), { class: "small quiet" })),
  ];
}

export function pick(app, draft, among, onpick) {
  return h("ul", { class: "faces" }, among.map((one) => h("li", { key: `to ${one.id}` }, tile(app, draft, one, undefined, () => onpick(one.id)))));
}

// A picture with outlines on it: `{ corners: shares, sure, key, label, ontap }`.
export function outlined(source, alt, outlines) {
  return h(
    "div",
    { class: "picture" },
    h("img", { src: source, alt }),
    h(
      "svg",
      { class: "outlines", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
      outlines.map((one) => h("polygon", { key: one.key, class: one.sure ? "outline seat-2" : "outline unsure", points: one.corners.map((corner) => corner.join(",")).join(" ") })),
    ),
    outlines.filter((one) => one.label && one.corners.length).map(tag),
  );
}

function tag(one) {
  const box = boxOf(one.corners);
  const [left, , right, bottom] = box;
  const side = left + right < 0.5 ? "rightwards" : left + right > 1.5 ? "leftwards" : "";
  const props = { class: `seen named ${side} ${bottom > 0.85 ? "upwards" : ""}`, key: one.key, place: spot(box) };
  const name = h("span", { class: "name" }, one.label);
  if (!one.ontap) return h("span", props, name);
  return h("button", Object.assign(props, { type: "button", "aria-label": t("correct_this", { what: one.label }), onclick: one.ontap }), name);
}
