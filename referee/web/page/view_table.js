// Draws the table: picture and verdict, questions, scores, and the game's buttons.

import { h } from "./dom.js";
import { counting, countUp } from "./count_up.js";
import { byHand, gameOf, scoresTitle } from "./games.js";
import { ago, box, button, card, choices, confirmed, faceWords, heading, icon, kindOf, maySee, nameClass, nameOf, phaseOf, row, sand, shownPoints, sign, turnOf, whereabouts } from "./parts.js";
import { band, headline } from "./headline.js";
import { cardDrawn, scoreSheet } from "./game_coloretto.js";
import { cardsRead, missingHands } from "./readings.js";
import { correction, live } from "./live.js";
import { undo } from "./frame.js";
import { count, t } from "./words.js";

export function draw(app) {
  if (app.state.mode === "idle") return idle(app);
  // Moves that are entered by hand come before the picture.
  const isEntered = Boolean(gameOf(app).isEnteredByHand);
  const { turn } = app.state.phase || {};
  const begun = isEntered && typeof turn === "number" ? { title: t("turn_of", { name: nameOf(app, turn) }), reason: phaseOf(app), kind: "time", entry: {} } : null;
  const shown = headline(app) || begun;
  return h("div", { class: "columns staged" },
    h("div", { class: "column wide stuck" }, stages(app, shown, isEntered), correction(app), isEntered ? [board(app, shown), byHand(app)] : null),
    h("div", { class: "column" }, isEntered ? null : board(app, shown), phase(app), controls(app), isEntered ? [scoreSheet(app), live(app, true)] : byHand(app), rulings(app, shown), due(app)),
  );
}

function idle(app) {
  const left = (app.state.setup || {}).left || 0;
  const link = (href, text) => h("p", {}, h("a", { href }, text));
  return [
    h("section", { class: "card-box welcome" }, h("img", { src: "/page/icon.svg", alt: "", width: 88, height: 88 }), heading(t("welcome")), h("p", {}, t("welcome_more")), h("a", { class: "button main big", href: "#start" }, t("start_game")), left ? link("#setup", count("setup_left", left)) : null, link("#picture", t("score_picture")), link("#sheet", t("count_end"))),
    live(app),
    whereabouts(app),
  ];
}

// Return picture, verdict and questions; a question with pictures comes before the verdict.
function stages(app, shown, isEntered) {
  const { questions } = app.state;
  const asked = maySee(app) ? questions.find((one) => one.pictures) : null;
  const picture = asked ? askedPictures(asked.pictures) : isEntered ? null : live(app, true);
  const look = shown && shown.entry.id && !shown.isCount ? h("a", { href: `#ruling/${shown.entry.id}` }, t("look_or_correct")) : null;
  const counted = countUp(app);
  const verdict = counted ? counting(counted) : band(app, shown, look);
  const stage = (...content) => h("div", { class: "stage", key: "stage" }, h("div", { class: `pictured ${shown ? shown.kind : ""}` }, content));
  const list = questions.map((one) => question(app, one));
  return asked ? [stage(picture), list, verdict] : [stage(picture, verdict), list];
}

function question(app, one) {
  return h("section", { class: "question", key: `question ${one.id}`, role: "group", "aria-labelledby": `question-${one.id}` },
    h("h2", { id: `question-${one.id}` }, one.text || t(`question_${one.kind}`)),
    one.kind === "doubt" ? doubtAnswers(app, one) : one.kind === "no_hand" ? missingHands(app, one) : row(one.kind === "who_rang" ? ringers(app, one) : decisions(app)),
    one.ruling ? h("a", { href: `#ruling/${one.ruling}` }, t("see_picture")) : null,
  );
}

// Return two pictures of the table: when it was last understood, and now.
function askedPictures(pictures) {
  const one = (when) => {
    const source = `/pictures/${pictures[when]}.jpg`;
    const image = h("img", { src: source, alt: t(`asked_${when}`), onerror: (event) => event.target.closest("figure").remove() });
    return h("figure", { key: when }, h("a", { href: source, target: "_blank", rel: "noopener" }, image), h("figcaption", {}, t(`asked_${when}`)));
  };
  return h("div", { class: "asked-pictures", key: "asked" }, ["before", "now"].filter((when) => pictures[when]).map(one));
}

// Return the answers to a doubt of the camera; play continues without one.
function doubtAnswers(app, asked) {
  const one = (answer, at) => ({
    key: at,
    text: [sign(answer.seat), answer.card ? cardDrawn(answer.card) : null, answer.text],
    tap: () => app.runTimely({ do: "answer", question: asked.id, answer: at }),
    more: { class: "big" },
  });
  return choices(asked.text, asked.answers.map(one));
}

function ringers(app, asked) {
  return asked.seats.map((seat) => button([sign(seat), nameOf(app, seat)], () => app.runTimely({ do: "ringer", seat }), { class: "big", key: seat }));
}

