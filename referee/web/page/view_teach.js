// Teach a deck: lay cards apart, tap, name what was found, let it read some, and the deck can be played with.

import { h } from "./dom.js";
import { change, read } from "./server.js";
import { button, heading, maySee, unseen, waitingFor } from "./parts.js";
import { gameNamed, TAUGHT_FOR } from "./games.js";
import { livePicture } from "./live.js";
import { checking } from "./teach_check.js";
import { groups, outlined } from "./teach_groups.js";
import { count, t } from "./words.js";

const MOST = 300;

export function opened(app) {
  fetchLesson(app);
}

function fetchLesson(app) {
  app.local.asked = app.state.lesson;
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
    if (number < (local.answered || 0)) return;
    Object.assign(local, { lesson, answered: number });
  };
}

export function draw(app) {
  const { local, state } = app;
  // Another phone, or the work itself, has gone on.
  if (local.lesson && state.lesson !== local.asked) fetchLesson(app);
  const { lesson } = local;
  if (!lesson || lesson.fault) return [heading(t("nav_teach")), waitingFor(lesson)];
  if (lesson.draft && !maySee(app)) return [heading(lesson.draft.name), unseen(app)];
  if (!lesson.draft) return [heading(t("nav_teach")), saved(lesson), beginning(app)];
  return [
    heading(lesson.draft.name),
    h(
      "div",
      { class: "columns teach" },
      h("div", { class: "column wide" }, looking(app, lesson), lastShot(lesson)),
      h("div", { class: "column wide" }, progress(app, lesson), groups(app, lesson), checking(app, lesson), ending(app, lesson)),
    ),
  ];
}

function saved(lesson) {
  if (!lesson.saved) return null;
  return h(
    "section",
    { class: "card-box", key: "saved", role: "status" },
    h("h2", {}, t("teach_saved", { name: lesson.saved })),
    h("div", { class: "row" }, h("a", { class: "button main", href: "#start" }, t("start_game")), h("a", { class: "button", href: "#settings" }, t("decks"))),
  );
}

function beginning(app) {
  const { local } = app;
  const plan = local.plan || { game: TAUGHT_FOR[0], expected: gameNamed(TAUGHT_FOR[0]).lesson.expected, name: "" };
  const set = (part) => {
    local.plan = Object.assign({}, plan, part);
    app.draw();
  };
  const { unit } = gameNamed(plan.game).lesson;
  const begin = (event) => {
    event.preventDefault();
    const name = plan.name.trim() || t("teach_name_now");
    teach(app, { do: "begin", name, game: plan.game || null, expected: plan.expected });
  };
  return h(
    "form",
    { class: "card-box narrow", key: "begin", onsubmit: begin },
    h("p", {}, t("teach_what")),
    h("p", { class: "label" }, t("teach_which_game")),
    h(
      "div",
      { class: "row choices", role: "group", "aria-label": t("teach_which_game") },
      TAUGHT_FOR.map((game) =>
        button(game ? t(`game_${game}`) : t("teach_any_game"), () => set({ game, expected: gameNamed(game).lesson.expected }), { key: game, "aria-pressed": String(game === plan.game) }),
      ),
    ),
    stepper(t(unit), plan.expected, (expected) => set({ expected })),
    h("label", { for: "deck-name" }, t("deck_name")),
    h("input", { id: "deck-name", value: plan.name, maxlength: 60, autocomplete: "off", placeholder: t("teach_name_now"), oninput: (event) => set({ name: event.target.value }) }),
    h("button", { type: "submit", class: "main big" }, t("teach_begin")),
  );
}

// A number that may be unknown: 0 stands as "–".
function stepper(label, value, set) {
  const jump = value >= 20 ? 6 : 1;
  return h(
    "div",
    { class: "option" },
    h("span", {}, label),
    h(
      "span",
      { class: "row" },
      button("−", () => set(Math.max(0, value - jump)), { class: "step", "aria-label": t("teach_less"), disabled: value === 0 }),
      h("span", { class: "num", role: "status" }, value || "–"),
      button("+", () => set(Math.min(MOST, value + jump)), { class: "step", "aria-label": t("teach_more"), disabled: value >= MOST }),
    ),
  );
}

