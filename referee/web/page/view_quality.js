// How good it is at this table: what was corrected, in words, and over the evenings as a small plot.

import { h } from "./dom.js";
import { waitingFor } from "./parts.js";
import { bars } from "./plots.js";
import { day, t } from "./words.js";

const LATEST = 8;

export function quality(app) {
  const told = app.local.quality;
  return h("section", { class: "card-box", key: "quality", "aria-labelledby": "quality-title" }, h("h2", { id: "quality-title" }, t("quality")), told && !told.fault ? figures(told) : waitingFor(told));
}

function figures(told) {
  const evenings = told.evenings.slice(-LATEST);
  return [
    told.games.length ? told.games.map((one) => h("p", { key: one.game }, h("strong", {}, name(one.game)), " – ", one.text, one.unclear ? ` ${t("quality_unclear", { n: one.unclear, all: one.rings })}` : "")) : h("p", { class: "note" }, t("quality_none")),
    told.challenged ? h("p", {}, told.challenged) : null,
    evenings.length > 1
      ? h("figure", {}, h("figcaption", { class: "note" }, t("quality_evenings")), bars(evenings.map((one) => ({ name: date(one.date), value: one.corrected, of: one.cards, text: t("quality_of", { n: one.corrected, all: one.cards }) })), "bad"))
      : null,
    h("p", { class: "note" }, t("quality_more"), " ", h("a", { href: "#setup" }, t("quality_check"))),
  ];
}

function date(iso) {
  return day(`${iso}T12:00`, { day: "numeric", month: "short" });
}

function name(game) {
  return game.charAt(0).toUpperCase() + game.slice(1);
}
