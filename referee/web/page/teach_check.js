// The closing check of a lesson: any cards are read, a wrong one is mended by a tap, and how sure it all is is said.

import { h } from "./dom.js";
import { box, button, colour, note, row } from "./parts.js";
import { picture } from "./picture.js";
import { labelOf, pick } from "./teach_groups.js";
import { teach } from "./view_teach.js";
import { count, number, t } from "./words.js";

const CERTAIN = 10_000;

export function checking(app, { draft, busy }) {
  if (!draft.groups.length) return null;
  const check = () => {
    app.local.reading = null;
    teach(app, { do: "test" });
  };
  return box(
    "check",
    t("teach_check"),
    h("p", {}, t("teach_check_why")),
    button(t("teach_check_now"), check, { class: "big", disabled: Boolean(draft.missing) || ["making", "reading", "saving"].includes(busy) }),
    draft.test ? read(app, draft) : null,
    draft.measured && draft.kind !== "marks" ? h("p", { key: "measured", class: draft.measured.alike.length ? "note bad" : "note" }, measured(draft)) : null,
  );
}

function groupOf(draft, id) {
  return draft.groups.find((group) => group.id === id);
}

function nameOf(draft, one) {
  return one.marks.length ? one.marks.map(colour).join(" ") : one.group === null ? "?" : labelOf(draft, groupOf(draft, one.group));
}

function isRead(one) {
  return one.group !== null || one.marks.length > 0;
}

function read(app, draft) {
  const { test } = draft;
  const open = (at) => () => {
    app.local.reading = app.local.reading === at ? null : at;
    app.draw();
  };
  const chosen = test.readings[app.local.reading];
  const isMarked = draft.kind === "marks";
  const mark = (one, at) => {
    const name = nameOf(draft, one);
    return { corners: one.corners, seat: isRead(one) ? 2 : null, sure: isRead(one), key: `reading ${at}`, name, isNamed: true, words: t("correct_this", { what: name }), tap: isMarked ? null : open(at) };
  };
  return h(
    "div",
    { class: "column", key: "read" },
    picture({ source: `/lesson/picture/${test.picture}.jpg`, alt: t("evidence_alt"), marks: test.readings.map(mark) }),
    h("p", { role: "status" }, result(draft)),
    chosen ? mending(app, draft, chosen, open(app.local.reading)) : isMarked ? null : note(t("teach_mend_why")),
  );
}

function mending(app, draft, reading, leave) {
  const mend = (group) =>
    teach(app, { do: "mend", reading: draft.test.readings.indexOf(reading), group }, () => {
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
    row(button(t("teach_new_face"), () => mend(null), { class: "small" }), button(t("cancel"), leave, { class: "small quiet" })),
  );
}

// How many were read, and how sure the least sure of them was.
function result(draft) {
  const { readings } = draft.test;
  const certain = readings.filter((one) => isRead(one) && !one.mended);
  const mended = readings.filter((one) => one.mended).length;
  const open = readings.length - certain.length - mended;
  const least = certain.length ? certain.reduce((one, other) => (other.odds < one.odds ? other : one)) : null;
  return [
    count("teach_read", certain.length, { all: readings.length }),
    mended ? count("teach_read_mended", mended) : "",
    open ? count("teach_read_open", open) : "",
    least ? t("teach_least_sure", { face: nameOf(draft, least), odds: oddsWords(least.odds) }) : "",
  ].filter(Boolean).join(" ");
}

function measured(draft) {
  const { alike, weakest, odds } = draft.measured;
  const name = (id) => labelOf(draft, groupOf(draft, id));
  if (alike.length) return t("teach_alike", { pairs: alike.slice(0, 3).map(([one, other]) => `${name(one)} – ${name(other)}`).join("; ") });
  return weakest ? t("teach_measured", { one: name(weakest[0]), other: name(weakest[1]), odds: oddsWords(odds) }) : "";
}

function oddsWords(odds) {
  if (odds >= CERTAIN) return t("teach_odds_more", { n: number(CERTAIN) });
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, odds))));
  return t("teach_odds", { n: number(Math.max(1, Math.round(odds / digits) * digits)) });
}
