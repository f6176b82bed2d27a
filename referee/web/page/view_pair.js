// Asks for the code that the speaker says or the screen shows.

import { h } from "./dom.js";
import { change, learnWhoIAm, pair } from "./server.js";
import { button, heading } from "./parts.js";
import { acts, atTheComputer, stopWaiting, waits } from "./first_device.js";
import { privacy } from "./privacy.js";
import { t } from "./words.js";

export function pairing(app) {
  if (app.me.first) {
    waits(app, () => {
      const { pending } = app;
      leave(app);
      app.run(pending.work, pending.done);
    });
  }
  const mute = isMute(app);
  const first = app.me.first ? acts(app) : otherWays(app);
  return h(
    "section",
    { class: "card-box narrow", key: "pair" },
    heading(t("pair_title")),
    h("p", {}, t("pair_why")),
    app.me.code ? h("p", { class: "code-here" }, t("pair_code_is"), h("strong", {}, spaced(app.me.code))) : how(app, mute),
    mute ? first : null,
    h(
      "form",
      { onsubmit: (event) => send(app, event) },
      h("label", { for: "code" }, t("pair_code")),
      h("input", {
        id: "code",
        class: "code",
        inputmode: "numeric",
        autocomplete: "one-time-code",
        maxlength: 7,
        pattern: "[0-9 ]*",
        "aria-describedby": "code-fault",
        oninput: (event) => {
          if (digits(event.target).length === 6) send(app, event);
        },
      }),
      h("p", { id: "code-fault", class: "fault", role: "alert" }, app.pending.fault || ""),
      h(
        "div",
        { class: "row" },
        h("button", { type: "submit", class: "main" }, t("pair_do")),
        mute ? null : button(t("pair_again"), () => askAgain(app)),
        button(t("cancel"), () => leave(app), { class: "quiet" }),
      ),
    ),
    mute ? null : first,
    privacy(app),
  );
}

function how(app, mute) {
  if (app.me.printed) return h("p", {}, t("pair_printed"));
  return mute ? null : h("p", {}, t("pair_listen"));
}

function otherWays(app) {
  return h("ul", { class: "acts", key: "ways" }, h("li", { key: "screen" }, t("pair_screen")), atTheComputer(app));
}

// Whether nobody can hear a code: then it is no use to listen.
export function isMute(app) {
  const { devices, settings } = app.state;
  return !settings.loudspeaker || devices.some((device) => device.name === "speaker" && device.state !== "ok");
}

// The code on a screen in the room, to be typed or scanned.
export function codeHere(app) {
  const { code } = app.me;
  if (!code) return null;
  return [
    h("p", { class: "code-here", key: "code" }, t("pair_code_is"), h("strong", {}, spaced(code))),
    app.me.scan ? h("figure", { class: "whereabouts", key: `scan ${code}` }, codeToScan(code), h("figcaption", {}, t("pair_qr"))) : null,
  ];
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
  const { pending } = app;
  try {
    app.toasted(t(await pair(digits(field))));
    stopWaiting();
  } catch (fault) {
    pending.fault = app.wordsOf(fault);
    field.value = "";
    field.focus();
    app.draw();
    return;
  }
  leave(app);
  app.run(pending.work, pending.done);
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
