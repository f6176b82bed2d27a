// One ruling: why, the photo-finish, the arrangement step by step, and every reading it hangs on, to be corrected.

import { h } from "./dom.js";
import { ago, button, card, heading, icon, kindOf, nameOf, sign, waitingFor } from "./parts.js";
import { parted } from "./headline.js";
import { choicesFor, draftOf } from "./readings.js";
import { photoFinish } from "./photo_finish.js";
import { seen } from "./seen.js";
import { undo } from "./dock.js";
import { t } from "./words.js";

export function opened(app) {
  ask(app);
}

function ask(app) {
  const id = encodeURIComponent(app.route.id || "");
  app.local.asked = app.state.moment;
  app.load("why", `/api/rulings/${id}/explain`);
  app.load("timeline", `/api/rulings/${id}/timeline`);
}

export function draw(app) {
  const entry = app.state.rulings.find((one) => one.id === app.route.id);
  const { why, timeline } = app.local;
  // A correction, or taking one back, may leave the sentence as it is, and change what it hangs on.
  if (entry && (app.local.asked !== app.state.moment || (app.local.text || entry.text) !== entry.text)) ask(app);
  if (entry) app.local.text = entry.text;
  if (why !== app.local.shown) Object.assign(app.local, { shown: why, read: app.local.asked });
  const text = entry ? entry.text : why && why.text;
  const shown = entry || (why && why.ruling ? { text: why.text, ruling: why.ruling, corrected: why.corrected } : null);
  const back = why && why.past ? `#history/${(app.route.id || "").split("-")[0]}` : "#table";
  return [
    h("p", { class: "back", key: "back" }, h("a", { href: back }, icon("back"), t(why && why.past ? "nav_history" : "back_to_table"))),
    text ? title(app, shown, text, Boolean(entry)) : null,
    why && !why.fault ? h("div", { class: "columns" }, evidence(app, entry, why, timeline), readings(gameThen(app, why), why)) : waitingFor(why),
  ];
}

// A past game had its own players and colours; what is corrected in it hangs on nothing that happens on the table now.
function gameThen(app, why) {
  if (!why.past) return app;
  const board = why.game.players.map((name, seat) => ({ seat, name }));
  return Object.create(app, { state: { value: Object.assign({}, app.state, { game: why.game, board }) } });
}

function title(app, entry, text, now) {
  const [first, rest] = parted(app, entry || { text });
  const kind = entry ? kindOf(entry) : "info";
  return h(
    "section",
    { class: `verdict ${kind}`, key: "title" },
    icon(kind),
    h(
      "div",
      {},
      heading(first),
      rest ? h("p", { class: "reason" }, rest) : null,
      h(
        "p",
        { class: "meta" },
        now ? h("span", {}, ago(app, entry.t_ns)) : null,
        entry && entry.corrected ? h("span", { class: "tag" }, t("corrected")) : null,
        now && app.state.can_undo ? button(t("undo_correction"), () => undo(app)) : null,
      ),
    ),
  );
}

function evidence(app, entry, why, timeline) {
  const isRing = timeline && !timeline.fault && (timeline.marks || []).some((mark) => mark.kind === "ring");
  const finish = isRing && (timeline.frames.length || timeline.faces.length);
  return h(
    "div",
    { class: "column wide" },
    finish ? photoFinish(app, timeline) : null,
    finish && timeline.frames.length ? null : evidencePicture(app, why),
    why.way ? h("p", { class: "note", key: "way" }, why.way) : null,
    (why.mishaps || []).map((text) => h("p", { class: "note", key: `mishap ${text}` }, t("mishap_then", { text }))),
    steps(app, why),
    lookAgain(app, entry),
    report(app),
  );
}

// A hand is shown as near as its cards lie; in each step the cards that are meant stand out.
function evidencePicture(app, why) {
  if (!why.picture) return h("p", { class: "note", key: "no-picture" }, t("no_evidence"));
  const seat = why.ruling && why.ruling.seat;
  const near = seat === undefined || seat === null ? null : (outline) => outline.seat === seat;
  const step = (why.steps || [])[stepAt(app, why)];
  const meant = step && step.cards.length ? new Set(step.cards.map((card) => card.join(" "))) : null;
  const open = openLabel(app, why);
  const strong = near && (open || meant) ? (outline) => near(outline) && (open ? outline.label === open : meant.has(outline.label)) : null;
  return h("figure", { class: "evidence", key: "evidence" }, seen(app, why.picture, why.sight, near, strong));
}

