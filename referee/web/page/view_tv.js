// The score board for a screen across the room: names and points to be read from three metres.

import { h } from "./dom.js";
import { scoresTitle } from "./games.js";
import { headline, repeats } from "./headline.js";
import { colour, icon, kindOf, nameOf, phaseOf, sand, shownPoints, sign } from "./parts.js";
import { screenCode, waitForPhone } from "./screen.js";
import { codeToScan, spaced } from "./view_pair.js";
import { signed, t } from "./words.js";
import { whereabouts } from "./whereabouts.js";

const LONG = 11; // letters that stand beside the points on one line
const LONG_WORD = 14;
const PIECES = 28; // of paper that fall for a winner

export function opened(app) {
  waitForPhone(app);
}

export function draw(app) {
  const { state, me } = app;
  const shown = headline(app);
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_tv")),
    me.code ? h("div", { class: "tv-code", key: `code ${me.code}` }, h("p", { role: "status" }, t("pair_code_is"), h("strong", { class: "num" }, spaced(me.code))), me.scan ? codeToScan(me.code) : null) : null,
    me.code || !shown ? null : won(shown) ? winners(app, shown) : verdict(shown),
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
  const { caption } = app.state;
  const same = shown && repeats(caption, [shown.entry, ...shown.together]);
  return caption && !same ? h("p", { class: "tv-caption" }, caption) : null;
}

function won({ entry }) {
  const { ruling, winners: seats } = entry.ruling || {};
  return ruling === "end" && seats && seats.length > 0;
}

function winners(app, { entry, title, reason }) {
  return h(
    "section",
    { class: "tv-winner", key: "winner", "data-ruling": entry.id },
    h("div", { class: "paper", "aria-hidden": "true" }, Array.from({ length: PIECES }, (_, at) => h("i", { class: `seat-${at % 7}`, place: { left: `${(at * 37) % 100}%`, animationDelay: `${(at % 9) / 4}s` } }))),
    h("div", { class: "tv-signs" }, entry.ruling.winners.map((seat) => sign(seat))),
    h("div", {}, h("p", { class: "tv-first" }, title), reason ? h("p", { class: "tv-rest" }, reason) : null),
  );
}

function verdict({ entry, title, reason, together }) {
  const kind = together.length ? "end" : kindOf(entry);
  return h(
    "section",
    { class: `tv-verdict ${kind}`, key: "verdict", "data-ruling": entry.id },
    icon(kind),
    h("div", {}, h("p", { class: "tv-first" }, title), reason ? h("p", { class: "tv-rest" }, reason) : null),
  );
}

function board(app) {
  const { state } = app;
  const best = Math.max(0, ...state.board.map((one) => one.points || 0));
  const sorted = state.board.slice().sort((a, b) => b.points - a.points || a.seat - b.seat);
  const { turn } = state.phase || {};
  const counted = state.board.some((one) => one.points !== null);
  return [
    h("h2", { class: "tv-title", key: "title" }, counted ? scoresTitle(state.game) : t("cards_held")),
    h(
      "ol",
      { class: `tv-board of-${sorted.length}`, key: "board" },
      sorted.map((one) =>
        h(
          "li",
          { key: one.seat, class: `${one.points === best && best > 0 ? "ahead" : ""} ${one.seat === turn && state.mode === "playing" ? "turn" : ""}` },
          sign(one.seat),
          counted ? h("span", { class: "points num" }, shownPoints(one.points)) : null,
          h("span", { class: nameClass(one.name) }, one.name),
          one.gained === null || one.gained === undefined ? null : h("span", { class: "gained num" }, t("tv_gained", { n: one.gained > 0 ? `+${one.gained}` : signed(one.gained) })),
          counted ? null : held(one),
        ),
      ),
    ),
  ];
}

// A word is broken only where it is too long for any line.
function nameClass(name) {
  const giant = name.split(/[\s-]/).some((word) => word.length > LONG_WORD);
  return `name ${name.length > LONG ? "long" : ""} ${giant ? "giant" : ""}`;
}

// The cards of Coloretto lie open; what they count is known at the end.
function held(one) {
  return h(
    "span",
    { class: "held" },
    (one.held || []).map(([card, many]) =>
      h("span", { class: "num", key: card, "aria-label": `${colour(card)}: ${many}` }, card === "joker" ? t("joker") : card === "+2" ? "+2" : h("span", { class: `swatch ${card}`, "aria-hidden": "true" }), `×${many}`),
    ),
  );
}
