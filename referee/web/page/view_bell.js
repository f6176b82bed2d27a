// This phone as a bell: the whole screen for one thumb. What counts is when the thumb came down, by the table's clock.

import { h } from "./dom.js";
import { bellHere, ring, syncClock, withinMs } from "./bell_clock.js";
import { gameOf } from "./games.js";
import { headline } from "./headline.js";
import { heading, sign } from "./parts.js";
import { t } from "./words.js";

const KEPT = "ringmaster-bell";
const BUZZ_MS = 60;
let mine = kept();

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export function opened(app) {
  app.local.told = "";
  bellHere(app);
  syncClock(app);
}

export function draw(app) {
  const { board, mode } = app.state;
  if (!gameOf(app).hasBells || mode === "over") {
    return h("section", { class: "card-box narrow" }, heading(t("nav_bell")), h("p", {}, t("thumb_no_game")), h("a", { class: "button", href: "#table" }, t("back_to_table")));
  }
  const place = board.find((one) => one.name === mine);
  return place ? bell(app, place) : choose(app, board);
}

function choose(app, board) {
  return h(
    "section",
    { class: "card-box narrow", key: "choose" },
    heading(t("thumb_whose")),
    h("p", {}, t("thumb_whose_more")),
    h("div", { class: "choices stacked" }, board.map((place) => h("button", { type: "button", class: "big", key: place.seat, onclick: () => pick(app, place.name) }, sign(place.seat), place.name))),
    h("a", { class: "button quiet", href: "#table" }, t("cancel")),
  );
}

// Who rings here is paired now, not when the first ring is due.
function pick(app, name) {
  app.run(
    () => bellHere(app),
    () => {
      mine = name;
      try {
        localStorage.setItem(KEPT, name);
      } catch {
        // A private window asks again.
      }
      app.draw();
    },
  );
}

function bell(app, place) {
  const shown = headline(app);
  const within = withinMs();
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_bell")),
    h(
      "div",
      { class: "bell-page", key: "bell" },
      h(
        "button",
        { type: "button", class: `bell-button seat-${place.seat % 7}`, "aria-label": t("thumb_ring"), onpointerdown: (event) => press(app, place.seat, event), onkeydown: (event) => byKey(app, place.seat, event) },
        sign(place.seat),
        h("strong", {}, place.name),
        h("span", {}, app.state.mode === "paused" ? t("phase_paused") : t("thumb_press")),
      ),
      h("p", { class: "bell-told" }, shown ? shown.title : ""),
      h("p", { class: "note", role: "status" }, app.local.told || (within === null ? t("one_moment") : t("thumb_within", { ms: within }))),
      h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: () => pickAgain(app) }, t("thumb_other")), h("a", { class: "button quiet", href: "#table" }, t("back_to_table"))),
    ),
  ];
}

function pickAgain(app) {
  mine = null;
  app.draw();
}

function byKey(app, seat, event) {
  if (!event.repeat && ["Enter", " "].includes(event.key)) press(app, seat, event);
}

function press(app, seat, event) {
  event.preventDefault();
  if (navigator.vibrate) navigator.vibrate(BUZZ_MS);
  // When the thumb came down, not when this was run.
  ring(app, seat, event.timeStamp, (told) => {
    app.local.told = told;
    app.draw();
  });
}
