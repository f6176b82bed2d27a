// What pages show of one game alone. Of a game that is not here they show points, whose turn it is, and rulings.

import { h } from "./dom.js";
import * as coloretto from "./game_coloretto.js";
import { button, icon, row, sign, unfolded, word } from "./parts.js";
import { t } from "./words.js";

// due, besides: what may be tapped in a phase, as a word and a command. byHand: what people tell. lesson: how many faces
// a deck has that is taught. isNamed, namedBy, colourNamed: what a taught card is called.
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
  // The next round, though the hands are not counted.
  besides: (phase) => (phase === "counting" ? ["flip", "flip"] : null),
};
const GAMES = { piccolino, coloretto, confetti };
const OTHER = { lesson: { expected: 0, unit: "teach_cards", said: "teach_said_cards" } };

// A ring told by hand, for a table whose bell is not wired yet.
function ringOf(app, { seat, name }) {
  return button([sign(seat), name], () => app.run({ do: "event", event: { event: "bell", seat } }), { key: seat });
}

// Those that a deck can be taught for; "" is none in particular.
export const TAUGHT_FOR = Object.keys(GAMES).concat([""]);

export function gameNamed(name) {
  return GAMES[name] || OTHER;
}

export function gameOf(app) {
  return gameNamed(app.state.game ? app.state.game.game : "");
}

// What stands over the points: where nobody has any, what is counted instead.
export function scoresTitle(game) {
  return t(gameNamed(game ? game.game : "").scores || "scores");
}

// A game that people tell, where they do: whose turn, which card, which row.
export function byHand(app) {
  const { byHand: told } = gameOf(app);
  return told && app.state.mode === "playing" ? told(app) : null;
}
