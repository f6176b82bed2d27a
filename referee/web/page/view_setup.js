// Draws the set-up step by step: the live picture, one sentence, one big button.
// Sentences, choices and shapes come from the referee (`/api/setup`).

import { h } from "./dom.js";
import { again, me, read } from "./server.js";
import { newest } from "./live.js";
import { picture } from "./picture.js";
import { bar, button, choices, drawing, heading, icon, languageChoice, note, waitingFor } from "./parts.js";
import { count, t } from "./words.js";

const LOOK_MS = 600;
const PICTURE_MS = 180;
const KEYS = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 20, PageDown: -20 };
const SIGNS = { good: "yes", mend: "unclear", wait: "time", missing: "no", skipped: "time" };
// The steps that show the live picture.
const PICTURED = ["camera", "table", "seats", "light", "check"];

export function opened(app) {
  again(app, LOOK_MS, () => read("/api/setup").then((data) => ({ data, fault: "" }), (fault) => ({ fault: app.wordsOf(fault) })));
}

export function draw(app) {
  const { data, fault } = app.local;
  if (!data) return [heading(t("setup_title")), waitingFor(fault ? { fault } : null)];
  const failed = fault ? h("p", { class: "note bad", role: "status" }, fault) : null;
  return data.open && data.finding && me.paired ? [...openStep(app, data), failed, due(app, data)] : [...overview(app, data), failed];
}

function overview(app, data) {
  const undone = data.steps.filter((one) => ["skipped", "missing"].includes(one.state));
  const fresh = data.steps.every((one) => one.state === null);
  const next = data.left[0] || (undone[0] || {}).step;
  const open = data.left.length + undone.length;
  const step = (one) => [drawing(one.step) || icon("info"), h("span", { class: "what" }, h("strong", {}, one.title), h("span", { class: "note" }, one.text || one.ask)), h("span", { class: "tag state" }, one.state ? icon(SIGNS[one.state]) : null, t(`setup_state_${one.state || "none"}`))];
  return [
    heading(t("setup_title")),
    fresh ? languageChoice(app.chosen || app.state.language, app.speakIn) : null,
    note(fresh ? t("setup_why") : open ? count("setup_left", open) : t("setup_done")),
    h("div", { class: "row", key: "main" },
      // A skipped step does not prevent a game.
      data.left.length ? null : h("a", { class: "button main big", href: "#start" }, t("start_game")),
      next ? button(t(fresh ? "setup_begin" : "setup_go_on"), () => open_(app, next), { class: data.left.length ? "main big" : "big" }) : button(t("setup_again"), () => open_(app, data.steps[0].step), { class: "quiet" }),
    ),
    h("ol", { class: "setup-steps", key: "steps" }, data.steps.map((one) => h("li", { key: one.step }, button(step(one), () => open_(app, one.step), { class: `setup-step ${one.state || "none"}` })))),
  ];
}

function openStep(app, data) {
  const found = data.finding;
  const at = data.steps.findIndex((one) => one.step === data.open);
  const step = data.steps[at];
  const quiet = (key, word, act, then) => button(t(word), () => send(app, { act }, then), { class: "quiet", key });
  return [
    h("div", { class: "setup-title", key: `title ${step.step}` }, drawing(step.step), heading(step.title), note(t("setup_step", { n: at + 1, all: data.steps.length }))),
    h("p", { class: "setup-ask", key: "ask" }, step.ask),
    PICTURED.includes(step.step) ? seen(app, found) : null,
    h("p", { class: `setup-found ${found.state}`, key: "found", role: "status" }, icon(SIGNS[found.state]), h("span", {}, found.text)),
    found.bar === null ? null : h("div", { class: "row", key: "bar" }, bar(found.bar, t("setup_bar"))),
    found.more.length ? h("details", { class: "setup-more", key: "more" }, h("summary", {}, t("details")), h("ul", {}, found.more.map((one) => h("li", { key: one }, one)))) : null,
    found.choices.length ? h("div", { key: "choices" }, choices(null, [], found.choices.map((one, place) => choice(app, one, place)))) : null,
    h("div", { class: "row", key: "others" },
      at > 0 ? button(t("setup_back"), () => open_(app, data.steps[at - 1].step), { key: "back" }) : null,
      isWithoutCamera(data) ? quiet("without", "setup_without", "keep", next(app, data)) : null,
      found.state === "wait" ? null : quiet("later", "setup_later", "skip", next(app, data)),
      quiet("all", "setup_all", "close"),
    ),
  ];
}

