// Draws this phone as a bell: one button over the whole screen. The time of the press counts.

import { h } from "./dom.js";
import { bellHere, bestAnswer, ring, syncClock } from "./bell_clock.js";
import { gameOf } from "./games.js";
import { headline } from "./headline.js";
import { keep, kept } from "./kept.js";
import { button, heading, row, sign } from "./parts.js";
import { t } from "./words.js";

const KEPT = "ringmaster-bell";
const BUZZ_MS = 60;
let mine = kept(KEPT);

export { syncClock as opened };

export function draw(app) {
  const { board, mode } = app.state;
  const place = board.find((one) => one.name === mine);
  const back = (look) => h("a", { class: look, href: "#table" }, t("back_to_table"));
  if (!gameOf(app).hasBells || mode === "over") return h("section", { class: "card-box narrow" }, heading(t("nav_bell")), h("p", {}, t("thumb_no_game")), back("button"));
  if (place) return bell(app, place, back("button quiet"));
  // Pair this device before its first ring.
  const pick = (name) => app.run(() => bellHere(app), () => be(app, name));
  const choice = (one) => button([sign(one.seat), one.name], () => pick(one.name), { class: "big", key: one.seat });
  return h("section", { class: "card-box narrow", key: "choose" }, heading(t("thumb_whose")), h("p", {}, t("thumb_whose_more")), h("div", { class: "row choices stacked" }, board.map(choice)), back("button quiet"));
}

function be(app, name) {
  mine = name;
  keep(KEPT, name);
  app.draw();
}

function bell(app, place, back) {
  const shown = headline(app);
  const clock = bestAnswer();
  const props = {
    class: `bell-button seat-${place.seat % 7}`,
    "aria-label": t("thumb_ring"),
    onpointerdown: (event) => press(app, place.seat, event),
    onkeydown: (event) => !event.repeat && ["Enter", " "].includes(event.key) && press(app, place.seat, event),
  };
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_bell")),
    h("div", { class: "bell-page", key: "bell" },
      button([sign(place.seat), h("strong", {}, place.name), h("span", {}, t(app.state.mode === "paused" ? "phase_paused" : "thumb_press"))], null, props),
      h("p", { class: "bell-verdict" }, shown ? shown.title : ""),
      h("p", { class: "note", role: "status" }, app.local.answer || (clock ? t("thumb_within", { ms: clock.within }) : t("one_moment"))),
      row(button(t("thumb_other"), () => be(app, null), { class: "quiet" }), back),
    ),
  ];
}

function press(app, seat, event) {
  event.preventDefault();
  if (navigator.vibrate) navigator.vibrate(BUZZ_MS);
  // The event's time is the press; this handler may run later.
  ring(app, seat, event.timeStamp, (answer) => app.set({ answer }));
}
