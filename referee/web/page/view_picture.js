// Scores a picture of a table of Confetti that was taken with a phone.

import { h } from "./dom.js";
import { sendPicture } from "./server.js";
import { heading, sign } from "./parts.js";
import { zoomable } from "./zoom.js";
import { t } from "./words.js";

const MOST_BYTES = 24 * 1024 * 1024;

export function opened(app) {
  app.load("decks", "/api/table/decks");
}

export function draw(app) {
  const { local } = app;
  const players = local.players || 3;
  const limit = local.limit || 6;
  return [
    heading(t("score_picture")),
    h(
      "form",
      { class: "card-box narrow", onsubmit: (event) => send(app, event, players, limit) },
      h("p", {}, t("score_picture_more")),
      h("p", { class: "note" }, t("usable_cards")),
      h("label", { for: "file" }, t("picture_file")),
      h("input", { id: "file", type: "file", accept: "image/jpeg,image/png,image/webp,image/heic,image/heif", required: true }),
      chooseDeck(app),
      choice(app, "players", t("how_many_players"), [1, 2, 3, 4, 5, 6, 7], players),
      choice(app, "limit", t("most_cards"), [6, 9], limit),
      h("p", { class: "fault", role: "alert" }, local.fault || ""),
      h("button", { type: "submit", class: "main big", disabled: Boolean(local.busy) }, local.busy ? t("one_moment") : t("score_now")),
    ),
    local.result ? result(local.result) : null,
  ];
}

// Asked only where the family has taught an edition of its own.
function chooseDeck(app) {
  const decks = decksOf(app);
  if (decks.length < 2) return null;
  const choose = (event) => {
    app.local.deck = event.target.value;
  };
  return h(
    "div",
    { class: "option" },
    h("label", { for: "deck" }, t("which_deck")),
    h(
      "select",
      { id: "deck", onchange: choose },
      decks.map((name) => h("option", { value: name, selected: name === (app.local.deck || decks[0]), key: name }, name === "confetti" ? t("own_deck") : name)),
    ),
  );
}

function decksOf(app) {
  return (app.local.decks && app.local.decks.decks && app.local.decks.decks.confetti) || [];
}

function choice(app, name, label, values, chosen) {
  return h(
    "div",
    { class: "option" },
    h("label", { for: name }, label),
    h(
      "select",
      {
        id: name,
        onchange: (event) => {
          app.local[name] = Number(event.target.value);
        },
      },
      values.map((value) => h("option", { value: String(value), selected: value === chosen, key: value }, String(value))),
    ),
  );
}

function result(scored) {
  return h(
    "section",
    { class: "card-box", key: "result" },
    h("ul", { class: "said" }, scored.sentences.map((one) => h("li", {}, sign(one.seat), h("span", {}, one.text)))),
    h("figure", { class: "evidence" }, zoomable("scored", h("img", { src: scored.url, alt: t("evidence_alt") }))),
  );
}

function send(app, event, players, limit) {
  event.preventDefault();
  const file = document.getElementById("file").files[0];
  const { local } = app;
  if (!file) return;
  if (file.size > MOST_BYTES) {
    Object.assign(local, { fault: t("fault_too_large"), result: null });
    app.draw();
    return;
  }
  const work = async () => {
    Object.assign(local, { busy: true, fault: "", result: null });
    app.draw();
    try {
      local.result = await sendPicture(file, players, limit, local.deck || decksOf(app)[0] || "confetti");
      const bytes = Uint8Array.from(atob(local.result.picture), (char) => char.charCodeAt(0));
      local.result.url = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
    } catch (fault) {
      if (fault.status === 401) throw fault;
      local.fault = app.wordsOf(fault);
    } finally {
      local.busy = false;
    }
  };
  app.run(work);
}
