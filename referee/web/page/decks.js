// The decks of this table, in the settings: their faces, and to rename, send, load and remove those that were taught.

import { h } from "./dom.js";
import { change, sendDeck } from "./server.js";
import { button, colour, waitingFor } from "./parts.js";
import { count, has, t } from "./words.js";

const MOST_BYTES = 24 * 1024 * 1024;
const SHOWN = 60;

export function openedDecks(app) {
  app.load("decks", "/api/decks");
}

export function decks(app) {
  const { decks: listed } = app.local;
  // A table that keeps nothing, as the demo's, has no decks of its own.
  if (listed && listed.fault) return null;
  return h(
    "section",
    { class: "card-box", key: "decks", "aria-labelledby": "decks-title" },
    h("h2", { id: "decks-title" }, t("decks")),
    h("p", { class: "note" }, t("decks_why")),
    h("div", { class: "row" }, canTeach(app) ? h("a", { class: "button main", href: "#teach" }, t("nav_teach")) : null, loading(app)),
    h("p", { class: "fault", role: "alert" }, app.local.deckFault || ""),
    listed ? h("ul", { class: "decks" }, listed.decks.map((deck) => one(app, deck, listed.in_use))) : waitingFor(listed),
  );
}

export function canTeach(app) {
  return typeof app.state.lesson === "number";
}

function one(app, deck, inUse) {
  const open = app.local.deck === deck.deck;
  const toggle = () => {
    Object.assign(app.local, { deck: open ? null : deck.deck, removing: false, deckName: null });
    app.draw();
  };
  const faces = deck.faces || [];
  const fronts = faces.filter((face) => face.side !== "back").length;
  const about = deck.trouble ? t("fault_deck_file_bad") : [deck.game ? t(`game_${deck.game}`) : null, count("deck_faces", fronts), deck.taught ? null : t("deck_built_in")].filter(Boolean).join(" · ");
  return h(
    "li",
    { key: deck.deck },
    h("button", { type: "button", class: "deck-line", "aria-expanded": String(open), onclick: toggle }, h("span", { class: "strip", "aria-hidden": "true" }, faces.slice(0, 3).map((_face, at) => picture(deck, at, ""))), h("span", {}, h("strong", {}, shownName(deck)), h("span", { class: "note" }, about))),
    open ? inside(app, deck, inUse) : null,
  );
}

function shownName(deck) {
  return deck.taught || !has(`game_${deck.deck}`) ? deck.deck : t(`game_${deck.deck}`);
}

function picture(deck, at, alt) {
  const query = new URLSearchParams({ deck: deck.deck, n: at, v: deck.version || "" });
  return h("img", { src: `/api/decks/face.png?${query}`, alt, loading: "lazy", key: at });
}

function inside(app, deck, inUse) {
  const faces = (deck.faces || []).slice(0, SHOWN);
  return h(
    "div",
    { class: "column inside" },
    h("ul", { class: "faces" }, faces.map((face, at) => h("li", { class: "face-tile", key: at }, picture(deck, at, ""), h("span", { class: "name" }, faceWords(face))))),
    (deck.faces || []).length > SHOWN ? h("p", { class: "note" }, count("deck_more_faces", deck.faces.length - SHOWN)) : null,
    deck.taught ? ways(app, deck, inUse === deck.deck) : null,
  );
}

function faceWords(face) {
  if (face.side === "back") return t("teach_back");
  if (face.marks) return face.marks.map(colour).join(", ");
  const { kind, colour: own, mood, room } = face.attributes || {};
  const word = kind && kind !== "colour" ? (has(`kind_${kind.replace(" ", "_")}`) ? t(`kind_${kind.replace(" ", "_")}`) : kind) : null;
  const parts = [word, own ? colour(own) : null, mood ? (has(`mood_${mood}`) ? t(`mood_${mood}`).toLowerCase() : mood) : null, room].filter(Boolean);
  return parts.length ? parts.join(", ") : face.face;
}

function ways(app, deck, isInUse) {
  const { local } = app;
  const name = local.deckName === null || local.deckName === undefined ? deck.deck : local.deckName;
  const rename = (event) => {
    event.preventDefault();
    tell(app, { do: "rename", deck: deck.deck, new: name }, () => {
      Object.assign(local, { deck: name.trim(), deckName: null });
      app.toasted(t("saved"));
    });
  };
  const ask = (on) => {
    local.removing = on;
    app.draw();
  };
  if (isInUse) return h("p", { class: "note" }, t("fault_deck_in_use"));
  return [
    deck.trouble
      ? null
      : h(
          "form",
          { class: "row", key: "rename", onsubmit: rename },
          h("label", { class: "sr", for: "deck-new-name" }, t("deck_name")),
          h("input", { id: "deck-new-name", value: name, maxlength: 60, autocomplete: "off", oninput: (event) => Object.assign(local, { deckName: event.target.value }) }),
          h("button", { type: "submit" }, t("deck_rename")),
        ),
    h(
      "div",
      { class: "row", key: "ways" },
      deck.trouble ? null : h("a", { class: "button", href: `/api/decks/file?${new URLSearchParams({ deck: deck.deck })}`, download: `${deck.deck}.deck` }, t("deck_send")),
      local.removing ? [h("span", {}, t("deck_remove_sure", { name: deck.deck })), button(t("deck_remove_yes"), () => remove(app, deck), { class: "danger" }), button(t("cancel"), () => ask(false))] : button(t("deck_remove"), () => ask(true), { class: "quiet" }),
    ),
  ];
}

function remove(app, deck) {
  tell(app, { do: "remove", deck: deck.deck }, () => {
    Object.assign(app.local, { deck: null, removing: false });
    app.toasted(t("deck_removed", { name: deck.deck }));
  });
}

function tell(app, command, done) {
  app.run(
    () => change("/api/decks", command),
    (listed) => {
      app.local.decks = listed;
      done();
    },
  );
}

function loading(app) {
  return h(
    "label",
    { class: "button file" },
    h("span", {}, t("deck_load")),
    h("input", { type: "file", class: "sr", accept: ".deck", onchange: (event) => load(app, event.target) }),
  );
}

function load(app, field) {
  const file = field.files[0];
  field.value = "";
  if (!file) return;
  app.local.deckFault = file.size > MOST_BYTES ? t("fault_too_large") : "";
  app.draw();
  if (app.local.deckFault) return;
  app.run(
    () => sendDeck(file),
    (listed) => {
      Object.assign(app.local, { decks: listed, deck: listed.deck, deckFault: "" });
      app.toasted(t("deck_loaded", { name: listed.deck }));
    },
  );
}
