// A screen that nobody types at, as a TV: it shows a short code, and a paired phone lets it in by that.

import { h } from "./dom.js";
import { button, maySee } from "./parts.js";
import { change, learnWhoIAm } from "./server.js";
import { t } from "./words.js";

const GAP_MS = 3000;

// Wait to be let in, as long as the view stays that is open now.
export function waitForPhone(app) {
  const { local } = app;
  const ask = async () => {
    if (app.local !== local) return;
    if (app.state && !maySee(app)) {
      const found = await change("/api/pair/screen", {}).catch(() => ({}));
      if (found.paired) await learnWhoIAm().catch(() => null);
      local.code = found.code || null;
      app.draw();
    }
    setTimeout(ask, GAP_MS);
  };
  ask();
}

export function screenCode(app) {
  return maySee(app) || !app.local.code ? null : h("p", { class: "tv-screen", key: "screen" }, t("screen_code", { code: app.local.code }));
}

// Where a paired device lets a screen in.
export function letScreenIn(app) {
  const send = (event) => {
    event.preventDefault();
    const field = document.getElementById("screen-code");
    const done = () => {
      field.value = "";
      app.toasted(t("screen_let_in"));
    };
    app.run(() => change("/api/pair/screen/let-in", { code: field.value.replace(/\D/g, "") }), done);
  };
  const field = h("input", { id: "screen-code", class: "short-code", inputmode: "numeric", autocomplete: "off", maxlength: 4, pattern: "[0-9]{4}", required: true });
  return h("form", { class: "option", key: "screen", onsubmit: send }, h("label", { for: "screen-code" }, t("screen_let")), h("span", { class: "row" }, field, button(t("screen_do"), null, { type: "submit" })));
}
