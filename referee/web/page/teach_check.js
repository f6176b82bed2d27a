// The closing check of a lesson: any cards are read, a wrong one is mended by a tap, and how sure it all is is said.

import { h } from "./dom.js";
import { button, colour } from "./parts.js";
import { labelOf, outlined, pick } from "./teach_groups.js";
import { teach } from "./view_teach.js";
import { count, number, t } from "./words.js";

const CERTAIN = 10_000;

export function checking(app, lesson) {
  const { draft, busy } = lesson;
  if (!draft.groups.length) return null;
  return h(
    "section",
    { class: "card-box", key: "check" },
    h("h2", {}, t("teach_check")),
    h("p", {}, t("teach_check_why")),
    button(t("teach_check_now"), () => check(app), { class: "big", disabled: Boolean(draft.missing) || ["making", "reading", "saving"].includes(busy) }),
    draft.test ? read(app, draft) : null,
    draft.measured && draft.kind !== "marks" ? h("p", { key: "measured", class: draft.measured.alike.length ? "note bad" : "note" }, measured(draft)) : null,
  );
}

function check(app) {
  app.local.reading = null;
  teach(app, { do: "test" });
}

function read(app, draft) {
  const { test } = draft;
  const byId = (id) => draft.groups.find((group) => group.id === id);
  const open = test.readings[app.local.reading];
  const outlines = test.readings.map((one, at) => ({
    corners: one.corners,
    sure: one.group !== null || one.marks.length > 0,
    key: `reading ${at}`,
    label: one.marks.length ? one.marks.map(colour).join(" ") : one.group === null ? "?" : labelOf(draft, byId(one.group)),
    ontap: draft.kind === "marks" ? null : () => openReading(app, at),
  }));
  return h(
    "div",
    { class: "column", key: "read" },
    outlined(`/lesson/picture/${test.picture}.jpg`, t("evidence_alt"), outlines),
    h("p", { role: "status" }, result(draft)),
    open ? mending(app, draft, open) : draft.kind === "marks" ? null : h("p", { class: "note" }, t("teach_mend_why")),
  );
}

function openReading(app, at) {
  app.local.reading = app.local.reading === at ? null : at;
  app.draw();
}

function mending(app, draft, reading) {
  const mend = (group) => teach(app, { do: "mend", reading: draft.test.readings.indexOf(reading), group }, () => {
    app.local.reading = null;
    app.toasted(t("teach_mended"));
  });
  const likely = draft.groups.filter((group) => group.id === reading.likely);
  const others = draft.groups.filter((group) => group.id !== reading.likely && !group.back);
  return h(
    "div",
    { class: "correct", key: "mend", role: "group", "aria-label": t("what_is_it") },
    h("h3", {}, t("what_is_it")),
    pick(app, draft, likely.concat(others), mend),
    h("div", { class: "row" }, button(t("teach_new_face"), () => mend(null), { class: "small" }), button(t("cancel"), () => openReading(app, app.local.reading), { class: "small quiet" })),
  );
}

// How many were read, and how sure the least sure of them was.
function result(draft) {
  const { readings } = draft.test;
  const sure = readings.filter((one) => (one.group !== null || one.marks.length) && !one.mended);
  const mended = readings.filter((one) => one.mended).length;
  const parts = [count("teach_read", sure.length, { all: readings.length })];
  if (mended) parts.push(count("teach_read_mended", mended));
  const open = readings.length - sure.length - mended;
  if (open) parts.push(count("teach_read_open", open));
  if (sure.length) {
    const least = sure.reduce((one, other) => (other.odds < one.odds ? other : one));
    const face = least.marks.length ? least.marks.map(colour).join(" ") : labelOf(draft, draft.groups.find((group) => group.id === least.group));
    parts.push(t("teach_least_sure", { face, odds: oddsWords(least.odds) }));
  }
  return parts.join(" ");
}

function measured(draft) {
  const { alike, weakest, odds } = draft.measured;
  const name = (id) => labelOf(draft, draft.groups.find((group) => group.id === id));
  if (alike.length) return t("teach_alike", { pairs: alike.slice(0, 3).map(([one, other]) => `${name(one)} – ${name(other)}`).join("; ") });
  if (!weakest) return "";
  return t("teach_measured", { one: name(weakest[0]), other: name(weakest[1]), odds: oddsWords(odds) });
}

function oddsWords(odds) {
  if (odds >= CERTAIN) return t("teach_odds_more", { n: number(CERTAIN) });
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, odds))));
  return t("teach_odds", { n: number(Math.max(1, Math.round(odds / digits) * digits)) });
}
