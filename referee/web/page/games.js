// Returns what the page shows for one game only; other games show points, turn and rulings.

import { h } from "./dom.js";
import * as coloretto from "./game_coloretto.js";
import { button, icon, row, sign, unfolded, word } from "./parts.js";
import { t } from "./words.js";

// due, besides: label and command of the main and of another button, by phase. byHand: draws the entry of moves.
// lesson: the faces of a deck to teach. isNamed, namedBy, colourNamed: the name of a taught card.
const piccolino = {
  scores: "cards_held",
  hasBells: true,
  lesson: { expected: 8, unit: "teach_colours", said: "teach_said_colours" },
  byHand: (app) => [h("a", { class: "button big", key: "as-bell", href: "#bell" }, t("nav_bell")), unfolded("by-hand", t("by_hand_ring"), row(app.state.board.map((place) => ringOf(app, place))))],
  isNamed: (said) => Boolean(said.colour && said.mood),
  namedBy: (known, choice, set) => ["happy", "sad"].map((mood) => choice(mood, known.mood === mood, [icon(mood), word(mood)], () => set({ mood }))),
  colourNamed: (name) => ({ colour: name }),
};
const confetti = {
  lesson: { expected: 84, unit: "teach_cards", said: "teach_said_cards" },
  due: (phase) => ({ running: ["time_up", "time"], counting: ["count_now", "count"] })[phase] || ["flip", "flip"],
  // The next round may start before the hands are counted.
  besides: (phase) => (phase === "counting" ? ["flip", "flip"] : null),
};
const GAMES = { piccolino, coloretto, confetti };
const OTHER = { lesson: { expected: 0, unit: "teach_cards", said: "teach_said_cards" } };

// Return the button that enters a seat's ring, for a table without a bell.
function ringOf(app, { seat, name }) {
  return button([sign(seat), name], () => app.run({ do: "event", event: { event: "bell", seat } }), { key: seat });
}

// The games for which a deck can be taught; "" is any game.
export const TAUGHT_FOR = Object.keys(GAMES).concat([""]);

export function gameNamed(name) {
  return GAMES[name] || OTHER;
}

export function gameOf(app) {
  return gameNamed(app.state.game ? app.state.game.game : "");
}

// Return the title over the points, or over the cards held in a game without points.
export function scoresTitle(game) {
  return t(gameNamed(game ? game.game : "").scores || "scores");
}

// Return the buttons that enter moves of the running game, or null.
export function byHand(app) {
  const draw = gameOf(app).byHand;
  return draw && app.state.mode === "playing" ? draw(app) : null;
}
