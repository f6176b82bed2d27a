// The table: the latest ruling, what is asked, the live picture, the scores, and what a hand may do.

import { h } from "./dom.js";
import { byHand, gameOf, scoresTitle } from "./games.js";
import { ago, button, heading, icon, kindOf, maySee, nameOf, phaseOf, sand, shownPoints, sign } from "./parts.js";
import { handParts, headline } from "./headline.js";
import { untoldHands } from "./by_hand.js";
import { cardDrawn, scoreSheet } from "./game_coloretto.js";
import { live } from "./live.js";
import { undo } from "./dock.js";
import { whereabouts } from "./whereabouts.js";
import { count, t } from "./words.js";

export function draw(app) {
  const { state } = app;
  if (state.mode === "idle") return idle(app);
  return [
    h(
      "div",
      { class: "columns" },
      h("div", { class: "column wide" }, questions(app), isTold(app) && !headline(app) ? h("h1", { class: "sr", tabindex: "-1", key: "verdict" }, t(`game_${app.state.game.game}`)) : verdict(app), notices(app), isTold(app) ? byHand(app) : null, live(app, correctSeen)),
      h("div", { class: "column" }, phase(app), isTold(app) ? scoreSheet(app) : null, board(app), controls(app), isTold(app) ? null : byHand(app), rulings(app)),
    ),
  ];
}

// Of a game that nothing watches each move is told here: that comes first.
function isTold(app) {
  return Boolean(gameOf(app).isToldByHand);
}

function idle(app) {
  return [
    h(
      "section",
      { class: "card-box welcome" },
      h("img", { src: "/page/icon.svg", alt: "", width: 88, height: 88 }),
      heading(t("welcome")),
      h("p", {}, t("welcome_more")),
      h("a", { class: "button main big", href: "#start" }, t("start_game")),
      setupLeft(app),
      h("p", {}, h("a", { href: "#picture" }, t("score_picture"))),
      h("p", {}, h("a", { href: "#sheet" }, t("count_end"))),
    ),
    notices(app),
    live(app),
    whereabouts(app),
  ];
}

// What was left for later is offered again.
function setupLeft(app) {
  const left = (app.state.setup || {}).left || 0;
  return left ? h("p", {}, h("a", { href: "#setup" }, count("setup_left", left))) : null;
}

function verdict(app) {
  const shown = headline(app);
  if (!shown) {
    return h("section", { class: "verdict info", key: "verdict" }, icon("info"), h("div", {}, heading(t("no_ruling_yet")), h("p", {}, t("no_ruling_more"))));
  }
  const { entry } = shown;
  return h(
    "section",
    { class: `verdict ${shown.together.length ? "time" : kindOf(entry)}`, key: "verdict", "data-ruling": entry.id },
    icon(shown.together.length ? "end" : kindOf(entry)),
    h(
      "div",
      {},
      heading(shown.title),
      shown.reason ? h("p", { class: "reason" }, shown.reason) : null,
      shown.after.length ? h("ul", { class: "after" }, shown.after.map((one) => h("li", { key: one.id }, one.text))) : null,
      shown.together.length
        ? h("ul", { class: "rulings" }, shown.together.map((one) => handLine(app, one)))
        : h(
            "p",
            { class: "meta" },
            h("span", {}, ago(app, entry.t_ns)),
            entry.corrected ? h("span", { class: "tag" }, t("corrected")) : null,
            entry.id ? h("a", { class: "button", href: `#ruling/${entry.id}` }, t("look_or_correct")) : null,
          ),
    ),
  );
}

function handLine(app, one) {
  const [title, reason] = handParts(app, one);
  return h(
    "li",
    { key: one.id },
    h("a", { href: `#ruling/${one.id}`, class: "ruling" }, sign(one.ruling.seat), h("span", {}, h("strong", {}, title), " – ", reason)),
  );
}

function questions(app) {
  return app.state.questions.map((question) =>
    h(
      "section",
      { class: "question", key: `question ${question.id}`, role: "group", "aria-labelledby": `question-${question.id}` },
      h("h2", { id: `question-${question.id}` }, question.text || t(`question_${question.kind}`)),
      question.pictures && maySee(app) ? askedPictures(question.pictures) : null,
      question.kind === "doubt" ? doubtAnswers(app, question) : null,
      question.kind === "no_hand" ? untoldHands(app, question) : null,
      ["no_hand", "doubt"].includes(question.kind) ? null : h("div", { class: "row" }, question.kind === "who_rang" ? ringers(app, question) : decisions(app)),
      question.ruling ? h("a", { href: `#ruling/${question.ruling}` }, t("see_picture")) : null,
    ),
  );
}

// The table as it was when it was understood last, and now: where it has changed.
function askedPictures(pictures) {
  return h(
    "div",
    { class: "asked-pictures" },
    ["before", "now"].map((when) =>
      pictures[when]
        ? h(
            "figure",
            { key: when },
            h(
              "a",
              { href: `/pictures/${pictures[when]}.jpg`, target: "_blank", rel: "noopener" },
              h("img", {
                src: `/pictures/${pictures[when]}.jpg`,
                alt: t(`asked_${when}`),
                onerror: (event) => event.target.closest("figure").remove(),
              }),
            ),
            h("figcaption", {}, t(`asked_${when}`)),
          )
        : null,
    ),
  );
}

