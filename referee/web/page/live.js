// The table as the camera sees it, with outlines of what is read; a tap on one corrects it.

import { h } from "./dom.js";
import { button, colour, maySee, nameOf, sign, unseen } from "./parts.js";
import { boxOf, hands, isIn, spot, windowOn } from "./hands.js";
import { choicesFor } from "./readings.js";
import { has, t } from "./words.js";

const GAP_MS = 500;
const RETRY_MS = 4000;
const LIMIT_MS = 10_000;
const FEW = 8; // so many names stand beside what they name
const FEW_NEAR = 3;
const NEAR_SIDE = 0.25; // of the picture's width: a name in the middle of what lies there would stand out of it
const NEAR_BOTTOM = 0.85; // of its height
const WHOLE = [0, 0, 1, 1];
const picture = { url: null, missing: false, asking: false, at: -RETRY_MS };

// Ask for the next picture when the last one has come, so that a slow line never gets a queue of them.
function refresh(app) {
  const gap = picture.missing ? RETRY_MS : GAP_MS;
  if (picture.asking || document.visibilityState !== "visible" || performance.now() - picture.at < gap) return;
  picture.asking = true;
  const image = new Image();
  const limit = setTimeout(() => {
    image.src = "";
    done(true);
  }, LIMIT_MS);
  const done = (missing) => {
    if (!picture.asking) return;
    clearTimeout(limit);
    picture.asking = false;
    picture.at = performance.now();
    picture.missing = missing;
    if (!missing) picture.url = image.src;
    app.draw();
    setTimeout(() => app.draw(), missing ? RETRY_MS : GAP_MS);
  };
  image.onload = () => done(false);
  image.onerror = () => done(true);
  image.src = `/live.jpg?${Date.now()}`;
}

// The newest picture's address, null before the first has come; `missing`: none comes just now.
export function livePicture(app) {
  refresh(app);
  return picture;
}

// ontap: what a tap on a card of an opened hand does; without it nothing can be opened.
export function live(app, ontap) {
  if (!maySee(app)) return unseen(app, "live");
  refresh(app);
  if (picture.url === null) {
    return h("section", { class: "live empty", key: "live" }, h("p", {}, picture.missing ? t("no_live_picture") : t("one_moment")));
  }
  const near = app.local.near || null;
  const part = near || WHOLE;
  const shown = near ? app.state.outlines.filter((one) => isIn(near, one.corners)) : app.state.outlines;
  return h(
    "section",
    { class: "live", key: "live", "aria-label": t("live_table") },
    h(
      "div",
      { class: near ? "picture near" : "picture" },
      h("img", { src: picture.url, alt: t("live_alt"), place: placed(part) }),
      overlay(shown, part),
      shown.map((outline, at) => tag(app, outline, { at, part, few: shown.length <= (near ? FEW_NEAR : FEW) }, near ? ontap : null)),
      near || !ontap ? null : hands(shown).filter((one) => one.outlines.some((outline) => outline.event)).map((one) => handle(app, one, ontap)),
    ),
    near ? h("div", { class: "row", key: "whole" }, button(t("whole_table"), () => open(app, null))) : null,
    picture.missing ? h("p", { class: "note bad" }, t("no_live_picture")) : null,
    correction(app),
  );
}

function open(app, group, ontap) {
  Object.assign(app.local, { near: group && windowOn(group.box), seen: null, tapped: null });
  if (group && group.outlines.length === 1) ontap(app, group.outlines[0]);
  else app.draw();
}

function placed([left, top, width, height]) {
  return { transformOrigin: "0 0", transform: `scale(${1 / width}, ${1 / height}) translate(${-left * 100}%, ${-top * 100}%)` };
}

function overlay(outlines, [left, top, width, height]) {
  return h(
    "svg",
    { class: "outlines", viewBox: `${left} ${top} ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    outlines.map((outline) =>
      h("polygon", {
        class: `outline ${outline.certain ? "" : "unsure"} ${outline.seat === null ? "" : `seat-${outline.seat % 7}`}`,
        points: outline.corners.map((corner) => corner.join(",")).join(" "),
      }),
    ),
  );
}

// A hand or a pile in the whole picture, to be opened large.
function handle(app, group, ontap) {
  const what = group.seat === null ? group.outlines.map(wordsOf).join("; ") : nameOf(app, group.seat);
  return h("button", {
    type: "button",
    class: "hand",
    key: `hand ${what}`,
    "aria-label": t("look_at", { what }),
    place: spot(group.box),
    onclick: () => open(app, group, ontap),
  });
}

// The place of something seen, to be tapped; its name stands beside it, for it must not hide what it names.
function tag(app, outline, { at, part, few }, ontap) {
  const [x0, y0, width, height] = part;
  const box = boxOf(outline.corners.map((corner) => [(corner[0] - x0) / width, (corner[1] - y0) / height]));
  const [left, , right, bottom] = box;
  const side = left + right < 2 * NEAR_SIDE ? "rightwards" : left + right > 2 - 2 * NEAR_SIDE ? "leftwards" : "";
  const label = wordsOf(outline);
  const props = {
    class: `seen ${few || !outline.certain ? "named" : ""} ${side} ${bottom > NEAR_BOTTOM ? "upwards" : ""}`,
    key: `${outline.event} ${at}`,
    place: spot(box),
  };
  const name = h("span", { class: "name" }, few ? sign(outline.seat) : null, outline.certain ? label : "?");
  if (!ontap || !outline.event) return h("span", Object.assign(props, { "aria-hidden": "true" }), name);
  return h("button", Object.assign(props, { type: "button", "aria-label": t("correct_this", { what: label }), "aria-pressed": String(app.local.seen === outline.event && app.local.tapped === outline.label), onclick: () => ontap(app, outline) }), name);
}

// What it was read as, colours and mood, in the language of the page.
function wordsOf(outline) {
  if (!outline.certain || !outline.label) return t("face_unread");
  const word = (name) => (has(`mood_${name}`) ? t(`mood_${name}`) : colour(name));
  return outline.label.split(" ").map(word).join(", ").toLowerCase();
}

function correction(app) {
  const outline = app.state.outlines.find((one) => one.event && one.event === app.local.seen);
  if (!outline) return null;
  const data = (app.state.readings || {})[outline.event] || null;
  return h(
    "div",
    { class: "correct", role: "group", "aria-label": t("what_is_it") },
    h("h2", {}, t("what_is_it")),
    choicesFor(app, { event: outline.event, seat: outline.seat, data }, () => {
      app.local.seen = null;
    }),
  );
}