function stepAt(app, why) {
  return Math.min(app.local.step || 0, Math.max(0, (why.steps || []).length - 1));
}

function steps(app, why) {
  if (!why.steps || !why.steps.length) return null;
  const at = stepAt(app, why);
  const step = why.steps[at];
  const go = (to) => {
    app.local.step = to;
    app.draw();
  };
  return h(
    "section",
    { class: "card-box", key: "steps", "aria-labelledby": "steps-title" },
    h("h2", { id: "steps-title" }, t("step_by_step")),
    h("p", { class: "step", role: "status" }, h("strong", {}, t("step_of", { n: at + 1, all: why.steps.length })), " ", step.text),
    step.cards.length ? h("div", { class: `row cards ${step.kind}` }, step.cards.map((colours, size) => card(colours, step.kind === "set" ? size : null))) : null,
    h(
      "div",
      { class: "row" },
      button(t("step_back"), () => go(at - 1), { disabled: at === 0 }),
      button(t("step_on"), () => go(at + 1), { disabled: at === why.steps.length - 1, class: "main" }),
    ),
  );
}

function lookAgain(app, entry) {
  if (!entry) return null;
  return h(
    "div",
    { class: "row", key: "again" },
    button(t("look_again"), () => app.run({ do: "look_again", ruling: entry.id }, () => ask(app))),
  );
}

// What the ruling was made of, as a file to send: to have it mended is one tap away from seeing it.
function report(app) {
  if (!app.me.paired || !/^[0-9]+-[0-9]+-[0-9]+$/.test(app.route.id || "")) return null;
  return h(
    "div",
    { class: "option", key: "report" },
    h("a", { class: "button", href: `/api/rulings/${app.route.id}/report.mcap`, download: "", "aria-describedby": "report-why" }, t("report_ruling")),
    h("p", { class: "note", id: "report-why" }, t("report_ruling_why")),
  );
}

function readings(app, why) {
  // Who rang is asked before what lay there.
  const list = (why.readings || []).slice().sort((a, b) => rank(a) - rank(b));
  if (!list.length) return null;
  return h(
    "section",
    { class: "column card-box readings", key: "readings", "aria-labelledby": "readings-title" },
    h("h2", { id: "readings-title" }, t("not_right")),
    h("p", { class: "note" }, t("not_right_more")),
    list.map((reading) =>
      h(
        "div",
        { class: "reading", key: reading.event, role: "group", "aria-label": readingName(app, reading) },
        h("h3", {}, sign(reading.seat), readingName(app, reading)),
        choicesFor(app, Object.assign({ order: lyingOrder(why, reading), moment: why.past ? app.state.moment : app.local.read, ruled: why.ruling.valid, past: why.past }, reading), () => ask(app)),
      ),
    ),
  );
}

// The card that is open to be corrected, as it is outlined in the picture.
function openLabel(app, why) {
  const reading = (why.readings || []).find((one) => draftOf(app, one));
  const card = reading && (reading.data.cards || [])[draftOf(app, reading).at];
  return card ? card.join(" ") : null;
}

// In which order the cards of a hand lie from left to right; those that were not outlined come last.
function lyingOrder(why, reading) {
  const cards = (reading.data && reading.data.cards) || [];
  const spots = ((why.sight && why.sight.outlines) || []).filter((one) => one.seat === reading.seat);
  const left = cards.map((card) => {
    const at = spots.findIndex((one) => one.label === card.join(" "));
    return at < 0 ? Infinity : spots.splice(at, 1)[0].corners.reduce((sum, corner) => sum + corner[0], 0);
  });
  return cards.map((_card, index) => index).sort((a, b) => (left[a] === left[b] ? a - b : left[a] - left[b]));
}

function rank(reading) {
  return reading.data && reading.data.event === "bell" ? 0 : 1;
}

function readingName(app, reading) {
  const who = reading.seat === null || reading.seat === undefined ? "" : nameOf(app, reading.seat);
  const kind = reading.data ? reading.data.event : "";
  const text = t(`reading_${kind}`, { name: who });
  return text === `reading_${kind}` ? who : text;
}
