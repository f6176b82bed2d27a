// Draws the list of decks in the settings: their faces, and buttons to rename, download, load and remove them.

import { h } from "./dom.js";
import { send } from "./server.js";
import { attributeWords, box, button, confirmed, faceWords, form, note, row, waitingFor } from "./parts.js";
import { count, has, t } from "./words.js";

const MOST_MB = 24;
const SHOWN = 60;

export function decks(app) {
  const listed = app.loaded("decks", "/api/decks");
  // The demo stores nothing, and refuses the list.
  if (listed && listed.fault) return null;
  const loading = h("label", { class: "button file" }, h("span", {}, t("deck_load")), h("input", { type: "file", class: "sr", accept: ".deck", onchange: (event) => load(app, event.target) }));
  return box("decks", t("decks"),
    note(t("decks_why")),
    row(canTeach(app) ? h("a", { class: "button main", href: "#teach" }, t("nav_teach")) : null, loading),
    listed ? h("ul", { class: "lined" }, listed.decks.map((deck) => one(app, deck, listed.in_use))) : waitingFor(listed),
  );
}

export function canTeach(app) {
  return typeof app.state.lesson === "number";
}

function one(app, deck, inUse) {
  const open = app.local.deck === deck.deck;
  const toggle = () => app.set({ deck: open ? null : deck.deck, asked: null, deckName: null });
  const faces = deck.faces || [];
  const fronts = faces.filter((face) => face.side !== "back").length;
  const about = deck.trouble ? t("fault_deck_file_bad") : [deck.game ? t(`game_${deck.game}`) : null, count("deck_faces", fronts), deck.taught ? null : t("deck_built_in")].filter(Boolean).join(" · ");
  const name = deck.taught || !has(`game_${deck.deck}`) ? deck.deck : t(`game_${deck.deck}`);
  const content = [h("span", { class: "strip", "aria-hidden": "true" }, faces.slice(0, 3).map((_face, at) => picture(deck, at))), h("span", {}, h("strong", {}, name), h("span", { class: "note" }, about))];
  return h("li", { key: deck.deck }, button(content, toggle, { class: "deck-line", "aria-expanded": String(open) }), open ? inside(app, deck, faces, inUse === deck.deck) : null);
}

function picture(deck, at) {
  return h("img", { src: `/api/decks/face.png?${new URLSearchParams({ deck: deck.deck, n: at, v: deck.version || "" })}`, alt: "", loading: "lazy", key: at });
}

function inside(app, deck, faces, isInUse) {
  return h("div", { class: "column inside" },
    h("ul", { class: "faces" }, faces.slice(0, SHOWN).map((face, at) => h("li", { class: "face-tile", key: at }, picture(deck, at), h("span", { class: "name" }, wordsOf(face))))),
    faces.length > SHOWN ? note(count("deck_more_faces", faces.length - SHOWN)) : null,
    !deck.taught ? null : isInUse ? note(t("fault_deck_in_use")) : ways(app, deck),
  );
}

function wordsOf({ side, marks, attributes, face }) {
  if (side === "back") return t("teach_back");
  return (marks ? faceWords(marks) : attributeWords(attributes || {})) || face;
}

function ways(app, deck) {
  const { local } = app;
  const name = local.deckName === null || local.deckName === undefined ? deck.deck : local.deckName;
  const rename = () => changeDeck(app, { do: "rename", deck: deck.deck, new: name }, { deck: name.trim(), deckName: null }, t("saved"));
  const remove = () => changeDeck(app, { do: "remove", deck: deck.deck }, { deck: null, asked: null }, t("deck_removed", { name: deck.deck }));
  const field = h("input", { id: "deck-new-name", value: name, maxlength: 60, autocomplete: "off", oninput: (event) => Object.assign(local, { deckName: event.target.value }) });
  return [
    deck.trouble ? null : form("row", rename, h("label", { class: "sr", for: "deck-new-name" }, t("deck_name")), field, button(t("deck_rename"), null, { type: "submit" })),
    row(
      deck.trouble ? null : h("a", { class: "button", href: `/api/decks/file?${new URLSearchParams({ deck: deck.deck })}`, download: `${deck.deck}.deck` }, t("deck_send")),
      confirmed(app, "remove", t("deck_remove_sure", { name: deck.deck }), t("deck_remove_yes"), remove, t("deck_remove")),
    ),
  ];
}

function changeDeck(app, command, part, text) {
  app.change("/api/decks", command, (listed) => {
    app.set(Object.assign({ decks: listed }, part));
    app.toasted(text);
  });
}

function load(app, input) {
  const file = input.files[0];
  input.value = "";
  if (!file) return;
  const loaded = (listed) => {
    app.set({ decks: listed, deck: listed.deck });
    app.toasted(t("deck_loaded", { name: listed.deck }));
  };
  app.run(() => send("/api/decks/file", file, MOST_MB), loaded);
}
