// What people tell whatever is played: the colours that cards have, and hands that nobody has seen.

import { h } from "./dom.js";
import { button, nameOf, sign } from "./parts.js";
import { cardsOf } from "./readings.js";
import { t } from "./words.js";

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "pink"];

// Hands that the camera has not seen: each is told card by card, or that there is none. Of one that was put away before
// it was counted, what was seen last stands there already.
export function untoldHands(app, question) {
  return question.seats.map((seat, at) => {
    const key = `hand ${question.id} ${seat}`;
    const cards = app.local[key] || (question.last_seen || [])[at] || [];
    const change = (list) => {
      app.local[key] = list;
      app.draw();
    };
    const tell = () => app.runTimely({ do: "event", event: { event: "hand", seat, cards } });
    return h("div", { class: "reading", key, role: "group", "aria-label": nameOf(app, seat) }, h("h3", {}, sign(seat), nameOf(app, seat)), cardsOf(app, { event: key }, cards, change), button(cards.length ? t("hand_is_all") : t("hand_is_none"), tell, { class: "big" }));
  });
}
