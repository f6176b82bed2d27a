// Pieces that all views are made of: boxes, rows, choices, fields; seats, verdicts and cards.

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

export function bar(share, label) {
  const percent = String(Math.round(share * 100));
  return h("div", { class: "bar", role: "meter", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": percent }, h("div", { class: share < 1 ? "rest" : "rest full", place: { width: `${percent}%` } }));
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

export function heading(text) {
  return h("h1", { tabindex: "-1" }, text);
}

export function note(...content) {
  return h("p", { class: "note" }, content);
}

export function row(...content) {
  return h("div", { class: "row" }, content);
}

// A box with a title; `key` names it among its like.
export function box(key, title, ...content) {
  return h("section", { class: "card-box", key, "aria-labelledby": `${key}-title` }, h("h2", { id: `${key}-title` }, title), content);
}

export function unfolded(key, title, ...content) {
  return h("details", { class: "card-box", key }, h("summary", {}, title), content);
}

export function columns(first, second) {
  return h("div", { class: "columns" }, h("div", { class: "column" }, first), h("div", { class: "column" }, second));
}

export function backTo(href, text) {
  return h("p", { class: "back", key: "back" }, h("a", { href }, icon("back"), text));
}

// Buttons of which one or none holds: [{ key, on, text, tap, more }].
export function choices(label, list, ...after) {
  const one = ({ key, on, text, tap, more }) => button(text, tap, Object.assign({ key, "aria-pressed": on === undefined || on === null ? null : String(on) }, more));
  return h("div", { class: "row choices", role: "group", "aria-label": label }, list.map(one), after);
}

export function tick(text, on, pick, more) {
  return h("label", Object.assign({ class: "tick" }, more), h("input", { type: "checkbox", checked: Boolean(on), onchange: (event) => pick(event.target.checked) }), h("span", {}, text));
}

// options: [value, text]; `pick` gets the value as text.
export function select(id, label, options, value, pick) {
  const choice = ([name, text]) => h("option", { value: String(name), key: name, selected: String(name) === String(value) }, text);
  return h("div", { class: "option", key: id }, h("label", { for: id }, label), h("select", { id, value: String(value), onchange: (event) => pick(event.target.value) }, options.map(choice)));
}

export function field(id, label, value, type, more) {
  return h("div", { class: "option", key: id }, h("label", { for: id }, label), h("input", Object.assign({ id, value: value || "", oninput: (event) => type(event.target.value) }, more)));
}

// − number +; `words` are what the two buttons are called.
export function stepper(shown, value, { least, most, jump = 1, words }, set) {
  const step = (text, by, word, isEnd) => button(text, () => set(Math.min(most, Math.max(least, value + by))), { class: "step", "aria-label": t(word), disabled: isEnd });
  return h("span", { class: "row" }, step("−", -jump, words[0], value <= least), h("span", { class: "num", role: "status" }, shown), step("+", jump, words[1], value >= most));
}

// What cannot be taken back is asked for twice: `local.asked` names what is asked for just now.
export function sure(app, what, text, yes, doIt, first) {
  const ask = (name) => {
    app.local.asked = name;
    app.draw();
  };
  if (app.local.asked !== what) return h("span", { class: "row", key: what }, button(first, () => ask(what), { class: "quiet" }));
  return h("span", { class: "row asked", key: what, role: "group", "aria-label": text }, h("span", {}, text), button(yes, doIt, { class: "danger" }), button(t("cancel"), () => ask(null), { class: "quiet" }));
}

// rows: { head, cells, ahead }; all but the first column are figures.
export function table(caption, heads, rows) {
  return h("div", { class: "card-box scroll", tabindex: "0", role: "region", "aria-label": caption }, h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at ? "num" : null }, head)))),
    h("tbody", {}, rows.map((one) => h("tr", { class: one.ahead ? "ahead" : null }, h("th", { scope: "row" }, one.head), one.cells.map((cell) => h("td", { class: "num" }, cell)))))));
}

// The words of a card's colours: a dot of the colour and its name.
export function swatched(name, text) {
  return [h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), text];
}

// Whether this device may see pictures of the table: who is in them decides.
export function maySee(app) {
  return app.me.paired || app.me.here || Boolean((app.state.settings || {}).open_pictures);
}

export function pairHere(app) {
  return button(t("pair_do"), () => app.run(async () => null, () => app.toasted(t("paired_now"))), { class: "main" });
}

// Stands where a picture would, on a device that may not see it.
export function unseen(app, key) {
  return h("div", { class: "nothing", key: key || "unseen" }, h("p", {}, t("pictures_paired")), pairHere(app));
}

export function waitingFor(part) {
  return part && part.fault ? h("p", { class: "note bad" }, part.fault) : note(t("one_moment"));
}

// A language is offered in its own words: who cannot read the others must find it.
const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

export function languageChoice(spoken, pick) {
  return choices(t("language"), Object.entries(LANGUAGES).map(([code, name]) => ({ key: code, on: code === spoken, text: name, tap: () => pick(code), more: { lang: code } })));
}

// A word is broken only where it is too long for any line.
export function nameClass(name) {
  const giant = name.split(/[\s-]/).some((word) => word.length > 14);
  return `name ${name.length > 9 ? "long" : ""} ${giant ? "giant" : ""}`;
}
