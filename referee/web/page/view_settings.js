// Language, loudness, quiet hours, what is fitted, and which devices may change anything.

import { h } from "./dom.js";
import { change, learnWhoIAm } from "./server.js";
import { box, button, columns, field, heading, languageChoice, note, pairHere, row, tick } from "./parts.js";
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

export function opened(app) {
  app.load("plugged", "/api/cameras");
  app.load("quality", "/api/quality");
  loadHouse(app);
  openedDecks(app);
}

export function draw(app) {
  const now = Object.assign({ volume: 1, quiet: false, quiet_hours: null }, app.state.settings);
  const first = [box("language", t("language"), languageChoice(app.state.language, (code) => set(app, { language: code }))), decks(app), sound(app, now)];
  return [heading(t("nav_settings")), columns(first, [fitted(app, now), house(app), devices(app), quality(app), keeping(app), more()])];
}

function set(app, part) {
  app.run(Object.assign({ do: "settings" }, part), () => app.toasted(t("saved")));
}

function sound(app, now) {
  const hours = now.quiet_hours || ["22:00", "07:00"];
  const hour = (at, label) => {
    const pick = (value) => value && set(app, { quiet_hours: hours.map((one, index) => (index === at ? value : one)) });
    return h("label", { class: "inline" }, label, h("input", { type: "time", required: true, value: hours[at], onchange: (event) => pick(event.target.value) }));
  };
  // One device speaks: two would not do it at the same time.
  const speakHere = (on) =>
    app.run({ do: "settings", voice_page: on ? HERE : NOWHERE }, () => {
      app.heedLine();
      app.toasted(t("saved"));
    });
  return box(
    "sound",
    t("voice"),
    field("volume", t("volume"), String(Math.round(now.volume * 100)), () => null, { type: "range", min: 0, max: 100, step: 5, onchange: (event) => set(app, { volume: Number(event.target.value) / 100 }) }),
    tick(t("quiet_now"), now.quiet, (on) => set(app, { quiet: on })),
    tick(t("quiet_hours"), now.quiet_hours !== null, (on) => set(app, { quiet_hours: on ? hours : null })),
    now.quiet_hours ? row(hour(0, t("from")), hour(1, t("until"))) : null,
    tick(t("loudspeaker_fitted"), now.loudspeaker, (on) => set(app, { loudspeaker: on })),
    canSpeak() ? tick(t("voice_here"), now.voice_page === HERE, speakHere) : note(t("voice_cannot")),
    now.voice_page && now.voice_page !== HERE ? note(t("voice_elsewhere")) : null,
    note(t("quiet_more")),
  );
}

function devices(app) {
  const { me } = app;
  const forget = (all) => app.run(() => change("/api/pair/forget", { all }), () => learnWhoIAm().then(() => app.toasted(t("forgotten"))));
  return box(
    "devices",
    t("pairing"),
    h("p", {}, me.paired ? t("is_paired") : t("is_not_paired")),
    me.paired
      ? [
          note(count("paired_devices", me.devices || 1)),
          codeHere(app),
          row(button(t("let_in"), () => letIn(app), { class: "main" })),
          letScreenIn(app),
          tick(t("open_pictures"), app.state.settings.open_pictures, (on) => set(app, { open_pictures: on })),
          row(button(t("forget_this"), () => forget(false)), button(t("forget_all"), () => forget(true), { class: "quiet" })),
        ]
      : pairHere(app),
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
  const link = (href, key) => h("li", {}, h("a", { href }, t(key)));
  return box("more", t("more"), h("ul", { class: "links" }, link("#system", "open_system"), link("#setup", "setup_open"), link("#picture", "score_picture"), link("#tv", "open_tv")));
}
