// Draws pairing: the code to enter, the ways to admit the first device, and screens without keyboard.

import { h } from "./dom.js";
import { again, askForCode, change, learnWhoIAm, pair } from "./server.js";
import { box, button, fault, form, heading, maySee, privacy, row, scanned } from "./parts.js";
import { count, t } from "./words.js";

const GAP_MS = 1000;
const SCREEN_GAP_MS = 3000;
let admission = null; // the ways to admit the first device, and their progress

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

// Return whether the table has no working loudspeaker for the code.
export function isMute(app) {
  const { devices, settings } = app.state;
  return !settings.loudspeaker || devices.some((device) => device.name === "speaker" && device.state !== "ok");
}

function codeLine(code) {
  return h("p", { class: "code-here", key: "code" }, t("pair_code_is"), h("strong", {}, spaced(code)));
}

// Return the code to type or scan, on a screen in the room.
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
  const asked = ({ said }) => (said ? app.draw() : app.toasted(t("said_lately")));
  askForCode().then(asked, (refused) => app.toasted(app.wordsOf(refused), true));
}

function leave(app) {
  app.pending = null;
  app.draw();
}

// Continue with the command that needed pairing.
function goOn(app) {
  const { pending } = app;
  leave(app);
  app.run(pending.work, pending.done);
}

// Ask every second whether this first device is admitted, while the page asks for the code.
function waitToBeFirst(app) {
  const { pending } = app;
  if (pending.waits === app.local) return;
  pending.waits = app.local;
  admission = null;
  again(app, GAP_MS, async () => {
    if (app.pending !== pending) return false;
    // A lost connection may return: ask again.
    admission = await change("/api/pair/wait", {}).catch(() => admission);
    if (!admission || !admission.paired) return {};
    await learnWhoIAm();
    if (app.pending === pending) goOn(app);
    return false;
  });
}

function acts(app) {
  if (!admission || !admission.first) return admission && admission.home === false ? h("p", { class: "note bad" }, t("first_away")) : null;
  const ways = [
    admission.acts.includes("bell") ? h("li", { key: "bell" }, bell()) : null,
    admission.acts.includes("camera") && admission.mark ? h("li", { key: "camera" }, t("first_camera"), mark(admission.mark)) : null,
    atTheComputer(app),
  ].filter(Boolean);
  return ways.length ? h("div", { class: "acts", key: "acts" }, box("acts", t("first_title"), h("p", {}, t("first_how")), h("ul", {}, ways))) : null;
}

// Return the command that prints the code at the machine itself, or null.
function atTheComputer({ me: { command } }) {
  if (!command) return null;
  const [before, after] = t("first_terminal").split("{command}");
  return h("li", { key: "terminal" }, before, h("code", {}, command), after);
}

function bell() {
  const { others, bell_rests: rests, pressed, miscounted, presses } = admission;
  if (others || rests) return h("span", { role: "status" }, t(others ? "first_others" : "first_bell_rests"));
  const news = pressed ? count("first_pressed", pressed) : miscounted ? count("first_miscounted", miscounted) : "";
  return [h("strong", {}, t("first_bell", { n: presses })), h("span", { class: "note", role: "status" }, news && ` ${news}`)];
}

// Return the mark for the camera; its ground is always white, so that the camera finds its edge.
function mark(rows) {
  const black = rows.flatMap((line, y) => [...line].map((cell, x) => (cell === "0" ? `M${x} ${y}h1v1h-1z` : "")));
  return h("span", { class: "mark" }, h("svg", { viewBox: `0 0 ${rows.length} ${rows.length}`, "aria-hidden": "true", "shape-rendering": "crispEdges" }, h("path", { d: black.join(""), fill: "#000" })));
}

// Fetch the short code by which a paired phone admits this screen, until it is admitted.
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

// Return the form in which a paired device admits a screen.
export function letScreenIn(app) {
  const send_ = () => {
    const field = document.getElementById("screen-code");
    const done = () => {
      field.value = "";
      app.toasted(t("screen_let_in"));
    };
    app.change("/api/pair/screen/let-in", { code: digits(field) }, done);
  };
  const field = h("input", { id: "screen-code", class: "short-code", inputmode: "numeric", autocomplete: "off", maxlength: 4, pattern: "[0-9]{4}", required: true });
  return form("option", send_, h("label", { for: "screen-code" }, t("screen_let")), h("span", { class: "row" }, field, button(t("screen_do"), null, { type: "submit" })));
}
