// Draws one ruling: picture and verdict, its readings with corrections, the steps, the photo-finish.

import { h } from "./dom.js";
import { backTo, box, button, card, group, kindOf, maySee, nameOf, note, row, sign, unseen, waitingFor } from "./parts.js";
import { band, single } from "./headline.js";
import { outlineWords, partAround, picture } from "./picture.js";
import { choicesFor, draftOf, openHand } from "./readings.js";
import { closeUps, finishPicture, onTheLine } from "./photo_finish.js";
import { undo } from "./frame.js";
import { zoomable } from "./zoom.js";
import { t } from "./words.js";

// Load the readings and the time line of the ruling.
export function opened(app) {
  const id = encodeURIComponent(app.route.id);
  app.local.asked = app.state.moment;
  app.load("why", `/api/rulings/${id}/explain`);
  app.load("timeline", `/api/rulings/${id}/timeline`);
}

export function draw(app) {
  const entry = app.state.rulings.find((one) => one.id === app.route.id);
  const { why, timeline } = app.local;
  // A correction may change the readings, but not the sentence: load both after any change.
  if (entry && app.local.asked !== app.state.moment) opened(app);
  if (why !== app.local.shown) {
    if (!app.local.shown) openCard(app, why);
    Object.assign(app.local, { shown: why, read: app.local.asked });
  }
  const past = why && why.past;
  const back = backTo(past ? `#history/${app.route.id.split("-")[0]}` : "#table", t(past ? "nav_history" : "back_to_table"));
  const shown = entry || (why && why.ruling ? { text: why.text, ruling: why.ruling, corrected: why.corrected } : null);
  const isThere = why && !why.fault;
  const then = isThere ? gameThen(app, why) : app;
  const undoing = entry && app.state.can_undo ? button(t("undo_correction"), () => undo(app), { class: "quiet small" }) : null;
  const rings = timeline && !timeline.fault && (timeline.marks || []).some((mark) => mark.kind === "ring");
  const line = rings && (timeline.frames.length || timeline.faces.length) ? timeline : null;
  return [
    back,
    h("div", { class: "columns staged", key: "ruling" },
      h("div", { class: "column wide stuck" }, h("div", { class: "stage", key: "stage" }, h("div", { class: `pictured ${shown ? kindOf(shown) : ""}` }, isThere ? evidence(then, why, line) : null, shown ? band(then, single(then, shown), undoing) : null))),
      h("div", { class: "column" }, isThere ? [readings(then, why), steps(app, why), line ? onTheLine(app, line) : null, line ? closeUps(app, line) : null, asides(app, entry, why)] : waitingFor(why)),
    ),
  ];
}

// Open the card that the address names.
function openCard(app, { readings: list = [] }) {
  for (const { event, data } of list) openHand(app, event, data, app.route.card);
}

// Return the app with the players and options of the ruling's game.
function gameThen(app, why) {
  if (!why.past) return app;
  const board = why.game.players.map((name, seat) => ({ seat, name }));
  return Object.create(app, { state: { value: Object.assign({}, app.state, { game: why.game, board }) } });
}

function evidence(app, why, line) {
  if (!maySee(app)) return unseen(app, "picture");
  if (line && line.frames.length) return h("figure", { class: "evidence", key: "photo-finish" }, finishPicture(app, line, (name, sight) => seen(app, why, name, sight)));
  if (!why.picture) return h("p", { class: "nothing", key: "no-picture" }, t("no_evidence"));
  return h("figure", { class: "evidence", key: "evidence" }, seen(app, why, why.picture, why.sight));
}

// Return the picture with outlines; a hand is enlarged, and the open card or the step's cards are emphasized.
function seen(app, why, name, sight) {
  const source = `/pictures/${name}.jpg`;
  if (!sight || !sight.outlines.length) return zoomable("picture", picture({ source, alt: t("evidence_alt") }));
  const seat = why.ruling ? why.ruling.seat : null;
  const isHand = why.ruling && why.ruling.ruling === "hand";
  const mine = (one) => isHand && one.seat === seat;
  const shares = sight.outlines.map((one) => Object.assign({}, one, { corners: one.corners.map(([x, y]) => [x / sight.width, y / sight.height]) }));
  const near = shares.filter(mine);
  const isNear = near.length > 0 && !app.local.whole;
  const step = (why.steps || [])[stepAt(app, why)];
  const open = openLabel(app, why);
  const labels = open ? [open] : step && step.cards.length ? step.cards.map((one) => one.join(" ")) : null;
  const emphasis = (one) => (near.length && labels ? (mine(one) && labels.includes(one.label) ? "strong" : "dim") : "");
  const mark = (one, at) => ({ corners: one.corners, seat: one.seat, certain: one.certain, look: emphasis(one), key: `seen ${at}`, name: one.certain ? null : "?", isNamed: true, within: true, words: t("correct_this", { what: outlineWords(one) }), tap: isNear || !isHand ? opening(app, why, one) : null });
  return zoomable("picture", picture({ source, alt: t("evidence_alt"), size: [sight.width, sight.height], part: isNear ? partAround(near) : null, marks: shares.map(mark) }), near.length ? button(t(isNear ? "whole_table" : "look_closer"), () => app.set({ whole: !app.local.whole }), { key: "near" }) : null);
}