// What the camera could not tell: one tap says it. Whoever is in a hurry says it later; play goes on.
function doubtAnswers(app, question) {
  return h(
    "div",
    { class: "row choices" },
    question.answers.map((answer, at) =>
      h(
        "button",
        { type: "button", class: "big", key: at, onclick: () => app.runTimely({ do: "answer", question: question.id, answer: at }) },
        answer.seat === null || answer.seat === undefined ? null : sign(answer.seat),
        answer.card ? cardDrawn(answer.card) : null,
        answer.text,
      ),
    ),
  );
}

function ringers(app, question) {
  return question.seats.map((seat) =>
    h("button", { type: "button", class: "big", key: seat, onclick: () => app.runTimely({ do: "ringer", seat }) }, sign(seat), nameOf(app, seat)),
  );
}

function decisions(app) {
  return [
    h("button", { type: "button", class: "big", onclick: () => app.runTimely({ do: "decide", valid: true }) }, icon("yes"), t("ring_valid")),
    h("button", { type: "button", class: "big", onclick: () => app.runTimely({ do: "decide", valid: false }) }, icon("no"), t("ring_false")),
  ];
}

function notices(app) {
  return app.state.notices.map((notice, at) =>
    h("p", { class: "notice", key: `notice ${at}`, role: "status" }, notice.seat === null ? icon("info") : sign(notice.seat), h("span", {}, notice.text)),
  );
}

function phase(app) {
  const turn = (app.state.phase || {}).turn;
  return h(
    "section",
    { class: "phase", key: "phase" },
    h("p", {}, phaseOf(app)),
    turn === null || turn === undefined ? null : h("p", { class: "turn" }, sign(turn), t("turn_of", { name: nameOf(app, turn) })),
    sand(app),
  );
}

export function board(app) {
  const best = Math.max(0, ...app.state.board.map((one) => one.points || 0));
  return h(
    "section",
    { class: "card-box", key: "board", "aria-labelledby": "board-title" },
    h("h2", { id: "board-title" }, scoresTitle(app.state.game)),
    h(
      "ol",
      { class: "board" },
      app.state.board.map((one) =>
        h(
          "li",
          { key: one.seat, class: one.points === best && best > 0 ? "ahead" : null, "data-seat": one.seat },
          sign(one.seat),
          h("span", { class: "name" }, one.name),
          h("span", { class: "detail" }, one.detail || ""),
          h("span", { class: "points num" }, shownPoints(one.points)),
        ),
      ),
    ),
  );
}

function controls(app) {
  const { mode } = app.state;
  const tap = (key, command, more) => button(t(key), () => app.runTimely({ do: command }), more);
  if (mode === "over") return h("div", { class: "row", key: "controls" }, h("a", { class: "button main", href: "#start" }, t("next_game")), undoButton(app));
  const { besides } = gameOf(app);
  const more = besides && mode === "playing" ? besides((app.state.phase || {}).key) : null;
  return h(
    "div",
    { class: "row controls", key: "controls" },
    // What is due next stands at the foot of the window (dock.js).
    mode === "paused" ? null : tap("pause", "pause", { key: "pause" }),
    more ? tap(...more, { key: more[1] }) : null,
    undoButton(app),
    stop(app),
  );
}

function undoButton(app) {
  return app.state.can_undo ? button(t(`undo_${app.state.undoes}`), () => undo(app), { key: "undo" }) : null;
}

// The end of a game is asked for twice: fingers slip.
function stop(app) {
  const { local } = app;
  if (!local.stopping) {
    return button(t("stop"), () => ask(app, true), { class: "quiet", key: "stop" });
  }
  return h(
    "span",
    { class: "row asked", key: "stopping", role: "group", "aria-label": t("stop_sure") },
    h("span", {}, t("stop_sure")),
    button(t("stop_yes"), () => app.runTimely({ do: "stop" }, () => ask(app, false)), { class: "danger" }),
    button(t("cancel"), () => ask(app, false), { class: "quiet" }),
  );
}

function ask(app, stopping) {
  app.local.stopping = stopping;
  app.draw();
}

function rulings(app) {
  const worded = app.state.rulings.filter((one) => one.text);
  if (worded.length < 2) return null;
  const shown = app.local.all ? worded : worded.slice(0, 8);
  return h(
    "section",
    { class: "card-box", key: "rulings", "aria-labelledby": "rulings-title" },
    h("h2", { id: "rulings-title" }, t("so_far")),
    h("ul", { class: "rulings" }, shown.map((one) => h("li", { key: one.id }, rulingLink(app, one)))),
    worded.length > shown.length ? button(t("show_all"), () => showAll(app), { class: "quiet" }) : null,
  );
}

function showAll(app) {
  app.local.all = true;
  app.draw();
}

export function rulingLink(app, one, when) {
  return h(
    "a",
    { href: `#ruling/${one.id}`, class: `ruling ${kindOf(one)}` },
    icon(kindOf(one)),
    h("span", {}, one.text, one.corrected ? h("span", { class: "tag" }, t("corrected")) : null),
    h("span", { class: "when" }, when === undefined ? ago(app, one.t_ns) : when),
  );
}

// A tap on something seen corrects what it was read as; one on a card of a hand opens that card.
function correctSeen(app, outline) {
  const { local } = app;
  const data = (app.state.readings || {})[outline.event];
  const cards = (data && data.event === "hand" && data.cards) || [];
  const at = cards.findIndex((card) => card.join(" ") === outline.label);
  const again = local.seen === outline.event && local.tapped === outline.label;
  local.seen = again ? null : outline.event;
  local.tapped = again ? null : outline.label;
  local[`open ${outline.event}`] = at >= 0 && !again ? { at, colours: cards[at].slice() } : undefined;
  app.draw();
}
