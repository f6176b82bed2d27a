// The table as the camera sees it, with outlines of what is read; a tap on one corrects it.

import { h } from "./dom.js";
import { sign } from "./parts.js";
import { choicesFor } from "./readings.js";
import { t } from "./words.js";

const GAP_MS = 500;
const RETRY_MS = 4000;
const picture = { url: null, missing: false, asking: false, at: -RETRY_MS };

// Ask for the next picture when the last one has come, so that a slow line never gets a queue of them.
function refresh(app) {
  const gap = picture.missing ? RETRY_MS : GAP_MS;
  if (picture.asking || document.visibilityState !== "visible" || performance.now() - picture.at < gap) return;
  picture.asking = true;
  const image = new Image();
  const done = (missing) => {
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

function tag(app, outline, at, ontap) {
  const x = outline.corners.reduce((sum, corner) => sum + corner[0], 0) / outline.corners.length;
  const y = outline.corners.reduce((sum, corner) => sum + corner[1], 0) / outline.corners.length;
  const props = { class: outline.certain ? "seen" : "seen unsure", key: outline.event || `at ${at}`, place: { left: `${x * 100}%`, top: `${y * 100}%` } };
  const label = outline.certain ? outline.label : outline.label || "?";
  if (!ontap || !outline.event) return label ? h("span", props, sign(outline.seat), label) : null;
  return h(
    "button",
    Object.assign(props, { type: "button", "aria-label": t("correct_this", { what: label }), onclick: () => ontap(app, outline) }),
    sign(outline.seat),
    label,
  );
}

function correction(app) {
  const outline = app.state.outlines.find((one) => one.event && one.event === app.local.seen);
  if (!outline) return null;
  const data = outline.data || null;
  return h(
    "div",
    { class: "correct", role: "group", "aria-label": t("what_is_it") },
    h("h2", {}, t("what_is_it")),
    choicesFor(app, { event: outline.event, seat: outline.seat, data }, () => {
      app.local.seen = null;
    }),
  );
}
