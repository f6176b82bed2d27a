// Returns the parts of all views: boxes, rows, choices, fields, seats and cards.

import { h } from "./dom.js";
import { count, has, signed, t } from "./words.js";

// Return a symbol of index.html by its name.
function drawn(name, look) {
  return h("svg", { class: look, "aria-hidden": "true" }, h("use", { href: `#${name}` }));
}

export function icon(name) {
  return drawn(`icon-${name}`, "icon");
}

export function drawing(name) {
  return document.getElementById(`art-${name}`) ? drawn(`art-${name}`, "art") : null;
}

// Return a seat's sign: both its colour and its shape identify the seat.
export function sign(seat) {
  return typeof seat === "number" ? drawn(`sign-${seat % 7}`, `sign seat-${seat % 7}`) : null;
}

export function nameOf(app, seat) {
  const place = app.state.board.find((one) => one.seat === seat);
  return place ? place.name : t("seat", { n: seat + 1 });
}

// Return the kind of a ruling, which selects its icon and colours.
export function kindOf(entry) {
  const { ruling, valid, points } = entry.ruling || {};
  if (ruling === "ring") return valid ? "yes" : "no";
  if (ruling === "hand" && points > 0) return "yes";
  return { foul: "no", unclear: "unclear", time: "time", round: "time", end: "end" }[ruling] || "info";
}

export function ago(app, tNs) {
  const s = Math.max(0, Math.round((app.nowNs() - tNs) / 1e9));
  if (s < 5) return t("just_now");
  if (s < 60) return t("seconds_ago", { n: s });
  if (s < 3600) return count("minutes_ago", Math.floor(s / 60));
  return count("hours_ago", Math.floor(s / 3600));
}

// Return a Confetti card by the colours of its small, medium and big circle; `used`: a size to mark.
export function card(colours, used) {
  const spots = [[30, 26, 11], [70, 52, 17], [34, 96, 25]];
  const circle = ([cx, cy, r], size) => [h("circle", { class: `mark ${colours[size]}`, cx, cy, r }), used === size ? h("circle", { class: "used", cx, cy, r: r + 5 }) : null];
  const props = { class: "card", viewBox: "0 0 100 140", role: "img", "aria-label": faceWords(colours) };
  return h("svg", props, h("rect", { class: "face", x: 3, y: 3, width: 94, height: 134, rx: 10 }), spots.map(circle));
}

// Return a colour, a mood or a kind of card in the page's language.
export function word(name) {
  const key = [`colour_${name}`, `mood_${name}`, `kind_${name}`].map((one) => one.replace(" ", "_")).find(has);
  return key ? t(key) : name;
}

// Return the colours and moods of a card in words.
export function faceWords(names) {
  return names.filter(Boolean).map((name) => (has(`mood_${name}`) ? word(name).toLowerCase() : word(name))).join(", ");
}

