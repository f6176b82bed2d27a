// The score board for a screen across the room: names and points to be read from three metres.

import { h } from "./dom.js";
import { headline } from "./headline.js";
import { icon, kindOf, phaseOf, sand, shownPoints, sign } from "./parts.js";
import { spaced } from "./view_pair.js";
import { t } from "./words.js";
import { whereabouts } from "./whereabouts.js";

const LONG = 11; // letters that stand beside the points on one line

export function draw(app) {
  const { state, me } = app;
  return [
    h("h1", { class: "sr", tabindex: "-1" }, t("nav_tv")),
    me.code ? h("p", { class: "tv-code", key: "code", role: "status" }, t("pair_code_is"), h("strong", { class: "num" }, spaced(me.code))) : null,
    me.code ? null : verdict(app),
    state.questions.map((question) => h("p", { class: "tv-question", key: question.id }, question.text || t(`question_${question.kind}`))),
    state.board.length ? board(state) : h("div", { class: "tv-idle", key: "idle" }, whereabouts(app, "tv_idle")),
    h("div", { class: "tv-foot", key: "foot" }, h("p", {}, phaseOf(app)), sand(app), state.caption ? h("p", { class: "tv-caption" }, state.caption) : null),
    h("a", { class: "tv-leave", href: "#table", key: "leave" }, t("leave_tv")),
  ];
}

function verdict(app) {
  const shown = headline(app);
  if (!shown) return null;
  const { entry, title, reason } = shown;
  const kind = shown.together.length ? "end" : kindOf(entry);
  return h(
    "section",
    { class: `tv-verdict ${kind}`, key: "verdict", "data-ruling": entry.id },
    icon(kind),
    h("div", {}, h("p", { class: "tv-first" }, title), reason ? h("p", { class: "tv-rest" }, reason) : null),
  );
}

function board(state) {
  const best = Math.max(0, ...state.board.map((one) => one.points || 0));
  const sorted = state.board.slice().sort((a, b) => b.points - a.points || a.seat - b.seat);
  return h(
    "ol",
    { class: `tv-board of-${sorted.length}`, key: "board" },
    sorted.map((one) =>
      h(
        "li",
        { key: one.seat, class: one.points === best && best > 0 ? "ahead" : null },
        sign(one.seat),
        h("span", { class: one.name.length > LONG ? "name long" : "name" }, one.name),
        h("span", { class: "points num" }, shownPoints(one.points)),
      ),
    ),
  );
}
