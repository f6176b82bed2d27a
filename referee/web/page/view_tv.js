// The score board for a screen across the room: names and points to be read from three metres.

import { h } from "./dom.js";
import { scoresTitle } from "./games.js";
import { headline, repeats, winnersOf } from "./headline.js";
import { colour, icon, nameClass, nameOf, phaseOf, sand, shownPoints, sign } from "./parts.js";
import { screenCode, waitForPhone } from "./screen.js";
import { codeToScan, spaced } from "./view_pair.js";
import { signed, t } from "./words.js";
import { whereabouts } from "./whereabouts.js";

export function opened(app) {
  waitForPhone(app);
}

export function draw(app) {
  const { state, me } = app;
  const shown = headline(app);
  const code = me.code ? h("div", { class: "tv-code", key: `code ${me.code}` }, h("p", { role: "status" }, t("pair_code_is"), h("strong", { class: "num" }, spaced(me.code))), me.scan ? codeToScan(me.code) : null) : null;
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_tv")),
    code || (shown ? verdict(shown) : null),
    state.questions.map((question) => h("p", { class: "tv-question", key: question.id }, question.text || t(`question_${question.kind}`))),
    // The code to scan opens the page, too: two of them would be one too many.
    state.board.length ? board(app) : me.code && me.scan ? null : h("div", { class: "tv-idle", key: "idle" }, whereabouts(app, "tv_idle")),
    h("div", { class: "tv-foot", key: "foot" }, h("p", {}, phase(app)), sand(app), news(app, shown), screenCode(app)),
    h("a", { class: "tv-leave", href: "#table", key: "leave" }, t("leave_tv")),
  ];
}

function phase(app) {
  const { turn } = app.state.phase || {};
  const plays = app.state.mode === "playing" && turn !== null && turn !== undefined;
  return plays ? [sign(turn), " ", t("turn_of", { name: nameOf(app, turn) })] : phaseOf(app);
}

// What is said stands below, unless it is what stands large above.
function news(app, shown) {
  const { caption, rulings } = app.state;
  const same = shown && repeats(caption, [shown.entry, ...shown.after, ...rulings.filter((one) => one.t_ns === shown.entry.t_ns)]);
  return caption && !same ? h("p", { class: "tv-caption" }, caption) : null;
}

function verdict(shown) {
  const { entry, title, reason, kind } = shown;
  const winners = winnersOf(shown);
  return h(
    "section",
    { class: winners.length ? "tv-winner" : `tv-verdict ${kind}`, key: "verdict", "data-ruling": entry.id },
    winners.length ? h("div", { class: "tv-signs" }, winners.map((seat) => sign(seat))) : icon(shown.sign || kind),
    h("div", {}, h("p", { class: "tv-first" }, title), reason ? h("p", { class: "tv-rest" }, reason) : null),
  );
}

function board(app) {
  const { state } = app;
  const best = Math.max(0, ...state.board.map((one) => one.points || 0));
  const sorted = state.board.slice().sort((a, b) => b.points - a.points || a.seat - b.seat);
  const { turn } = state.phase || {};
  const counted = state.board.some((one) => one.points !== null);
  const gained = (one) => (one.gained === null || one.gained === undefined ? null : h("span", { class: "gained num" }, one.gained > 0 ? `+${one.gained}` : signed(one.gained)));
  const line = (one) => [
    sign(one.seat),
    counted ? h("span", { class: "points num" }, shownPoints(one.points)) : null,
    h("span", { class: nameClass(one.name) }, one.name),
    gained(one),
    counted ? null : held(one),
  ];
  const look = (one) => `${one.points === best && best > 0 ? "ahead" : ""} ${one.seat === turn && state.mode === "playing" ? "turn" : ""}`;
  return [
    h("h2", { class: "tv-title", key: "title" }, counted ? scoresTitle(state.game) : t("cards_held")),
    h("ol", { class: `tv-board of-${sorted.length}`, key: "board" }, sorted.map((one) => h("li", { key: one.seat, class: look(one) }, h("div", {}, line(one))))),
  ];
}

// The cards of Coloretto lie open; what they count is known at the end.
function held(one) {
  const card = (name) => (name === "joker" ? t("joker") : name === "+2" ? "+2" : h("span", { class: `swatch ${name}`, "aria-hidden": "true" }));
  return h("span", { class: "held" }, (one.held || []).map(([name, many]) => h("span", { class: "num", key: name, "aria-label": `${colour(name)}: ${many}` }, card(name), `×${many}`)));
}