function looking(app, lesson) {
  const picture = livePicture(app);
  const again = lesson.draft.pictures > 0;
  return h(
    "section",
    { class: "card-box looking", key: "looking", "aria-label": t("live_table") },
    picture.url === null
      ? h("p", { class: "note" }, picture.missing ? t("no_live_picture") : t("one_moment"))
      : h("div", { class: "picture" }, h("img", { src: picture.url, alt: t("live_alt") })),
    h("p", {}, t(again ? "teach_lay_next" : "teach_lay")),
    button(t("teach_these_lie"), () => teach(app, { do: "look" }), { class: "main big", key: "look" }),
    told(lesson),
  );
}

// What is being done, or what went wrong: the one place where both stand.
function told(lesson) {
  const { trouble, busy, waiting } = lesson;
  if (trouble) return h("p", { class: "fault", role: "alert", key: "trouble" }, t(`fault_${trouble.key}`, trouble.values));
  const word = busy && busy !== "naming" ? t(`teach_${busy}`) : "";
  return h("div", { role: "status", key: "busy", class: "busy" }, word ? [h("p", { class: "note" }, word, waiting > 1 ? ` (${waiting})` : ""), h("div", { class: "bar" }, h("div", { class: "going" }))] : null);
}

function lastShot(lesson) {
  const { shot } = lesson.draft;
  if (!shot || shot.state === "waiting") return null;
  const found = shot.outlines.map((one) => ({ corners: one.corners, sure: true, key: one.card }));
  const odd = shot.unclear.map((one, at) => ({ corners: one.corners, sure: false, key: `odd ${at}` }));
  return h(
    "section",
    { class: "card-box", key: "shot" },
    h("h2", {}, count("teach_found", shot.outlines.length)),
    outlined(`/lesson/picture/${shot.number}.jpg`, t("evidence_alt"), found.concat(odd)),
    odd.length ? h("p", { class: "note" }, count("teach_left_out", odd.length)) : null,
  );
}

function progress(app, lesson) {
  const { draft } = lesson;
  const { tally } = draft;
  const share = tally.of ? Math.min(1, tally.seen / tally.of) : 0;
  const { unit } = gameNamed(draft.game || "").lesson;
  const set = (expected) => teach(app, { do: "rename", name: draft.name, expected });
  return h(
    "section",
    { class: "card-box", key: "progress" },
    h("p", { role: "status" }, seenSoFar(draft)),
    tally.of ? h("div", { class: "bar", "aria-hidden": "true" }, h("div", { class: share < 1 ? "rest" : "rest full", place: { width: `${share * 100}%` } })) : null,
    stepper(t(unit), draft.expected, set),
    draft.pictures ? h("div", { class: "row" }, button(t("teach_take_back"), () => teach(app, { do: "take_back" }, () => app.toasted(t("teach_taken_back"))))) : null,
  );
}

function seenSoFar(draft) {
  const { tally, expected } = draft;
  const said = expected ? `${count(draft.kind === "marks" ? "teach_said_cards" : gameNamed(draft.game || "").lesson.said, expected)} ` : "";
  if (tally.happy !== undefined) {
    const open = tally.open ? ` ${count("teach_open", tally.open)}` : "";
    return said + t("teach_seen_clowns", { happy: tally.happy, sad: tally.sad }) + open;
  }
  if (tally.colours !== undefined) {
    const lacks = ["+2", "joker"].filter((kind) => !tally.kinds.includes(kind)).map((kind) => (kind === "joker" ? t("joker") : "+2"));
    return said + count("teach_seen_colours", tally.colours) + (lacks.length ? ` ${t("teach_lacks", { what: lacks.join(", ") })}` : "");
  }
  return said + count("teach_seen_cards", tally.seen);
}

function ending(app, lesson) {
  const { draft } = lesson;
  const { local } = app;
  const drop = () => {
    local.dropping = false;
    teach(app, { do: "drop" });
  };
  const ask = (on) => {
    local.dropping = on;
    app.draw();
  };
  return h(
    "section",
    { class: "card-box", key: "ending" },
    draft.missing ? h("p", { class: "note" }, t(`fault_${draft.missing}`)) : null,
    h(
      "div",
      { class: "row" },
      button(t("teach_save"), () => teach(app, { do: "save" }), { class: "main big", disabled: Boolean(draft.missing) || Boolean(lesson.busy && lesson.busy !== "naming") }),
    ),
    local.dropping
      ? h("div", { class: "row", key: "sure" }, h("span", {}, t("teach_drop_sure")), button(t("teach_drop_yes"), drop, { class: "danger" }), button(t("cancel"), () => ask(false)))
      : h("div", { class: "row", key: "drop" }, button(t("teach_drop"), () => ask(true), { class: "quiet" })),
  );
}
