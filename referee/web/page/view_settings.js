// Draws the settings: language, sound, devices, paired phones, quality and backups.

import { h } from "./dom.js";
import { askForCode, learnWhoIAm, send } from "./server.js";
import { box, button, columns, fault, heading, languageChoice, note, pairHere, privacy, row, tick, waitingFor } from "./parts.js";
import { bars } from "./chart.js";
import { fields } from "./form.js";
import { house, loadHouse } from "./view_house.js";
import { decks } from "./decks.js";
import { fitted } from "./view_fitted.js";
import { canSpeak, HERE, NOWHERE } from "./speech.js";
import { codeHere, isMute, letScreenIn } from "./view_pair.js";
import { count, day, t } from "./words.js";

const MOST_MB = 192;
const LATEST = 8; // evenings

export { loadHouse as opened };

export function draw(app) {
  const now = Object.assign({ volume: 1, quiet: false, quiet_hours: null }, app.state.settings);
  const first = [box("language", t("language"), languageChoice(app.state.language, (language) => app.saveSettings({ language }))), decks(app), sound(app, now)];
  return [heading(t("nav_settings")), columns(first, [fitted(app, now), house(app), devices(app), quality(app), keeping(app), more()])];
}

function sound(app, now) {
  const hours = now.quiet_hours || ["22:00", "07:00"];
  const hour = (at, label) => {
    const pick = (value) => value && app.saveSettings({ quiet_hours: hours.map((one, index) => (index === at ? value : one)) });
    return h("label", { class: "inline" }, label, h("input", { type: "time", required: true, value: hours[at], onchange: (event) => pick(event.target.value) }));
  };
  // Only one device speaks: two would not be synchronous.
  const speakHere = (on) => app.saveSettings({ voice_page: on ? HERE : NOWHERE });
  return box("sound", t("voice"),
    fields(app, "sound", now, app.saveSettings, {
      quiet_hours: ({ word }) => [tick(t(word), now.quiet_hours !== null, (on) => app.saveSettings({ quiet_hours: on ? hours : null })), now.quiet_hours ? row(hour(0, t("from")), hour(1, t("until"))) : null],
    }),
    canSpeak() ? tick(t("voice_here"), now.voice_page === HERE, speakHere) : note(t("voice_cannot")),
    now.voice_page && now.voice_page !== HERE ? note(t("voice_elsewhere")) : null,
    note(t("quiet_more")),
  );
}

function devices(app) {
  const { me } = app;
  const letIn = () => app.run(askForCode, () => app.toasted(t(isMute(app) ? "let_in_shown" : "let_in_now")));
  const forget = (all) => app.change("/api/pair/forget", { all }, () => learnWhoIAm().then(() => app.toasted(t("forgotten"))));
  if (!me.paired) return box("devices", t("pairing"), h("p", {}, t("is_not_paired")), pairHere(app), privacy(app));
  return box("devices", t("pairing"),
    h("p", {}, t("is_paired")),
    note(count("paired_devices", me.devices || 1)),
    codeHere(app),
    row(button(t("let_in"), letIn, { class: "main" })),
    letScreenIn(app),
    fields(app, "privacy", app.state.settings, app.saveSettings),
    row(button(t("forget_this"), () => forget(false)), button(t("forget_all"), () => forget(true), { class: "quiet" })),
    privacy(app),
  );
}

function more() {
  const link = (href, key) => h("li", {}, h("a", { href }, t(key)));
  return box("more", t("more"), h("ul", { class: "links" }, link("#system", "open_system"), link("#setup", "setup_open"), link("#picture", "score_picture"), link("#tv", "open_tv")));
}

// Return what was corrected at this table, in words and as bars by evening.
function quality(app) {
  const report = app.loaded("quality", "/api/quality");
  if (!report || report.fault) return box("quality", t("quality"), waitingFor(report));
  const evenings = report.evenings.slice(-LATEST);
  const game = (one) => h("p", { key: one.game }, h("strong", {}, t(`game_${one.game}`)), " – ", one.text, one.unclear ? ` ${t("quality_unclear", { n: one.unclear, all: one.rings })}` : "");
  const evening = (one) => ({ name: day(`${one.date}T12:00`, { day: "numeric", month: "short" }), value: one.corrected, of: one.cards, text: t("quality_of", { n: one.corrected, all: one.cards }) });
  return box("quality", t("quality"),
    report.games.length ? report.games.map(game) : note(t("quality_none")),
    report.challenged ? h("p", {}, report.challenged) : null,
    evenings.length > 1 ? h("figure", {}, h("figcaption", { class: "note" }, t("quality_evenings")), bars(evenings.map(evening), "bad")) : null,
    note(t("quality_more"), " ", h("a", { href: "#setup" }, t("quality_check"))),
  );
}

// Return the downloads of a backup and of a fault report, and the upload that restores a backup.
function keeping(app) {
  const { local, me } = app;
  const link = (href, key) => h("a", { class: "button", href, download: "" }, t(key));
  const file = h("input", { id: "restore", type: "file", accept: ".zip,application/zip", disabled: Boolean(local.restoring), onchange: (event) => restore(app, event.target) });
  if (!me.paired) return box("keeping", t("keeping"), note(t("keep_why")), note(t("keep_pair")));
  return box("keeping", t("keeping"), note(t("keep_why")),
    row(link("/api/backup.zip", "keep_all"), link("/api/backup.zip?pictures=false", "keep_small")),
    h("div", { class: "option" }, h("label", { for: "restore" }, t("keep_restore")), file),
    h("p", { role: "status" }, local.restoring ? t("one_moment") : local.restored || ""),
    fault(local.restoreFault),
    note(t("keep_report_why"), " ", h("a", { href: "/api/report.zip", download: "" }, t("keep_report"))),
  );
}

async function restore(app, input) {
  const file = input.files[0];
  if (!file) return;
  const show = (part) => app.set(Object.assign({ restoring: false, restored: "", restoreFault: "" }, part));
  show({ restoring: true });
  await send("/api/restore", file, MOST_MB).then((done) => show({ restored: said(done) }), (refused) => show({ restoreFault: refused.status === 413 ? t("keep_too_large") : app.wordsOf(refused) }));
  input.value = "";
}

function said(done) {
  return [count("keep_games", done.games), done.there ? count("keep_there", done.there) : "", done.decks ? count("keep_decks", done.decks) : "", done.settings ? t("keep_settings") : "", done.left_out].filter(Boolean).join(" ");
}
