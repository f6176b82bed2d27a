// Draws the live picture of the table with outlines of its cards; a tap on a card opens its correction.

import { h } from "./dom.js";
import { boxOf, hands, isIn, outlineWords, partAround, picture } from "./picture.js";
import { button, group, maySee, nameOf, unseen } from "./parts.js";
import { choicesFor, openHand } from "./readings.js";
import { t } from "./words.js";

const RETRY_MS = 4000;
const LIMIT_MS = 10_000;
const FEW = 8; // outlines: at most so many show their names
const FEW_NEAR = 3;
const taken = {};

// Return the newest picture of an address: { url (null before the first), size, missing (the last request failed) }.
// It requests one picture at a time, so that a slow network gets no queue.
export function newest(app, path, gapMs) {
  const now = (taken[path] = taken[path] || { url: null, size: null, missing: false, nextAt: 0 });
  if (document.visibilityState !== "visible" || performance.now() < now.nextAt) return now;
  const image = new Image();
  const done = (missing) => {
    const gap = missing ? RETRY_MS : gapMs;
    clearTimeout(limit);
    Object.assign(now, { missing, nextAt: performance.now() + gap });
    if (!missing) Object.assign(now, { url: image.src, size: [image.naturalWidth, image.naturalHeight] });
    app.draw();
    setTimeout(app.draw, gap + 10);
  };
  const limit = setTimeout(() => {
    image.src = ""; // ends the request with an error
  }, LIMIT_MS);
  now.nextAt = Infinity;
  image.onload = () => done(false);
  image.onerror = () => done(true);
  image.src = `${path}?${Date.now()}`;
  return now;
}

export function livePicture(app) {
  return newest(app, "/live.jpg", 500);
}

// Return the live picture; canCorrect: hands can be opened and corrected.
export function live(app, canCorrect) {
  if (!maySee(app)) return unseen(app, "live");
  const { url, size, missing } = livePicture(app);
  if (url === null) return h("section", { class: "nothing", key: "live" }, h("p", {}, missing ? t("no_live_picture") : t("one_moment")));
  const { near } = app.local;
  const shown = near ? app.state.outlines.filter((one) => isIn(near, one.corners)) : app.state.outlines;
  const few = shown.length <= (near ? FEW_NEAR : FEW);
  const marks = shown.map((one, at) => mark(app, one, at, few, Boolean(near && canCorrect)));
  if (canCorrect && !near) marks.push(...hands(shown).filter((one) => one.outlines.some((outline) => outline.event)).map((one) => handle(app, one)));
  return h("section", { class: "live", key: "live", "aria-label": t("live_table") },
    picture({ source: url, alt: t("live_alt"), size, part: near, marks }, near ? h("div", { class: "over-picture", key: "whole" }, button(t("whole_table"), () => open(app, null))) : null),
    missing ? h("p", { class: "note bad" }, t("no_live_picture")) : null,
  );
}

function open(app, part) {
  app.set({ near: part, seen: null, tapped: null });
}

// Return the mark of a hand or pile; a tap enlarges it, and opens the card nearest to the finger.
function handle(app, hand) {
  const what = hand.seat === null ? hand.outlines.map(outlineWords).join("; ") : nameOf(app, hand.seat);
  const tap = (event) => {
    const box = event.currentTarget.closest(".picture").getBoundingClientRect();
    const away = (one) => {
      const [left, top, right, bottom] = boxOf(one.corners);
      return Math.hypot(((left + right) / 2) * box.width + box.left - event.clientX, ((top + bottom) / 2) * box.height + box.top - event.clientY);
    };
    open(app, partAround(hand.outlines));
    choose(app, hand.outlines.filter((one) => one.event).reduce((best, one) => (away(one) < away(best) ? one : best)));
  };
  return { corners: hand.corners, bare: true, key: `hand ${what}`, words: t("look_at", { what }), tap };
}

function mark(app, outline, at, few, canCorrect) {
  const label = outlineWords(outline);
  return {
    corners: outline.corners,
    seat: outline.seat,
    certain: outline.certain,
    key: `${outline.event} ${at}`,
    name: outline.certain ? label : "?",
    isNamed: few || !outline.certain,
    signed: few,
    words: t("correct_this", { what: label }),
    pressed: app.local.seen === outline.event && app.local.tapped === outline.label,
    tap: canCorrect && outline.event ? () => choose(app, outline) : null,
  };
}

// Open the reading of an outline for correction; of a hand, that card.
function choose(app, outline) {
  openHand(app, outline.event, (app.state.readings || {})[outline.event], outline.label);
  app.set({ seen: outline.event, tapped: outline.label });
}

// Return the choices for the outline that was tapped, or null.
export function correction(app) {
  const outline = app.state.outlines.find((one) => one.event && one.event === app.local.seen);
  if (!outline) return null;
  const data = (app.state.readings || {})[outline.event] || null;
  const done = () => app.set({ seen: null });
  return group("correct", t("what_is_it"), h("h2", {}, t("what_is_it")), choicesFor(app, { event: outline.event, seat: outline.seat, data }, done));
}