// Return the attributes of a face in words; the kind "colour" has no word.
export function attributeWords({ kind, room, colour, mood }) {
  return faceWords([kind === "colour" ? null : kind, room, colour, mood]);
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

export function bar(share, label) {
  const percent = String(Math.round(share * 100));
  return h("div", { class: "bar", role: "meter", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": percent }, h("div", { class: share < 1 ? "rest" : "rest full", place: { width: `${percent}%` } }));
}

// Return whose turn it is, or else the phase.
export function turnOf(app) {
  const { turn } = app.state.phase || {};
  return typeof turn === "number" && app.state.mode === "playing" ? [sign(turn), " ", t("turn_of", { name: nameOf(app, turn) })] : phaseOf(app);
}

// Return the time left in the sandtimer, or null where none runs or its length is unknown.
export function sand(app) {
  const { lasts_ms: lastsMs, since_ns: sinceNs } = app.state.phase || {};
  if (!lastsMs || !sinceNs || app.state.mode !== "playing") return null;
  const left = Math.max(0, 1 - (app.nowNs() - sinceNs) / 1e6 / lastsMs);
  const seconds = Math.ceil((left * lastsMs) / 1000);
  const rest = h("div", { class: "bar" }, h("div", { class: "rest", place: { width: `${left * 100}%` } }));
  return h("div", { class: "sand", role: "timer", "aria-label": t("seconds_left", { n: seconds }) }, rest, h("span", { class: "num" }, t("seconds_short", { n: seconds })));
}

// Return points as text; unknown points are a dash.
export function shownPoints(points) {
  return points === null || points === undefined ? "–" : signed(points);
}

// Return whether decorative motion is off: quiet hours, or this device asks for less motion.
export function isCalm(app) {
  return app.state.quiet_now || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
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

// Return a box with a title.
export function box(key, title, ...content) {
  return h("section", { class: "card-box", key, "aria-labelledby": `${key}-title` }, h("h2", { id: `${key}-title` }, title), content);
}

export function unfolded(key, title, ...content) {
  return h("details", { class: "card-box", key }, h("summary", {}, title), content);
}

// Return a group with a name for screen readers.
export function group(look, label, ...content) {
  return h("div", { class: look, key: `${look} ${label}`, role: "group", "aria-label": label }, content);
}

// Return a form that calls `submit`.
export function form(look, submit, ...content) {
  const onsubmit = (event) => {
    event.preventDefault();
    submit(event);
  };
  return h("form", { class: look, key: "form", onsubmit }, content);
}

export function fault(text) {
  return h("p", { class: "fault", role: "alert" }, text || "");
}

export function columns(first, second) {
  return h("div", { class: "columns" }, h("div", { class: "column" }, first), h("div", { class: "column" }, second));
}

export function backTo(href, text) {
  return h("p", { class: "back", key: "back" }, h("a", { href }, icon("back"), text));
}

// Return buttons of which at most one is pressed. list: { key, on, text, tap, more }.
export function choices(label, list, ...after) {
  const one = ({ key, on, text, tap, more }) => button(text, tap, Object.assign({ key, "aria-pressed": on === undefined || on === null ? null : String(on) }, more));
  return h("div", { class: "row choices", role: "group", "aria-label": label }, list.map(one), after);
}

export function tick(text, on, pick, more) {
  return h("label", Object.assign({ class: "tick" }, more), h("input", { type: "checkbox", checked: Boolean(on), onchange: (event) => pick(event.target.checked) }), h("span", {}, text));
}

// Return a select with its label. options: [value, text]; `pick` gets the value as text.
export function select(id, label, options, value, pick) {
  const choice = ([name, text]) => h("option", { value: String(name), key: name, selected: String(name) === String(value) }, text);
  return h("div", { class: "option", key: id }, h("label", { for: id }, label), h("select", { id, value: String(value), onchange: (event) => pick(event.target.value) }, options.map(choice)));
}

export function field(id, label, value, type, more) {
  return h("div", { class: "option", key: id }, h("label", { for: id }, label), h("input", Object.assign({ id, value: value || "", oninput: (event) => type(event.target.value) }, more)));
}

// Return a number between − and +; words: keys of the names of both buttons.
export function stepper(shown, value, { least, most, jump = 1, words }, set) {
  const step = (text, by, word, isEnd) => button(text, () => set(Math.min(most, Math.max(least, value + by))), { class: "step", "aria-label": t(word), disabled: isEnd });
  return h("span", { class: "row" }, step("−", -jump, words[0], value <= least), h("span", { class: "num", role: "status" }, shown), step("+", jump, words[1], value >= most));
}

// Return a button that asks before it acts, for what cannot be undone. `local.asked` names the open question.
export function confirmed(app, what, text, yes, doIt, first) {
  const ask = (asked, words) => button(words, () => app.set({ asked }), { class: "quiet" });
  if (app.local.asked !== what) return h("span", { class: "row", key: what }, ask(what, first));
  return h("span", { class: "row asked", key: what, role: "group", "aria-label": text }, h("span", {}, text), button(yes, doIt, { class: "danger" }), ask(null, t("cancel")));
}

// Return a table. rows: { head, cells (numbers), ahead }.
export function table(caption, heads, rows) {
  return h("div", { class: "card-box scroll", tabindex: "0", role: "region", "aria-label": caption }, h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at ? "num" : null }, head)))),
    h("tbody", {}, rows.map((one) => h("tr", { class: one.ahead ? "ahead" : null }, h("th", { scope: "row" }, one.head), one.cells.map((cell) => h("td", { class: "num" }, cell)))))));
}

// Return a dot of a colour, and the colour's name.
export function swatched(name, text) {
  return [h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), text];
}

// Return whether this device may see pictures, in which people may appear.
export function maySee(app) {
  return app.me.paired || app.me.here || Boolean((app.state.settings || {}).open_pictures);
}

export function pairHere(app) {
  return button(t("pair_do"), () => app.run(async () => null, () => app.toasted(t("paired_now"))), { class: "main" });
}

// Return what replaces a picture on a device that may not see it.
export function unseen(app, key) {
  return h("div", { class: "nothing", key: key || "unseen" }, h("p", {}, t("pictures_paired")), pairHere(app));
}

export function waitingFor(part) {
  return part && part.fault ? h("p", { class: "note bad" }, part.fault) : note(t("one_moment"));
}

// Each language is named in itself, for people who read only that one.
const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

export function languageChoice(spoken, pick) {
  return choices(t("language"), Object.entries(LANGUAGES).map(([code, name]) => ({ key: code, on: code === spoken, text: name, tap: () => pick(code), more: { lang: code } })));
}

// Return the page's address as QR code and text, or null before it is known. key: a sentence with {address}.
export function whereabouts(app, key) {
  const found = app.loaded("address", "/api/address");
  if (!found || found.fault) return null;
  const address = found.address.replace(/^http:\/\/|\/$/g, "");
  return scanned("/qr.svg", t("qr_alt"), key ? t(key, { address }) : [t("qr_more"), h("strong", {}, address)]);
}

export function scanned(src, alt, ...caption) {
  return h("figure", { class: "whereabouts", key: src }, h("img", { src, alt, width: 132, height: 132 }), h("figcaption", {}, caption));
}

// Return three sentences: what is stored, for how long, and who sees it.
export function privacy(app) {
  const keys = ["privacy_what", "privacy_long", (app.state.settings || {}).open_pictures ? "privacy_who_open" : "privacy_who"];
  return h("section", { class: "privacy", key: "privacy", "aria-labelledby": "privacy-title" }, h("h2", { id: "privacy-title" }, t("privacy")), keys.map((key) => note(t(key))));
}

// Return a name's class: a word over 14 letters may be broken.
export function nameClass(name) {
  const giant = name.split(/[\s-]/).some((word) => word.length > 14);
  return `name ${name.length > 9 ? "long" : ""} ${giant ? "giant" : ""}`;
}
