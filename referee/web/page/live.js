// The table as the camera sees it, with outlines of what is read; a tap on one corrects it.

import { h } from "./dom.js";
import { colour, sign } from "./parts.js";
import { choicesFor } from "./readings.js";
import { has, t } from "./words.js";

const GAP_MS = 500;
const RETRY_MS = 4000;
const LIMIT_MS = 10_000;
const FEW = 8;
const NEAR_SIDE = 0.25; // of the picture's width: a name in the middle of what lies there would stand out of it
const NEAR_BOTTOM = 0.85; // of its height
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

export function live(app, ontap) {
  refresh(app);
  if (picture.url === null) {
    return h("section", { class: "live empty", key: "live" }, h("p", {}, picture.missing ? t("no_live_picture") : t("one_moment")));
  }
  return h(
    "section",
    { class: "live", key: "live", "aria-label": t("live_table") },
    h(
      "div",
      { class: "picture" },
      h("img", { src: picture.url, alt: t("live_alt") }),
      overlay(app),
      app.state.outlines.map((outline, at) => tag(app, outline, at, ontap)),
    ),
    picture.missing ? h("p", { class: "note bad" }, t("no_live_picture")) : null,
    correction(app),
  );
}

function overlay(app) {
  return h(
    "svg",
    { class: "outlines", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    app.state.outlines.map((outline) =>
      h("polygon", {
        class: `outline ${outline.certain ? "" : "unsure"} ${outline.seat === null ? "" : `seat-${outline.seat % 7}`}`,
        points: outline.corners.map((corner) => corner.join(",")).join(" "),
      }),
    ),
  );
}

// The place of something seen, to be tapped; its name stands beside it, for it must not hide what it names.
function tag(app, outline, at, ontap) {
  const xs = outline.corners.map((corner) => corner[0]);
  const ys = outline.corners.map((corner) => corner[1]);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [right, bottom] = [Math.max(...xs), Math.max(...ys)];
  const side = left + right < 2 * NEAR_SIDE ? "rightwards" : left + right > 2 - 2 * NEAR_SIDE ? "leftwards" : "";
  const share = (value) => `${value * 100}%`;
  const few = app.state.outlines.length <= FEW;
  const label = wordsOf(outline);
  const props = {
    class: `seen ${few || !outline.certain ? "named" : ""} ${side} ${bottom > NEAR_BOTTOM ? "upwards" : ""}`,
    key: `${outline.event} ${at}`,
    place: { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) },
  };
  const name = h("span", { class: "name" }, few ? sign(outline.seat) : null, outline.certain ? label : "?");
  if (!ontap || !outline.event) return h("span", Object.assign(props, { "aria-hidden": "true" }), name);
  return h("button", Object.assign(props, { type: "button", "aria-label": t("correct_this", { what: label }), onclick: () => ontap(app, outline) }), name);
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
