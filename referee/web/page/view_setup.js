// Setting the table up, step by step: the live picture, one sentence, one big button. The steps' own sentences, choices
// and what is drawn over the picture come from the referee (`/api/setup`); here they are only shown.

import { h } from "./dom.js";
import { follow, me } from "./server.js";
import { button, heading, icon, waitingFor } from "./parts.js";
import { LANGUAGES } from "./view_settings.js";
import { count, t } from "./words.js";

const LOOK_MS = 600;
const PICTURE_MS = 180;
const LIMIT_MS = 10_000;
const KEYS = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 20, PageDown: -20 };
const SIGNS = { good: "yes", mend: "unclear", wait: "time", missing: "no", skipped: "time" };
// What has no place in the picture is set up without it.
const PICTURED = ["camera", "table", "seats", "light", "check"];
const picture = { url: null, asking: false, at: 0 };

export function opened(app) {
  const { local } = app;
  const fail = (fault) => {
    local.fault = app.wordsOf(fault);
    app.draw();
  };
  // What is found now.
  follow(app, "/api/setup", LOOK_MS, (data) => take(app, data), fail);
}

function take(app, data) {
  Object.assign(app.local, { data, fault: "" });
  app.draw();
}

export function draw(app) {
  const { data, fault } = app.local;
  if (!data) return [heading(t("setup_title")), waitingFor(fault ? { fault } : null)];
  const note = fault ? h("p", { class: "note bad", role: "status" }, fault) : null;
  return data.open && data.finding && me.paired ? [...openStep(app, data), note] : [...overview(app, data), note];
}

function overview(app, data) {
  const undone = data.steps.filter((one) => ["skipped", "missing"].includes(one.state));
  const fresh = data.steps.every((one) => one.state === null);
  const next = data.left[0] || (undone[0] || {}).step;
  const open = data.left.length + undone.length;
  return [
    heading(t("setup_title")),
    fresh ? languages(app) : null,
    h("p", { class: "note" }, fresh ? t("setup_why") : open ? count("setup_left", open) : t("setup_done")),
    h(
      "div",
      { class: "row", key: "main" },
      // Once all was gone through a game may begin, whatever was left for later.
      data.left.length ? null : h("a", { class: "button main big", href: "#start" }, t("start_game")),
      next ? button(t(fresh ? "setup_begin" : "setup_go_on"), () => open_(app, next), { class: data.left.length ? "main big" : "big" }) : button(t("setup_again"), () => open_(app, data.steps[0].step), { class: "quiet" }),
    ),
    h(
      "ol",
      { class: "setup-steps", key: "steps" },
      data.steps.map((one) =>
        h(
          "li",
          { key: one.step },
          h(
            "button",
            { type: "button", class: `setup-step ${one.state || "none"}`, onclick: () => open_(app, one.step) },
            icon(SIGNS[one.state] || "info"),
            h("span", { class: "what" }, h("strong", {}, one.title), h("span", { class: "note" }, one.text || one.ask)),
            h("span", { class: "tag" }, t(`setup_state_${one.state || "none"}`)),
          ),
        ),
      ),
    ),
  ];
}

// The first page of a new machine: whoever cannot read it finds one of these words.
function languages(app) {
  const spoken = app.chosen || app.state.language;
  return h("div", { class: "row choices", key: "languages", role: "group", "aria-label": t("language") }, Object.entries(LANGUAGES).map(([code, name]) => h("button", { type: "button", key: code, lang: code, "aria-pressed": String(code === spoken), onclick: () => app.speakIn(code) }, name)));
}

function openStep(app, data) {
  const found = data.finding;
  const at = data.steps.findIndex((one) => one.step === data.open);
  const step = data.steps[at];
  return [
    h("div", { class: "setup-title", key: `title ${step.step}` }, heading(step.title), h("p", { class: "note" }, t("setup_step", { n: at + 1, all: data.steps.length }))),
    h("p", { class: "setup-ask", key: "ask" }, step.ask),
    PICTURED.includes(step.step) ? seen(app, found) : null,
    h("p", { class: `setup-found ${found.state}`, key: "found", role: "status" }, icon(SIGNS[found.state]), h("span", {}, found.text)),
    found.bar === null ? null : bar(found.bar),
    found.more.length ? h("ul", { class: "setup-more", key: "more" }, found.more.map((one) => h("li", { key: one }, one))) : null,
    found.choices.length ? h("div", { class: "row choices", key: "choices" }, found.choices.map((one, place) => choice(app, one, place))) : null,
    h(
      "div",
      { class: "row", key: "others" },
      at > 0 ? button(t("setup_back"), () => open_(app, data.steps[at - 1].step), { key: "back" }) : null,
      isWithoutCamera(data) ? button(t("setup_without"), () => tell(app, { act: "keep" }, next(app, data)), { class: "quiet", key: "without" }) : null,
      found.state === "wait" ? null : button(t("setup_later"), () => tell(app, { act: "skip" }, next(app, data)), { class: "quiet", key: "later" }),
      button(t("setup_all"), () => tell(app, { act: "close" }), { class: "quiet", key: "all" }),
    ),
  ];
}

function isWithoutCamera(data) {
  return data.open === "camera" && data.finding.state === "missing";
}

