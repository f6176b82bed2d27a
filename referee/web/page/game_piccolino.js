// Piccolino on the page: bells, cards that are held instead of points, and clowns that are taught.

import { h } from "./dom.js";
import { button, row, sign, unfolded } from "./parts.js";
import { face } from "./readings.js";
import { t } from "./words.js";

export const scores = "cards_held";
export const hasBells = true;
export const lesson = { expected: 8, unit: "teach_colours", said: "teach_said_colours" };

// A ring told by hand, for a table whose bell is not wired yet.
export function byHand(app) {
  const ring = ({ seat, name }) => button([sign(seat), name], () => app.run({ do: "event", event: { event: "bell", seat } }), { key: seat });
  return [h("a", { class: "button big", key: "as-bell", href: "#bell" }, t("nav_bell")), unfolded("by-hand", t("by_hand_ring"), row(app.state.board.map(ring)))];
}

export function isNamed(said) {
  return Boolean(said.colour && said.mood);
}

// What a clown is called, beside its colour: `choice` makes one, `set` takes it.
export function namedBy(known, choice, set) {
  return ["happy", "sad"].map((mood) => choice(mood, known.mood === mood, [face(mood), t(`mood_${mood}`)], () => set({ mood })));
}

export function colourNamed(name) {
  return { colour: name };
}
