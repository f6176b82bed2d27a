// Asks for the code that the speaker says or the screen shows.

import { h } from "./dom.js";
import { change, learnWhoIAm, pair } from "./server.js";
import { button, heading, row } from "./parts.js";
import { acts, atTheComputer, stopWaiting, waits } from "./first_device.js";
import { privacy } from "./privacy.js";
import { t } from "./words.js";

export function draw(app) {
  const { me, pending } = app;
  if (me.first) waits(app, () => goOn(app));
  const mute = isMute(app);
  const first = me.first ? acts(app) : h("ul", { class: "acts", key: "ways" }, h("li", { key: "screen" }, t("pair_screen")), atTheComputer(app));
  const how = me.printed ? t("pair_printed") : mute ? null : t("pair_listen");
  const field = { id: "code", class: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7, pattern: "[0-9 ]*", "aria-describedby": "code-fault", oninput: (event) => digits(event.target).length === 6 && send(app, event) };
  return h(
    "section",
    { class: "card-box narrow", key: "pair" },
    heading(t("pair_title")),
    h("p", {}, t("pair_why")),
    me.code ? codeLine(me.code) : how ? h("p", {}, how) : null,
    mute ? first : null,
    h(
      "form",
      { onsubmit: (event) => send(app, event) },
      h("label", { for: "code" }, t("pair_code")),
      h("input", field),
      h("p", { id: "code-fault", class: "fault", role: "alert" }, pending.fault || ""),
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
  return [codeLine(code), scan ? h("figure", { class: "whereabouts", key: `scan ${code}` }, codeToScan(code), h("figcaption", {}, t("pair_qr"))) : null];
}

export function codeToScan(code) {
  return h("img", { src: `/api/pair/qr.svg?${code}`, alt: t("pair_qr_alt"), width: 132, height: 132 });
}

export function spaced(code) {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

function digits(field) {
  return field.value.replace(/\D/g, "");
}

async function send(app, event) {
  event.preventDefault();
  const field = document.getElementById("code");
  try {
    app.toasted(t(await pair(digits(field))));
  } catch (fault) {
    app.pending.fault = app.wordsOf(fault);
    field.value = "";
    field.focus();
    app.draw();
    return;
  }
  goOn(app);
}

function askAgain(app) {
  const heard = ({ said }) => said || app.toasted(t("said_lately"));
  change("/api/pair/ask", {}).then(heard).then(learnWhoIAm).then(app.draw, (fault) => app.toasted(app.wordsOf(fault), true));
}

function leave(app) {
  stopWaiting();
  app.pending = null;
  app.draw();
}

// What was to be done when this device was not paired yet.
function goOn(app) {
  const { pending } = app;
  leave(app);
  app.run(pending.work, pending.done);
}
