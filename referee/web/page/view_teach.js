// Teach a deck: lay cards apart, tap, name what was found, let it read some, and the deck can be played with.

import { h } from "./dom.js";
import { change, read } from "./server.js";
import { bar, button, choices, columns, field, heading, maySee, note, row, stepper, sure, unseen, waitingFor } from "./parts.js";
import { gameNamed, TAUGHT_FOR } from "./games.js";
import { livePicture } from "./live.js";
import { picture } from "./picture.js";
import { checking } from "./teach_check.js";
import { groups } from "./teach_groups.js";
import { count, t } from "./words.js";

const MOST = 300;

export function opened(app) {
  fetchLesson(app);
}

function fetchLesson(app) {
  app.local.asked_lesson = app.state.lesson;
  const take = taking(app);
  const taken = (lesson) => {
    take(lesson);
    app.draw();
  };
  read("/api/lesson").then(taken, (fault) => taken({ fault: app.wordsOf(fault) }));
}

// Carry out a command of the lesson; what comes back is the lesson as it is then.
export function teach(app, command, done) {
  const take = taking(app);
  return app.run(
    () => change("/api/lesson", command),
    (lesson, toast) => {
      take(lesson);
      if (done) done(lesson, toast);
    },
  );
}

// Answers may come in another order than they were asked for: an older lesson never takes a newer one's place.
function taking(app) {
  const { local } = app;
  const number = (local.questions = (local.questions || 0) + 1);
  return (lesson) => {
    if (number >= (local.answered || 0)) Object.assign(local, { lesson, answered: number });
  };
}

export function draw(app) {
  const { local, state } = app;
  // Another phone, or the work itself, has gone on.
  if (local.lesson && state.lesson !== local.asked_lesson) fetchLesson(app);
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
  const set = (part) => {
    local.plan = Object.assign({}, plan, part);
    app.draw();
  };
  const begin = (event) => {
    event.preventDefault();
    teach(app, { do: "begin", name: plan.name.trim() || t("teach_name_now"), game: plan.game || null, expected: plan.expected });
  };
  const game = (name) => ({ key: name, on: name === plan.game, text: name ? t(`game_${name}`) : t("teach_any_game"), tap: () => set({ game: name, expected: gameNamed(name).lesson.expected }) });
  return h(
    "form",
    { class: "card-box narrow", key: "begin", onsubmit: begin },
    h("p", {}, t("teach_what")),
    h("p", { class: "label" }, t("teach_which_game")),
    choices(t("teach_which_game"), TAUGHT_FOR.map(game)),
    howMany(plan.game, plan.expected, (expected) => set({ expected })),
    field("deck-name", t("deck_name"), plan.name, (name) => set({ name }), { maxlength: 60, autocomplete: "off", placeholder: t("teach_name_now") }),
    button(t("teach_begin"), null, { type: "submit", class: "main big" }),
  );
}

// A number that may be unknown: 0 stands as "–".
function howMany(game, value, set) {
  const range = { least: 0, most: MOST, jump: value >= 20 ? 6 : 1, words: ["teach_less", "teach_more"] };
  return h("div", { class: "option" }, h("span", {}, t(gameNamed(game || "").lesson.unit)), stepper(value || "–", value, range, set));
}

function looking(app, lesson) {
  const { url, size, missing } = livePicture(app);
  return h(
    "section",
    { class: "card-box looking", key: "looking", "aria-label": t("live_table") },
    url === null ? note(missing ? t("no_live_picture") : t("one_moment")) : picture({ source: url, alt: t("live_alt"), size }),
    h("p", {}, t(lesson.draft.pictures > 0 ? "teach_lay_next" : "teach_lay")),
    button(t("teach_these_lie"), () => teach(app, { do: "look" }), { class: "main big", key: "look" }),
    told(lesson),
  );
}

// What is being done, or what went wrong: the one place where both stand.
function told({ trouble, busy, waiting }) {
  if (trouble) return h("p", { class: "fault", role: "alert", key: "trouble" }, t(`fault_${trouble.key}`, trouble.values));
  const word = busy && busy !== "naming" ? t(`teach_${busy}`) : "";
  return h("div", { role: "status", key: "busy" }, word ? [note(word, waiting > 1 ? ` (${waiting})` : ""), h("div", { class: "bar" }, h("div", { class: "going" }))] : null);
}

function lastShot(lesson) {
  const { shot } = lesson.draft;
  if (!shot || shot.state === "waiting") return null;
  const marks = [...shot.outlines.map((one) => ({ corners: one.corners, seat: 2 })), ...shot.unclear.map((one) => ({ corners: one.corners, sure: false }))];
  return h(
    "section",
    { class: "card-box", key: "shot" },
    h("h2", {}, count("teach_found", shot.outlines.length)),
    picture({ source: `/lesson/picture/${shot.number}.jpg`, alt: t("evidence_alt"), marks }),
    shot.unclear.length ? note(count("teach_left_out", shot.unclear.length)) : null,
  );
}

function progress(app, lesson) {
  const { draft } = lesson;
  const { tally } = draft;
  return h(
    "section",
    { class: "card-box", key: "progress" },
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
  const drop = () => {
    app.local.asked = null;
    teach(app, { do: "drop" });
  };
  return h(
    "section",
    { class: "card-box", key: "ending" },
    draft.missing ? note(t(`fault_${draft.missing}`)) : null,
    row(button(t("teach_save"), () => teach(app, { do: "save" }), { class: "main big", disabled: Boolean(draft.missing) || Boolean(lesson.busy && lesson.busy !== "naming") })),
    row(sure(app, "drop", t("teach_drop_sure"), t("teach_drop_yes"), drop, t("teach_drop"))),
  );
}