// One big button, at the foot of the window: keep what is found, or go on without what is not there.
export function due(app) {
  const { data } = app.local;
  if (!data || !data.open || !data.finding || !me.paired) return null;
  const found = data.finding;
  // Without a camera nothing is seen: that is no button to be tapped in passing.
  if (isWithoutCamera(data)) return null;
  const words = { good: "setup_keep", mend: "setup_as_it_is", wait: "setup_later", missing: "setup_without" };
  const act = found.state === "wait" ? "skip" : "keep";
  const look = found.state === "wait" ? "big setup-go" : "main big setup-go";
  return button(t(words[found.state]), () => tell(app, { act }, next(app, data)), { class: look, key: "go" });
}

function choice(app, one, place) {
  if (one.href) return h("a", { class: "button", href: one.href, key: `link ${place}`, target: one.href.startsWith("/") ? "_blank" : null }, one.text);
  return h("button", { type: "button", key: `choice ${place}`, "aria-pressed": one.chosen === null ? null : String(one.chosen), onclick: () => tell(app, { act: "answer", answer: one.answer }) }, one.text);
}

function bar(share) {
  const percent = Math.round(share * 100);
  return h("div", { class: "setup-bar", key: "bar", role: "meter", "aria-label": t("setup_bar"), "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(percent) }, h("div", { class: "rest", place: { width: `${percent}%` } }));
}

// What comes after the open step: the next one, or the list of all after the last.
function next(app, data) {
  const at = data.steps.findIndex((one) => one.step === data.open);
  const after = data.steps[at + 1];
  return after ? () => open_(app, after.step) : () => null;
}

function open_(app, step) {
  tell(app, { act: "open", step });
}

function tell(app, command, then) {
  app.run(Object.assign({ do: "setup" }, command), (data) => {
    if (app.route.view !== "setup") return;
    if (then && command.act !== "answer" && !data.open) then();
    take(app, data);
    if (command.act === "open") window.scrollTo(0, 0);
  });
}

function seen(app, found) {
  refresh(app);
  return h(
    "div",
    { class: "picture setup-picture", key: "picture" },
    picture.url === null ? h("p", { class: "note" }, t("no_live_picture")) : h("img", { src: picture.url, alt: t("setup_picture") }),
    h(
      "svg",
      { class: "outlines", viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
      found.shapes.map((shape, at) => h("polygon", { key: at, class: `shape is-${shape.kind}`, points: shape.corners.map(([x, y]) => `${x * 1000},${y * 1000}`).join(" ") })),
    ),
    (found.handles.length ? [] : found.shapes.filter((shape) => shape.label)).map((shape, at) => h("span", { class: `label is-${shape.kind}`, key: `label ${at}`, place: middle(shape.corners), "aria-hidden": "true" }, shape.label)),
    found.handles.map((one) => handle(app, one)),
  );
}

// A seat goes where it is dragged, or round the table by the arrow keys: the referee says where it comes to lie.
function handle(app, one) {
  const { local } = app;
  const dragged = local.drag && local.drag.seat === one.seat ? local.drag.at : null;
  const [x, y] = dragged || one.at;
  const percent = Math.round(one.round * 100);
  const move = (answer) => tell(app, { act: "answer", answer: Object.assign({ seat: one.seat }, answer) });
  return h(
    "button",
    {
      type: "button",
      class: dragged ? "handle dragged" : "handle",
      key: `handle ${one.seat}`,
      role: "slider",
      "aria-label": one.label,
      "aria-valuemin": "0",
      "aria-valuemax": "100",
      "aria-valuenow": String(percent),
      "aria-valuetext": t("setup_seat_at", { n: percent }),
      "aria-orientation": "horizontal",
      place: { left: inside(x), top: inside(y) },
      onkeydown: (event) => {
        const by = KEYS[event.key];
        if (!by) return;
        event.preventDefault();
        move({ by_cm: by });
      },
      onpointerdown: (event) => {
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
        local.drag = { seat: one.seat, at: one.at, moved: false };
      },
      onpointermove: (event) => {
        if (!local.drag || local.drag.seat !== one.seat) return;
        const box = event.currentTarget.parentElement.getBoundingClientRect();
        const share = (at, from, size) => Math.min(1, Math.max(0, (at - from) / size));
        local.drag = { seat: one.seat, at: [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)], moved: true };
        app.draw();
      },
      onpointerup: () => drop(app, move),
      onpointercancel: () => {
        local.drag = null;
        app.draw();
      },
    },
    String(one.seat + 1),
  );
}

// Whole in the picture, so that a thumb finds it also where the table's edge is the picture's.
function inside(share) {
  return `clamp(26px, ${share * 100}%, calc(100% - 26px))`;
}

function drop(app, move) {
  const { drag } = app.local;
  app.local.drag = null;
  if (drag && drag.moved) move({ at: drag.at });
  else app.draw();
}

function middle(corners) {
  const mean = (axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  return { left: `${mean(0) * 100}%`, top: `${mean(1) * 100}%` };
}

// The next picture is asked for when the last one has come: five a second where the line is quick enough.
function refresh(app) {
  if (picture.asking || document.visibilityState !== "visible" || performance.now() - picture.at < PICTURE_MS) return;
  picture.asking = true;
  const image = new Image();
  const limit = setTimeout(() => done(false), LIMIT_MS);
  const done = (came) => {
    if (!picture.asking) return;
    clearTimeout(limit);
    Object.assign(picture, { asking: false, at: performance.now(), url: came ? image.src : picture.url });
    if (app.route.view !== "setup") return;
    app.draw();
    setTimeout(() => app.draw(), PICTURE_MS + 10);
  };
  image.onload = () => done(true);
  image.onerror = () => setTimeout(() => done(false), 2000);
  image.src = `/setup.jpg?${Date.now()}`;
}
