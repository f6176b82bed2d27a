// Language, loudness, quiet hours, and which devices may change anything.

import { h } from "./dom.js";
import { change, learnWhoIAm } from "./server.js";
import { button, heading } from "./parts.js";
import { house, loadHouse } from "./view_house.js";
import { decks, openedDecks } from "./decks.js";
import { fitted } from "./view_fitted.js";
import { keeping } from "./view_keeping.js";
import { quality } from "./view_quality.js";
import { canSpeak, HERE, NOWHERE } from "./speech.js";
import { codeHere, isMute } from "./view_pair.js";
import { privacy } from "./privacy.js";
import { letScreenIn } from "./screen.js";
import { count, t } from "./words.js";

// A language is offered in its own words: who cannot read the others must find it.
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

export function opened(app) {
  app.load("plugged", "/api/cameras");
  app.load("quality", "/api/quality");
  loadHouse(app);
  openedDecks(app);
}

export function draw(app) {
  const now = Object.assign({ volume: 1, quiet: false, quiet_hours: null }, app.state.settings);
  return [
    heading(t("nav_settings")),
    h("div", { class: "columns" }, h("div", { class: "column" }, language(app), decks(app), sound(app, now)), h("div", { class: "column" }, fitted(app, now), house(app), devices(app), quality(app), keeping(app), more())),
  ];
}

function set(app, part) {
  app.run(Object.assign({ do: "settings" }, part), () => app.toasted(t("saved")));
}

function language(app) {
  return h(
    "fieldset",
    { class: "card-box", key: "language" },
    h("legend", {}, t("language")),
    h(
      "div",
      { class: "row choices" },
      Object.entries(LANGUAGES).map(([code, name]) =>
        h("button", { type: "button", key: code, lang: code, "aria-pressed": String(app.state.language === code), onclick: () => set(app, { language: code }) }, name),
      ),
    ),
  );
}

function sound(app, now) {
  const hours = now.quiet_hours || ["22:00", "07:00"];
  const setHours = (at, value) => set(app, { quiet_hours: hours.map((hour, index) => (index === at ? value : hour)) });
  const field = (at, label) =>
    h("label", { class: "inline" }, label, h("input", { type: "time", required: true, value: hours[at], onchange: (event) => event.target.value && setHours(at, event.target.value) }));
  return h(
    "fieldset",
    { class: "card-box", key: "sound" },
    h("legend", {}, t("voice")),
    h("label", { for: "volume" }, t("volume")),
    h("input", { id: "volume", type: "range", min: 0, max: 100, step: 5, value: String(Math.round(now.volume * 100)), onchange: (event) => set(app, { volume: Number(event.target.value) / 100 }) }),
    tick(t("quiet_now"), now.quiet, (on) => set(app, { quiet: on })),
    tick(t("quiet_hours"), now.quiet_hours !== null, (on) => set(app, { quiet_hours: on ? hours : null })),
    now.quiet_hours ? h("div", { class: "row" }, field(0, t("from")), field(1, t("until"))) : null,
    tick(t("loudspeaker_fitted"), now.loudspeaker, (on) => set(app, { loudspeaker: on })),
    canSpeak()
      ? tick(t("voice_here"), now.voice_page === HERE, (on) => speakHere(app, on))
      : h("p", { class: "note" }, t("voice_cannot")),
    now.voice_page && now.voice_page !== HERE ? h("p", { class: "note" }, t("voice_elsewhere")) : null,
    h("p", { class: "note" }, t("quiet_more")),
  );
}

// One device speaks: two would not do it at the same time.
function speakHere(app, on) {
  app.run({ do: "settings", voice_page: on ? HERE : NOWHERE }, () => {
    app.heedLine();
    app.toasted(t("saved"));
  });
}

function tick(text, on, change_) {
  return h("label", { class: "tick" }, h("input", { type: "checkbox", checked: on, onchange: (event) => change_(event.target.checked) }), h("span", {}, text));
}

function devices(app) {
  const { me } = app;
  const forget = (all) => app.run(() => change("/api/pair/forget", { all }), () => learnWhoIAm().then(() => app.toasted(t("forgotten"))));
  return h(
    "section",
    { class: "card-box", key: "devices", "aria-labelledby": "devices-title" },
    h("h2", { id: "devices-title" }, t("pairing")),
    h("p", {}, me.paired ? t("is_paired") : t("is_not_paired")),
    me.paired
      ? [
          h("p", { class: "note" }, count("paired_devices", me.devices || 1)),
          codeHere(app),
          h("div", { class: "row" }, button(t("let_in"), () => letIn(app), { class: "main" })),
          letScreenIn(app),
          tick(t("open_pictures"), Boolean(app.state.settings.open_pictures), (on) => set(app, { open_pictures: on })),
          h("div", { class: "row" }, button(t("forget_this"), () => forget(false)), button(t("forget_all"), () => forget(true), { class: "quiet" })),
        ]
      : button(t("pair_do"), () => app.run(async () => null, () => app.toasted(t("paired_now"))), { class: "main" }),
    privacy(app),
  );
}

// A paired device lets another one in: its code is said and shown, and may be tried at once.
function letIn(app) {
  change("/api/pair/ask", {})
    .then(learnWhoIAm)
    .then(() => app.toasted(t(isMute(app) ? "let_in_shown" : "let_in_now")), (fault) => app.toasted(app.wordsOf(fault), true));
}

function more() {
  return h(
    "section",
    { class: "card-box", key: "more", "aria-labelledby": "more-title" },
    h("h2", { id: "more-title" }, t("more")),
    h("ul", { class: "links" }, h("li", {}, h("a", { href: "#system" }, t("open_system"))), h("li", {}, h("a", { href: "#setup" }, t("setup_open"))), h("li", {}, h("a", { href: "#picture" }, t("score_picture"))), h("li", {}, h("a", { href: "#tv" }, t("open_tv")))),
  );
}
