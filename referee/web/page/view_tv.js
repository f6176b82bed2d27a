// Draws the score board for a screen that is read from three metres.

import { h } from "./dom.js";
import { counting, countUp } from "./count_up.js";
import { scoresTitle } from "./games.js";
import { captionBeside, headline, winnersOf } from "./headline.js";
import { icon, nameClass, sand, shownPoints, sign, turnOf, whereabouts, word } from "./parts.js";
import { codeToScan, screenCode, spaced, waitForPhone } from "./view_pair.js";
import { signed, t } from "./words.js";

export { waitForPhone as opened };

export function draw(app) {
  const { state, me } = app;
  const [shown, counted] = [headline(app), countUp(app)];
  const news = captionBeside(app, shown);
  const code = me.code ? h("div", { class: "tv-code", key: `code ${me.code}` }, h("p", { role: "status" }, t("pair_code_is"), h("strong", { class: "num" }, spaced(me.code))), me.scan ? codeToScan(me.code) : null) : null;
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_tv")),
    code || (counted ? counting(counted) : shown ? verdict(shown) : null),
    state.questions.map((question) => h("p", { class: "tv-question", key: question.id }, question.text || t(`question_${question.kind}`))),
    // The code to scan opens the page, too.
    state.board.length ? board(app, counted ? counted.points : {}) : me.code && me.scan ? null : h("div", { class: "tv-idle", key: "idle" }, whereabouts(app, "tv_idle")),
    h("div", { class: "tv-foot", key: "foot" }, h("p", {}, turnOf(app)), sand(app), news ? h("p", { class: "tv-caption" }, news) : null, screenCode(app)),
    h("a", { class: "tv-leave", href: "#table", key: "leave" }, t("leave_tv")),
  ];
}

function verdict(shown) {
  const { entry, title, reason, kind } = shown;
  const winners = winnersOf(shown);
  return h("section", { class: winners.length ? "tv-winner" : `tv-verdict ${kind}`, key: "verdict", "data-ruling": entry.id },
    winners.length ? h("div", { class: "tv-signs" }, winners.map((seat) => sign(seat))) : icon(shown.sign || kind),
    h("div", {}, h("p", { class: "tv-first" }, title), reason ? h("p", { class: "tv-rest" }, reason) : null),
  );
}

function board({ state }, counted) {
  const places = state.board.map((one) => (one.seat in counted ? Object.assign({}, one, { points: counted[one.seat], gained: null }) : one));
  const best = Math.max(0, ...places.map((one) => one.points || 0));
  const sorted = places.sort((a, b) => b.points - a.points || a.seat - b.seat);
  const { turn } = state.phase || {};
  const hasPoints = state.board.some((one) => one.points !== null);
  const gained = (one) => (one.gained === null || one.gained === undefined ? null : h("span", { class: "gained num" }, one.gained > 0 ? `+${one.gained}` : signed(one.gained)));
  const line = (one) => [
    sign(one.seat),
    hasPoints ? h("span", { class: "points num" }, shownPoints(one.points)) : null,
    h("span", { class: nameClass(one.name) }, one.name),
    gained(one),
    hasPoints ? null : held(one),
  ];
  const look = (one) => `${one.points === best && best > 0 ? "ahead" : ""} ${one.seat === turn && state.mode === "playing" ? "turn" : ""}`;
  return [
    h("h2", { class: "tv-title", key: "title" }, hasPoints ? scoresTitle(state.game) : t("cards_held")),
    h("ol", { class: `tv-board of-${sorted.length}`, key: "board" }, sorted.map((one) => h("li", { key: one.seat, class: look(one) }, h("div", {}, line(one))))),
  ];
}

// Return the held cards of Coloretto, whose points are known at the end.
function held(one) {
  const card = (name) => (name === "joker" ? t("joker") : name === "+2" ? "+2" : h("span", { class: `swatch ${name}`, "aria-hidden": "true" }));
  return h("span", { class: "held" }, (one.held || []).map(([name, many]) => h("span", { class: "num", key: name, "aria-label": `${word(name)}: ${many}` }, card(name), `×${many}`)));
}
