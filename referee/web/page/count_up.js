// Counts the points up at the end of a game, hand by hand, from the lowest to the highest.

import { h } from "./dom.js";
import { cardDrawn } from "./game_coloretto.js";
import { card, heading, isCalm, shownPoints, sign } from "./parts.js";
import { cardsRead } from "./readings.js";

const HAND_MS = 1800;
const MOST_MS = 9000; // for all hands together
const STEP_MS = 60;
let timer = null;

// Return the hand that is counted now, { seat, name, cards, points (by seat) }, or null after the last one.
export function countUp(app) {
  const { board, mode } = app.state;
  const hands = board.map((one) => Object.assign({ cards: cardsOf(app, one) }, one)).filter((one) => one.cards.length).sort((a, b) => a.points - b.points);
  const at = (performance.now() - app.endedAt) / Math.min(HAND_MS, MOST_MS / hands.length);
  if (mode !== "over" || isCalm(app) || !(at < hands.length)) return null;
  const points = Object.fromEntries(hands.map((one, order) => [one.seat, between(app.before[one.seat] || 0, one.points, 2 * (at - order))]));
  clearTimeout(timer);
  timer = setTimeout(app.draw, STEP_MS);
  return Object.assign(hands[Math.floor(at)], { points });
}

function between(from, to, share) {
  return Math.round(from + (to - from) * Math.min(1, Math.max(0, share)));
}

function cardsOf(app, { seat, held }) {
  if (held && held.length) return held.flatMap(([name, many]) => Array.from({ length: many }, (_none, at) => cardDrawn(name, `${name} ${at}`)));
  return cardsRead(app, seat).map((colours) => card(colours));
}

// Return the section that replaces the verdict during the count.
export function counting({ seat, name, cards, points }) {
  const title = heading([sign(seat), ` ${name} `, h("strong", { class: "num" }, shownPoints(points[seat]))]);
  return h("section", { class: "verdict counting", key: "counting" }, h("div", {}, title, h("div", { class: "row cards", key: seat }, cards)));
}