function isWithoutCamera(data) {
  return data.open === "camera" && data.finding.state === "missing";
}

// Return the main button at the bottom: accept the finding, or continue without the device.
function due(app, data) {
  const { state } = data.finding;
  // Setting up without a camera has no main button, so that nobody chooses it by mistake.
  if (isWithoutCamera(data)) return null;
  const words = { good: "setup_keep", mend: "setup_as_it_is", wait: "setup_later", missing: "setup_without" };
  const waits = state === "wait";
  return h("div", { class: "due", key: "due" }, button(t(words[state]), () => send(app, { act: waits ? "skip" : "keep" }, next(app, data)), { class: waits ? "big setup-go" : "main big setup-go", key: "go" }));
}

function choice(app, one, place) {
  if (one.href) return h("a", { class: "button", href: one.href, key: `link ${place}`, target: one.href.startsWith("/") ? "_blank" : null }, one.text);
  return button(one.text, () => send(app, { act: "answer", answer: one.answer }), { key: `choice ${place}`, "aria-pressed": one.chosen === null ? null : String(one.chosen) });
}

// Return a function that opens the next step, if there is one.
function next(app, data) {
  const after = data.steps[data.steps.findIndex((one) => one.step === data.open) + 1];
  return after ? () => open_(app, after.step) : () => null;
}

function open_(app, step) {
  send(app, { act: "open", step });
}

function send(app, command, then) {
  app.run(Object.assign({ do: "setup" }, command), (data) => {
    if (app.route.view !== "setup") return;
    if (then && command.act !== "answer" && !data.open) then();
    app.set({ data, fault: "" });
    if (command.act === "open") window.scrollTo(0, 0);
  });
}

function seen(app, found) {
  const { url, size } = newest(app, "/setup.jpg", PICTURE_MS);
  if (url === null) return h("p", { class: "nothing", key: "picture" }, t("no_live_picture"));
  const mark = (one) => ({ corners: one.corners, look: `is-${one.kind}`, name: found.handles.length ? null : one.label, isNamed: true, within: true });
  return picture({ source: url, alt: t("setup_picture"), size, look: "setup-picture", marks: found.shapes.map(mark) }, found.handles.map((one) => handle(app, one)));
}

// Return a seat's handle: dragged, or moved by arrow keys; the referee answers with the seat's place.
function handle(app, one) {
  const { local } = app;
  const dragged = local.drag && local.drag.seat === one.seat ? local.drag.at : null;
  const percent = String(Math.round(one.round * 100));
  const move = (answer) => send(app, { act: "answer", answer: Object.assign({ seat: one.seat }, answer) });
  // The handle stays inside the picture even at its edge.
  const [left, top] = (dragged || one.at).map((share) => `clamp(26px, ${share * 100}%, calc(100% - 26px))`);
  const end = (keepsIt) => {
    const { drag } = local;
    local.drag = null;
    if (keepsIt && drag && drag.moved) move({ at: drag.at });
    else app.draw();
  };
  const drag = (part) => app.set({ drag: Object.assign({ seat: one.seat }, part) });
  const onpointermove = ({ currentTarget, clientX, clientY }) => {
    if (!dragged) return;
    const box = currentTarget.parentElement.getBoundingClientRect();
    const share = (at, from, size) => Math.min(1, Math.max(0, (at - from) / size));
    drag({ at: [share(clientX, box.left, box.width), share(clientY, box.top, box.height)], moved: true });
  };
  const onpointerdown = (event) => {
    event.preventDefault();
    event.currentTarget.focus();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag({ at: one.at, moved: false });
  };
  const onkeydown = (event) => {
    if (!KEYS[event.key]) return;
    event.preventDefault();
    move({ by_cm: KEYS[event.key] });
  };
  const value = { "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": percent, "aria-valuetext": t("setup_seat_at", { n: percent }), "aria-orientation": "horizontal" };
  const look = { class: dragged ? "handle dragged" : "handle", key: `handle ${one.seat}`, role: "slider", "aria-label": one.label, place: { left, top } };
  return button(String(one.seat + 1), null, Object.assign(look, value, { onkeydown, onpointerdown, onpointermove, onpointerup: () => end(true), onpointercancel: () => end(false) }));
}