function decisions(app) {
  return [true, false].map((valid) => button([icon(valid ? "yes" : "no"), t(valid ? "ring_valid" : "ring_false")], () => app.runTimely({ do: "decide", valid }), { class: "big", key: String(valid) }));
}

function phase(app) {
  return h("section", { class: "phase", key: "phase" }, h("p", { class: "turn" }, turnOf(app)), sand(app));
}

// Return the scores, new points beside the old ones; a counted hand's tile links to its ruling.
function board(app, shown) {
  const { state, before } = app;
  const best = Math.max(0, ...state.board.map((one) => one.points || 0));
  const { turn } = state.phase || {};
  const handOf = (seat) => state.rulings.find((one) => one.ruling.seat === seat && isNewHand(one, shown));
  const counted = countUp(app);
  const tile = (one) => {
    const was = counted ? undefined : before[one.seat];
    const points = counted && one.seat in counted.points ? counted.points[one.seat] : one.points;
    const hand = handOf(one.seat);
    const content = [
      h("span", { class: nameClass(one.name) }, sign(one.seat), h("span", {}, one.name)),
      h("span", { class: "points num" }, was === undefined ? null : h("span", { class: "was", key: "was" }, `${shownPoints(was)} → `), h("span", { class: was === undefined ? null : "new", key: String(one.points) }, shownPoints(points))),
      one.detail ? h("span", { class: "detail" }, one.detail) : null,
    ];
    const look = `${one.points === best && best > 0 ? "ahead" : ""} ${one.seat === turn && state.mode === "playing" ? "plays" : ""}`;
    return h("li", { key: one.seat, class: look, "data-seat": one.seat }, hand ? h("a", { href: `#ruling/${hand.id}` }, content) : content);
  };
  return h("section", { key: "board", "aria-label": scoresTitle(state.game) }, h("ol", { class: "board" }, state.board.map(tile)));
}

function controls(app) {
  const { mode, undoes, can_undo: canUndo } = app.state;
  const tap = (key, command) => button(t(key), () => app.runTimely({ do: command }), { key });
  const back = canUndo ? button(t(`undo_${undoes}`), () => undo(app), { key: "undo" }) : null;
  if (mode === "over") return h("div", { class: "row", key: "controls" }, h("a", { class: "button main", href: "#start" }, t("next_game")), back);
  const { besides } = gameOf(app);
  const more = besides && mode === "playing" ? besides((app.state.phase || {}).key) : null;
  const stop = () => app.runTimely({ do: "stop" }, () => app.set({ asked: null }));
  return h("div", { class: "row", key: "controls" }, mode === "paused" ? null : tap("pause", "pause"), more ? tap(...more) : null, back, confirmed(app, "stop", t("stop_sure"), t("stop_yes"), stop, t("stop")));
}

// Return the main button of the phase, or null.
function due(app) {
  const { mode } = app.state;
  // An open correction has no main button beside it.
  if (app.local.seen) return null;
  const next = mode === "paused" ? ["resume", "resume"] : mode === "playing" && gameOf(app).due ? gameOf(app).due((app.state.phase || {}).key) : null;
  return next ? h("div", { class: "due", key: "due" }, button(t(next[0]), () => app.runTimely({ do: next[1] }), { class: "main big", key: next[1] })) : null;
}

function rulings(app, shown) {
  const worded = app.state.rulings.filter((one) => one.text);
  if (worded.length < 2) return null;
  const listed = app.local.all ? worded : worded.slice(0, 8);
  const line = (one) => h("li", { key: one.id }, rulingLink(app, one), isNewHand(one, shown) ? cardLinks(app, one) : null);
  return box("rulings", t("so_far"),
    h("ul", { class: "rulings lined" }, listed.map(line)),
    worded.length > listed.length ? button(t("show_all"), () => app.set({ all: true }), { class: "quiet" }) : null,
  );
}

function isNewHand({ ruling, t_ns: tNs }, shown) {
  return ruling.ruling === "hand" && shown !== null && tNs === shown.entry.t_ns;
}

// Return the cards of a counted hand; each links to the ruling with that card open.
function cardLinks(app, { id, ruling }) {
  const link = (colours, at) => {
    const href = `#ruling/${id}/${encodeURIComponent(colours.join(" "))}`;
    return h("a", { key: at, href, "aria-label": t("correct_this", { what: faceWords(colours) }) }, card(colours));
  };
  return h("div", { class: "row cards" }, cardsRead(app, ruling.seat).map(link));
}

export function rulingLink(app, one, when) {
  return h("a", { href: `#ruling/${one.id}`, class: `ruling ${kindOf(one)}` }, icon(kindOf(one)), h("span", {}, one.text, one.corrected ? h("span", { class: "tag" }, t("corrected")) : null), h("span", { class: "when" }, when === undefined ? ago(app, one.t_ns) : when));
}
