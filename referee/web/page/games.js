// What pages show of one game alone. Of a game that is not here they show points, whose turn it is, and rulings.

import * as coloretto from "./game_coloretto.js";
import * as confetti from "./game_confetti.js";
import * as piccolino from "./game_piccolino.js";
import { t } from "./words.js";

const GAMES = { piccolino, coloretto, confetti };
const OTHER = { lesson: { expected: 0, unit: "teach_cards", said: "teach_said_cards" } };

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
