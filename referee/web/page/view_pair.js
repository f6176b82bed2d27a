// Lets devices in: the code that is said or shown, what lets in the first one, and screens that nobody types at.

import { h } from "./dom.js";
import { again, change, learnWhoIAm, pair } from "./server.js";
import { box, button, fault, form, heading, maySee, privacy, row, scanned } from "./parts.js";
import { count, t } from "./words.js";

const GAP_MS = 1000;
const SCREEN_GAP_MS = 3000;
let told = null; // what lets the first device in

export function draw(app) {
  const { me, pending } = app;
  if (me.first) waitToBeFirst(app);
  const mute = isMute(app);
  const first = me.first ? acts(app) : h("ul", { class: "acts", key: "ways" }, h("li", { key: "screen" }, t("pair_screen")), atTheComputer(app));
  const how = me.printed ? t("pair_printed") : mute ? null : t("pair_listen");
  const field = { id: "code", class: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7, pattern: "[0-9 ]*", "aria-describedby": "code-fault", oninput: (event) => digits(event.target).length === 6 && send(app) };
  return h("section", { class: "card-box narrow", key: "pair" },
    heading(t("pair_title")),
    h("p", {}, t("pair_why")),
    me.code ? codeLine(me.code) : how ? h("p", {}, how) : null,
    mute ? first : null,
    form("stack", () => send(app),
      h("label", { for: "code" }, t("pair_code")),
      h("input", field),
      h("div", { id: "code-fault" }, fault(pending.fault)),
      row(button(t("pair_do"), null, { type: "submit", class: "main" }), mute ? null : button(t("pair_again"), () => askAgain(app)), button(t("cancel"), () => leave(app), { class: "quiet" })),
    ),
    mute ? null : first,
    privacy(app),
  );
}

// Whether nobody can hear a code: then it is no use to listen.
export function isMute(app) {
  const { devices, settings } = app.state;
  return !settings.loudspeaker || devices.some((device) => device.name === "speaker" && device.state !== "ok");
}

function codeLine(code) {
  return h("p", { class: "code-here", key: "code" }, t("pair_code_is"), h("strong", {}, spaced(code)));
}

// The code on a screen in the room, to be typed or scanned.
export function codeHere({ me: { code, scan } }) {
  if (!code) return null;
  return [codeLine(code), scan ? codeToScan(code, t("pair_qr")) : null];
}

export function codeToScan(code, caption) {
  return scanned(`/api/pair/qr.svg?${code}`, t("pair_qr_alt"), caption);
}

export function spaced(code) {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

function digits(field) {
  return field.value.replace(/\D/g, "");
}

async function send(app) {
  const field = document.getElementById("code");
  try {
    app.toasted(t(await pair(digits(field))));
  } catch (refused) {
    app.pending.fault = app.wordsOf(refused);
    field.value = "";
    field.focus();
    app.draw();
    return;
  }
  goOn(app);
}

function askAgain(app) {
  const heard = ({ said }) => said || app.toasted(t("said_lately"));
  change("/api/pair/ask", {}).then(heard).then(learnWhoIAm).then(app.draw, (refused) => app.toasted(app.wordsOf(refused), true));
}

function leave(app) {
  app.pending = null;
  app.draw();
}

// What was to be done when this device was not paired yet.
function goOn(app) {
  const { pending } = app;
  leave(app);
  app.run(pending.work, pending.done);
}

// While no device is paired this one waits to be let in, as long as the page asks for the code.
function waitToBeFirst(app) {
  const { pending } = app;
  if (pending.waits === app.local) return;
  [pending.waits, told] = [app.local, null];
  again(app, GAP_MS, async () => {
    if (app.pending !== pending) return false;
    // A line that broke may come back: it is asked for again.
    told = await change("/api/pair/wait", {}).catch(() => told);
    if (!told || !told.paired) return {};
    await learnWhoIAm();
    if (app.pending === pending) goOn(app);
    return false;
  });
}

function acts(app) {
  if (!told || !told.first) return told && told.home === false ? h("p", { class: "note bad" }, t("first_away")) : null;
  const ways = [
    told.acts.includes("bell") ? h("li", { key: "bell" }, bell()) : null,
    told.acts.includes("camera") && told.mark ? h("li", { key: "camera" }, t("first_camera"), mark(told.mark)) : null,
    atTheComputer(app),
  ].filter(Boolean);
  return ways.length ? h("div", { class: "acts", key: "acts" }, box("acts", t("first_title"), h("p", {}, t("first_how")), h("ul", {}, ways))) : null;
}

// What tells the code at the machine itself, as it is typed there; null where nothing does.
function atTheComputer({ me: { command } }) {
  if (!command) return null;
  const [before, after] = t("first_terminal").split("{command}");
  return h("li", { key: "terminal" }, before, h("code", {}, command), after);
}

function bell() {
  if (told.others || told.bell_rests) return h("span", { role: "status" }, t(told.others ? "first_others" : "first_bell_rests"));
  const news = told.pressed ? count("first_pressed", told.pressed) : told.miscounted ? count("first_miscounted", told.miscounted) : "";
  return [h("strong", {}, t("first_bell", { n: told.presses })), h("span", { class: "note", role: "status" }, news && ` ${news}`)];
}

// Drawn on white, whatever the colours of the page: the camera must tell its edge.
function mark(rows) {
  const black = rows.flatMap((line, y) => [...line].map((cell, x) => (cell === "0" ? `M${x} ${y}h1v1h-1z` : "")));
  return h("span", { class: "mark" }, h("svg", { viewBox: `0 0 ${rows.length} ${rows.length}`, "aria-hidden": "true", "shape-rendering": "crispEdges" }, h("path", { d: black.join(""), fill: "#000" })));
}

// A screen that nobody types at, as a TV, shows a short code; a paired phone lets it in by that.
export function waitForPhone(app) {
  again(app, SCREEN_GAP_MS, async () => {
    if (!app.state || maySee(app)) return null;
    const found = await change("/api/pair/screen", {}).catch(() => ({}));
    if (found.paired) await learnWhoIAm();
    return { code: found.code || null };
  });
}

export function screenCode(app) {
  return maySee(app) || !app.local.code ? null : h("p", { class: "tv-screen", key: "screen" }, t("screen_code", { code: app.local.code }));
}

// Where a paired device lets a screen in.
export function letScreenIn(app) {
  const send_ = () => {
    const field = document.getElementById("screen-code");
    const done = () => {
      field.value = "";
      app.toasted(t("screen_let_in"));
    };
    app.run(() => change("/api/pair/screen/let-in", { code: digits(field) }), done);
  };
  const field = h("input", { id: "screen-code", class: "short-code", inputmode: "numeric", autocomplete: "off", maxlength: 4, pattern: "[0-9]{4}", required: true });
  return form("option", send_, h("label", { for: "screen-code" }, t("screen_let")), h("span", { class: "row" }, field, button(t("screen_do"), null, { type: "submit" })));
}