// Return a function that opens the reading of an outline, or null where it has none.
function opening(app, why, outline) {
  const reading = (why.readings || []).find((one) => one.seat === outline.seat && one.data && one.data.event !== "bell");
  if (!reading) return null;
  return () => {
    app.local.first = reading.event;
    openHand(app, reading.event, reading.data, outline.label);
    app.draw();
  };
}

function stepAt(app, why) {
  return Math.min(app.local.step || 0, Math.max(0, (why.steps || []).length - 1));
}

function steps(app, why) {
  if (!why.steps || !why.steps.length) return null;
  const at = stepAt(app, why);
  const step = why.steps[at];
  const go = (to) => () => app.set({ step: to });
  return box("steps", t("step_by_step"),
    h("p", { class: "step", role: "status" }, h("strong", {}, t("step_of", { n: at + 1, all: why.steps.length })), " ", step.text),
    step.cards.length ? h("div", { class: `row cards ${step.kind}` }, step.cards.map((colours, size) => card(colours, step.kind === "set" ? size : null))) : null,
    row(button(t("step_back"), go(at - 1), { disabled: at === 0 }), button(t("step_on"), go(at + 1), { disabled: at === why.steps.length - 1, class: "main" })),
  );
}

function asides(app, entry, why) {
  const isReported = app.me.paired && /^[0-9]+-[0-9]+-[0-9]+$/.test(app.route.id);
  return [
    why.way ? note(why.way) : null,
    (why.mishaps || []).map((text) => note(t("mishap_then", { text }))),
    entry ? h("div", { class: "row", key: "again" }, button(t("look_again"), () => app.run({ do: "look_again", ruling: entry.id }, () => opened(app)))) : null,
    isReported ? h("div", { class: "option", key: "report" }, h("a", { class: "button", href: `/api/rulings/${app.route.id}/report.mcap`, download: "", "aria-describedby": "report-why" }, t("report_ruling")), h("p", { class: "note", id: "report-why" }, t("report_ruling_why"))) : null,
  ];
}

// Return the readings with their choices: a tapped one first, then the ring, then cards.
function readings(app, why) {
  const rank = (one) => (one.event === app.local.first ? -1 : one.data && one.data.event === "bell" ? 0 : 1);
  const list = (why.readings || []).slice().sort((a, b) => rank(a) - rank(b));
  if (!list.length) return null;
  const read = { moment: why.past ? app.state.moment : app.local.read, ruled: why.ruling.valid, past: why.past };
  const one = (reading) => group("reading", readingName(app, reading, why.ruling), h("h3", {}, sign(reading.seat), readingName(app, reading, why.ruling)), choicesFor(app, Object.assign({ order: lyingOrder(why, reading) }, read, reading), () => opened(app)));
  return box("readings", t("not_right"), list.map(one));
}

// Return the label of the open card, or null.
function openLabel(app, why) {
  const reading = (why.readings || []).find((one) => draftOf(app, one));
  const colours = reading && (reading.data.cards || [])[draftOf(app, reading).at];
  return colours ? colours.join(" ") : null;
}

// Return the indices of a hand's cards from left to right; cards without outline come last.
function lyingOrder(why, reading) {
  const cards = (reading.data && reading.data.cards) || [];
  const spots = ((why.sight && why.sight.outlines) || []).filter((one) => one.seat === reading.seat);
  const left = cards.map((one) => {
    const at = spots.findIndex((spot) => spot.label === one.join(" "));
    return at < 0 ? Infinity : spots.splice(at, 1)[0].corners.reduce((sum, corner) => sum + corner[0], 0);
  });
  return cards.map((_card, index) => index).sort((a, b) => (left[a] === left[b] ? a - b : left[a] - left[b]));
}

// Return a reading's title. The ruling knows the seat of a ring whose ringer was named later.
function readingName(app, reading, ruling) {
  const seat = typeof reading.seat === "number" || !reading.data || reading.data.event !== "bell" ? reading.seat : ruling.seat;
  const who = typeof seat === "number" ? nameOf(app, seat) : "";
  const key = `reading_${reading.data ? reading.data.event : ""}`;
  const text = t(key, { name: who });
  return text === key ? who : text;
}
