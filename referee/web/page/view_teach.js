// Draws the teaching of a deck: pictures, groups to name, a test, and the end.

import { h } from "./dom.js";
import { inOrder, read } from "./server.js";
import { bar, box, button, choices, columns, confirmed, faceWords, field, form, group, heading, maySee, note, row, stepper, unseen, waitingFor } from "./parts.js";
import { gameNamed, TAUGHT_FOR } from "./games.js";
import { livePicture } from "./live.js";
import { picture } from "./picture.js";
import { groups, labelOf, pick, teach } from "./teach_groups.js";
import { count, number, t } from "./words.js";

const MOST = 300;
const CERTAIN = 10_000;

export function opened(app) {
  app.local.asked_lesson = app.state.lesson;
  const failed = (fault) => ({ fault: app.wordsOf(fault) });
  read("/api/lesson").catch(failed).then(inOrder(app, "lesson")).then(app.draw);
}

export function draw(app) {
  const { local, state } = app;
  // Another phone or the server has changed the lesson.
  if (local.lesson && state.lesson !== local.asked_lesson) opened(app);
  const { lesson } = local;
  if (!lesson || lesson.fault) return [heading(t("nav_teach")), waitingFor(lesson)];
  if (lesson.draft && !maySee(app)) return [heading(lesson.draft.name), unseen(app)];
  if (!lesson.draft) return [heading(t("nav_teach")), saved(lesson), beginning(app)];
  return [heading(lesson.draft.name), columns([looking(app, lesson), lastShot(lesson)], [progress(app, lesson), groups(app, lesson), checking(app, lesson), ending(app, lesson)])];
}

function saved(lesson) {
  if (!lesson.saved) return null;
  return h("section", { class: "card-box", key: "saved", role: "status" }, h("h2", {}, t("teach_saved", { name: lesson.saved })), row(h("a", { class: "button main", href: "#start" }, t("start_game")), h("a", { class: "button", href: "#settings" }, t("decks"))));
}

function beginning(app) {
  const { local } = app;
  const plan = local.plan || { game: TAUGHT_FOR[0], expected: gameNamed(TAUGHT_FOR[0]).lesson.expected, name: "" };
  const set = (part) => app.set({ plan: Object.assign({}, plan, part) });
  const begin = () => teach(app, { do: "begin", name: plan.name.trim() || t("teach_name_now"), game: plan.game || null, expected: plan.expected });
  const game = (name) => ({ key: name, on: name === plan.game, text: name ? t(`game_${name}`) : t("teach_any_game"), tap: () => set({ game: name, expected: gameNamed(name).lesson.expected }) });
  return form("card-box narrow", begin,
    h("p", {}, t("teach_what")),
    h("p", { class: "label" }, t("teach_which_game")),
    choices(t("teach_which_game"), TAUGHT_FOR.map(game)),
    howMany(plan.game, plan.expected, (expected) => set({ expected })),
    field("deck-name", t("deck_name"), plan.name, (name) => set({ name }), { maxlength: 60, autocomplete: "off", placeholder: t("teach_name_now") }),
    button(t("teach_begin"), null, { type: "submit", class: "main big" }),
  );
}

// Return the stepper for the number of faces; 0, unknown, is "–".
function howMany(game, value, set) {
  const range = { least: 0, most: MOST, jump: value >= 20 ? 6 : 1, words: ["teach_less", "teach_more"] };
  return h("div", { class: "option" }, h("span", {}, t(gameNamed(game || "").lesson.unit)), stepper(value || "–", value, range, set));
}

function looking(app, lesson) {
  const { url, size, missing } = livePicture(app);
  return h("section", { class: "card-box looking", key: "looking", "aria-label": t("live_table") },
    url === null ? note(missing ? t("no_live_picture") : t("one_moment")) : picture({ source: url, alt: t("live_alt"), size }),
    h("p", {}, t(lesson.draft.pictures > 0 ? "teach_lay_next" : "teach_lay")),
    button(t("teach_these_lie"), () => teach(app, { do: "look" }), { class: "main big", key: "look" }),
    status(lesson),
  );
}

// Return the fault, or what the server is doing.
function status({ trouble, busy, waiting }) {
  if (trouble) return h("p", { class: "fault", role: "alert", key: "trouble" }, t(`fault_${trouble.key}`, trouble.values));
  const word = busy && busy !== "naming" ? t(`teach_${busy}`) : "";
  return h("div", { role: "status", key: "busy" }, word ? [note(word, waiting > 1 ? ` (${waiting})` : ""), h("div", { class: "bar" }, h("div", { class: "going" }))] : null);
}

function lastShot(lesson) {
  const { shot } = lesson.draft;
  if (!shot || shot.state === "waiting") return null;
  const marks = [...shot.outlines.map((one) => ({ corners: one.corners, seat: 2 })), ...shot.unclear.map((one) => ({ corners: one.corners, certain: false }))];
  return box("shot", count("teach_found", shot.outlines.length),
    picture({ source: `/lesson/picture/${shot.number}.jpg`, alt: t("evidence_alt"), marks }),
    shot.unclear.length ? note(count("teach_left_out", shot.unclear.length)) : null,
  );
}

