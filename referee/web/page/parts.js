// Pieces that several views draw: seats, verdicts, cards, pictures.

import { h } from "./dom.js";
import { count, has, signed, t } from "./words.js";

const SHAPES = [
  "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18z",
  "M4 4h16v16H4z",
  "M12 2l10 18H2z",
  "M12 1l10 11l-10 11L2 12z",
  "M12 2l3 7h7l-5.5 4.5l2 7.5L12 16.500l-6.500 4.500l2-7.500L2 9h7z",
  "M8 2h8v6h6v8h-6v6H8v-6H2V8h6z",
  "M7 3h10l5 9l-5 9H7l-5-9z",
];

const ICONS = {
  table: "M3 7h18v3H3zM5 10h2v9H5zm12 0h2v9h-2zM8 3h8v3H8z",
  tv: "M3 4h18v13H3zm5 15h8v2H8z",
  history: "M12 3a9 9 0 1 0 9 9h-2.500a6.500 6.500 0 1 1-6.500-6.500zM11 7h2v5l4 2.500-1 1.700-5-3.200z",
  figures: "M4 12h4v8H4zm6-8h4v16h-4zm6 5h4v11h-4z",
  settings: "M4 6h9v2H4zm13 0h3v2h-3zM14 4h2v6h-2zM4 16h3v2H4zm7 0h9v2h-9zM8 14h2v6H8z",
  yes: "M9.500 17.500L4 12l2-2l3.500 3.500L18 5l2 2z",
  no: "M6 4l6 6l6-6l2 2l-6 6l6 6l-2 2l-6-6l-6 6l-2-2l6-6l-6-6z",
  unclear: "M10.500 16h3v3h-3zM12 3c-3.500 0-6 2-6 5.500h3C9 7 10 6 12 6s3 1 3 2.300c0 2.200-4.500 2.500-4.500 6.200h3c0-2.500 4.500-2.900 4.500-6.500C18 5 15.500 3 12 3z",
  time: "M6 2h12v3l-4.500 7l4.500 7v3H6v-3l4.500-7L6 5z",
  info: "M10.500 10h3v9h-3zM10.500 5h3v3h-3z",
  end: "M5 3h2v18H5zm3 1h12l-3 4.500L20 13H8z",
  back: "M14 4l2 2l-6 6l6 6l-2 2l-8-8z",
};

export function icon(name, label) {
  const props = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return h("svg", Object.assign({ class: "icon", viewBox: "0 0 24 24" }, props), h("path", { d: ICONS[name] }));
}

// A seat's sign: colour and shape, so that neither is needed alone.
export function sign(seat) {
  if (seat === null || seat === undefined) return null;
  return h(
    "svg",
    { class: `sign seat-${seat % 7}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("path", { d: SHAPES[seat % 7] }),
  );
}

export function nameOf(app, seat) {
  const place = app.state.board.find((one) => one.seat === seat);
  return place ? place.name : t("seat", { n: seat + 1 });
}

// What kind a ruling is: its picture and its colours say the same as its words.
export function kindOf(entry) {
  const ruling = entry.ruling || {};
  if (ruling.ruling === "ring") return ruling.valid ? "yes" : "no";
  if (ruling.ruling === "foul") return "no";
  if (ruling.ruling === "unclear") return "unclear";
  if (ruling.ruling === "time" || ruling.ruling === "round") return "time";
  if (ruling.ruling === "end") return "end";
  if (ruling.ruling === "hand") return ruling.points > 0 ? "yes" : "info";
  return "info";
}

export function ago(app, tNs) {
  const s = Math.max(0, Math.round((app.nowNs() - tNs) / 1e9));
  if (s < 5) return t("just_now");
  if (s < 60) return t("seconds_ago", { n: s });
  if (s < 3600) return count("minutes_ago", Math.floor(s / 60));
  return count("hours_ago", Math.floor(s / 3600));
}

// A Confetti card: small, medium and big circle, named for those who cannot tell the colours.
export function card(colours, used) {
  const spots = [
    [30, 26, 11, colours[0]],
    [70, 52, 17, colours[1]],
    [34, 96, 25, colours[2]],
  ];
  return h(
    "svg",
    { class: "card", viewBox: "0 0 100 140", role: "img", "aria-label": colours.map((one) => colour(one)).join(", ") },
    h("rect", { class: "face", x: 3, y: 3, width: 94, height: 134, rx: 10 }),
    spots.map(([x, y, r, name], size) => [
      h("circle", { class: `mark ${name}`, cx: x, cy: y, r }),
      used === size ? h("circle", { class: "used", cx: x, cy: y, r: r + 5 }) : null,
    ]),
  );
}

export function colour(name) {
  return has(`colour_${name}`) ? t(`colour_${name}`) : name;
}

export function phaseOf(app) {
  const phase = app.state.phase || {};
  if (app.state.mode === "paused") return t("phase_paused");
  const parts = [];
  if (phase.round && ["running", "counting"].includes(phase.key)) parts.push(phase.rounds ? t("round_of", { n: phase.round, all: phase.rounds }) : t("round", { n: phase.round }));
  parts.push(t(`phase_${phase.key || "idle"}`));
  if (phase.limit && phase.key === "running") parts.push(count("at_most_cards", phase.limit));
  return parts.join(" · ");
}

// How much sand is left, as a share; null when none runs or nobody knows how long it will.
export function sandLeft(app) {
  const phase = app.state.phase || {};
  if (!phase.lasts_ms || !phase.since_ns || app.state.mode !== "playing") return null;
  return Math.max(0, 1 - (app.nowNs() - phase.since_ns) / 1e6 / phase.lasts_ms);
}

export function sand(app) {
  const left = sandLeft(app);
  if (left === null) return null;
  const seconds = Math.ceil((left * app.state.phase.lasts_ms) / 1000);
  return h(
    "div",
    { class: "sand", role: "timer", "aria-label": t("seconds_left", { n: seconds }) },
    h("div", { class: "bar" }, h("div", { class: "rest", place: { width: `${left * 100}%` } })),
    h("span", { class: "num" }, t("seconds_short", { n: seconds })),
  );
}

// Points that are counted at the end only are no nought before.
export function shownPoints(points) {
  return points === null || points === undefined ? "–" : signed(points);
}

export function button(text, onclick, more) {
  return h("button", Object.assign({ type: "button", onclick }, more), text);
}

// Whether this device may see pictures of the table: who is in them decides.
export function maySee(app) {
  return app.me.paired || app.me.here || Boolean((app.state.settings || {}).open_pictures);
}

// Stands where a picture would, on a device that may not see it.
export function unseen(app, key) {
  return h("div", { class: "unseen", key: key || "unseen" }, h("p", {}, t("pictures_paired")), button(t("pair_do"), () => app.run(async () => null, () => app.toasted(t("paired_now")))));
}

export function heading(text) {
  return h("h1", { tabindex: "-1" }, text);
}

export function waitingFor(part) {
  if (part && part.fault) return h("p", { class: "note bad" }, part.fault);
  return h("p", { class: "note" }, t("one_moment"));
}
