// Asks for the code that the speaker says or the screen shows.

import { h } from "./dom.js";
import { change, learnWhoIAm, pair } from "./server.js";
import { button, heading } from "./parts.js";
import { acts, stopWaiting, waits } from "./first_device.js";
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
  const first = app.me.first ? acts(app) : null;
  return h(
    "section",
    { class: "card-box narrow", key: "pair" },
    heading(t("pair_title")),
    h("p", {}, t("pair_why")),
    app.me.code ? h("p", { class: "code-here" }, t("pair_code_is"), h("strong", {}, spaced(app.me.code))) : h("p", {}, t(mute ? "pair_mute" : "pair_listen")),
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
  );
}

// Whether nobody can hear a code: then it is no use to listen.
function isMute(app) {
  return app.state.devices.some((device) => device.name === "speaker" && device.state !== "ok");
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
  change("/api/pair/ask", {}).then(learnWhoIAm).then(app.draw, (fault) => app.toasted(app.wordsOf(fault), true));
}

function leave(app) {
  stopWaiting();
  app.pending = null;
  app.draw();
}
