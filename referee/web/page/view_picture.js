// Draws the form that scores an uploaded picture of Confetti, and its result.

import { h } from "./dom.js";
import { send } from "./server.js";
import { button, form, heading, note, select, sign } from "./parts.js";
import { zoomable } from "./zoom.js";
import { t } from "./words.js";

const MOST_MB = 24;

export function draw(app) {
  const { local } = app;
  const { confetti: decks = [] } = (app.loaded("decks", "/api/table/decks") || {}).decks || {};
  const of = (name, usual) => (local[name] === undefined ? usual : local[name]);
  const choice = (name, label, values, usual, words = String) => select(name, label, values.map((value) => [value, words(value)]), of(name, usual), (value) => Object.assign(local, { [name]: value }));
  return [
    heading(t("score_picture")),
    form("card-box narrow", () => score(app, { players: of("players", 3), limit: of("limit", 6), deck: of("deck", decks[0] || "confetti") }),
      h("p", {}, t("score_picture_more")),
      note(t("usable_cards")),
      h("label", { for: "file" }, t("picture_file")),
      h("input", { id: "file", type: "file", accept: "image/jpeg,image/png,image/webp,image/heic,image/heif", required: true }),
      // Only a taught deck makes this a choice.
      decks.length < 2 ? null : choice("deck", t("which_deck"), decks, decks[0], (name) => (name === "confetti" ? t("own_deck") : name)),
      choice("players", t("how_many_players"), [1, 2, 3, 4, 5, 6, 7], 3),
      choice("limit", t("most_cards"), [6, 9], 6),
      button(local.busy ? t("one_moment") : t("score_now"), null, { type: "submit", class: "main big", disabled: Boolean(local.busy) }),
    ),
    local.result ? result(local.result) : null,
  ];
}

function result(scored) {
  return h("section", { class: "card-box", key: "result" },
    h("ul", { class: "said lined" }, scored.sentences.map((one) => h("li", {}, sign(one.seat), h("span", {}, one.text)))),
    h("figure", { class: "evidence" }, zoomable("scored", h("img", { src: scored.url, alt: t("evidence_alt") }))),
  );
}

function score(app, query) {
  const file = document.getElementById("file").files[0];
  const { local } = app;
  if (!file) return;
  app.set({ busy: true, result: null });
  app.run(async () => {
    try {
      const found = await send(`/api/picture?${new URLSearchParams(query)}`, file, MOST_MB, "no_answer");
      const bytes = Uint8Array.from(atob(found.picture), (char) => char.charCodeAt(0));
      local.result = Object.assign(found, { url: URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" })) });
    } finally {
      local.busy = false;
    }
  });
}
