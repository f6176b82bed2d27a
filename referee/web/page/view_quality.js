// How good it is at this table: what was corrected, in words, and over the evenings as a small plot.

import { h } from "./dom.js";
import { box, note, waitingFor } from "./parts.js";
import { bars } from "./plots.js";
import { day, t } from "./words.js";

const LATEST = 8;

export function quality(app) {
  const told = app.local.quality;
  return box("quality", t("quality"), told && !told.fault ? figures(told) : waitingFor(told));
}

function figures(told) {
  const evenings = told.evenings.slice(-LATEST);
  const game = (one) => h("p", { key: one.game }, h("strong", {}, t(`game_${one.game}`)), " – ", one.text, one.unclear ? ` ${t("quality_unclear", { n: one.unclear, all: one.rings })}` : "");
  const evening = (one) => ({ name: day(`${one.date}T12:00`, { day: "numeric", month: "short" }), value: one.corrected, of: one.cards, text: t("quality_of", { n: one.corrected, all: one.cards }) });
  return [
    told.games.length ? told.games.map(game) : note(t("quality_none")),
    told.challenged ? h("p", {}, told.challenged) : null,
    evenings.length > 1 ? h("figure", {}, h("figcaption", { class: "note" }, t("quality_evenings")), bars(evenings.map(evening), "bad")) : null,
    note(t("quality_more"), " ", h("a", { href: "#setup" }, t("quality_check"))),
  ];
}