function progress(app, lesson) {
  const { draft } = lesson;
  const { tally } = draft;
  return h("section", { class: "card-box", key: "progress" },
    h("p", { role: "status" }, seenSoFar(draft)),
    tally.of ? h("div", { class: "row", "aria-hidden": "true" }, bar(Math.min(1, tally.seen / tally.of), "")) : null,
    howMany(draft.game, draft.expected, (expected) => teach(app, { do: "rename", name: draft.name, expected })),
    draft.pictures ? row(button(t("teach_take_back"), () => teach(app, { do: "take_back" }, () => app.toasted(t("teach_taken_back"))))) : null,
  );
}

function seenSoFar(draft) {
  const { tally, expected } = draft;
  const said = expected ? `${count(draft.kind === "marks" ? "teach_said_cards" : gameNamed(draft.game || "").lesson.said, expected)} ` : "";
  if (tally.happy !== undefined) return said + t("teach_seen_clowns", { happy: tally.happy, sad: tally.sad }) + (tally.open ? ` ${count("teach_open", tally.open)}` : "");
  if (tally.colours === undefined) return said + count("teach_seen_cards", tally.seen);
  const lacks = ["+2", "joker"].filter((kind) => !tally.kinds.includes(kind)).map((kind) => (kind === "joker" ? t("joker") : "+2"));
  return said + count("teach_seen_colours", tally.colours) + (lacks.length ? ` ${t("teach_lacks", { what: lacks.join(", ") })}` : "");
}

function ending(app, lesson) {
  const { draft } = lesson;
  return h("section", { class: "card-box", key: "ending" },
    draft.missing ? note(t(`fault_${draft.missing}`)) : null,
    row(button(t("teach_save"), () => teach(app, { do: "save" }), { class: "main big", disabled: Boolean(draft.missing) || Boolean(lesson.busy && lesson.busy !== "naming") })),
    row(confirmed(app, "drop", t("teach_drop_sure"), t("teach_drop_yes"), () => teach(app, { do: "drop" }, () => app.set({ asked: null })), t("teach_drop"))),
  );
}

// Return the test: the deck reads some cards, and a tap corrects a wrong one.
function checking(app, { draft, busy }) {
  if (!draft.groups.length) return null;
  const check = () => {
    app.local.reading = null;
    teach(app, { do: "test" });
  };
  return box("check", t("teach_check"),
    h("p", {}, t("teach_check_why")),
    button(t("teach_check_now"), check, { class: "big", disabled: Boolean(draft.missing) || ["making", "reading", "saving"].includes(busy) }),
    draft.test ? tested(app, draft) : null,
    draft.measured && draft.kind !== "marks" ? h("p", { key: "measured", class: draft.measured.alike.length ? "note bad" : "note" }, measured(draft)) : null,
  );
}

function groupOf(draft, id) {
  return draft.groups.find((one) => one.id === id);
}

function readAs(draft, one) {
  return one.marks.length ? faceWords(one.marks) : one.group === null ? "?" : labelOf(draft, groupOf(draft, one.group));
}

function isRead(one) {
  return one.group !== null || one.marks.length > 0;
}

function tested(app, draft) {
  const { test } = draft;
  const open = (at) => () => app.set({ reading: app.local.reading === at ? null : at });
  const chosen = test.readings[app.local.reading];
  const isMarked = draft.kind === "marks";
  const mark = (one, at) => {
    const name = readAs(draft, one);
    return { corners: one.corners, seat: isRead(one) ? 2 : null, certain: isRead(one), key: `reading ${at}`, name, isNamed: true, words: t("correct_this", { what: name }), tap: isMarked ? null : open(at) };
  };
  return h("div", { class: "column", key: "read" },
    picture({ source: `/lesson/picture/${test.picture}.jpg`, alt: t("evidence_alt"), marks: test.readings.map(mark) }),
    h("p", { role: "status" }, result(draft)),
    chosen ? mending(app, draft, chosen, open(app.local.reading)) : isMarked ? null : note(t("teach_mend_why")),
  );
}

function mending(app, draft, reading, leave) {
  const mended = () => {
    app.set({ reading: null });
    app.toasted(t("teach_mended"));
  };
  const mend = (to) => teach(app, { do: "mend", reading: draft.test.readings.indexOf(reading), group: to }, mended);
  const likely = draft.groups.filter((one) => one.id === reading.likely);
  const others = draft.groups.filter((one) => one.id !== reading.likely && !one.back);
  return group("correct", t("what_is_it"),
    h("h3", {}, t("what_is_it")),
    pick(app, draft, likely.concat(others), mend),
    row(button(t("teach_new_face"), () => mend(null), { class: "small" }), button(t("cancel"), leave, { class: "small quiet" })),
  );
}

// Return how many cards were read, and the odds of the least certain one.
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
    least ? t("teach_least_sure", { face: readAs(draft, least), odds: oddsWords(least.odds) }) : "",
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
