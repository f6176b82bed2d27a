// Back up all games, decks and settings as one file, take them back, and the report for who is to find a fault.

import { h } from "./dom.js";
import { me, sendBackup } from "./server.js";
import { count, t } from "./words.js";

const MOST_BYTES = 192 * 1024 * 1024;

export function keeping(app) {
  const { local } = app;
  const ask = me.paired ? null : h("p", { class: "note" }, t("keep_pair"));
  return h(
    "section",
    { class: "card-box", key: "keeping", "aria-labelledby": "keeping-title" },
    h("h2", { id: "keeping-title" }, t("keeping")),
    h("p", { class: "note" }, t("keep_why")),
    ask,
    me.paired ? h("div", { class: "row" }, link("/api/backup.zip", "keep_all"), link("/api/backup.zip?pictures=false", "keep_small")) : null,
    me.paired ? restore(app) : null,
    h("p", { role: "status" }, local.restoring ? t("one_moment") : local.restored || ""),
    h("p", { class: "fault", role: "alert" }, local.restoreFault || ""),
    me.paired ? h("p", { class: "note" }, t("keep_report_why"), " ", h("a", { href: "/api/report.zip", download: "" }, t("keep_report"))) : null,
  );
}

function link(href, key) {
  return h("a", { class: "button", href, download: "" }, t(key));
}

function restore(app) {
  return h(
    "div",
    { class: "option" },
    h("label", { for: "restore" }, t("keep_restore")),
    h("input", { id: "restore", type: "file", accept: ".zip,application/zip", disabled: Boolean(app.local.restoring), onchange: (event) => send(app, event.target) }),
  );
}

function send(app, input) {
  const file = input.files[0];
  const { local } = app;
  if (!file) return;
  Object.assign(local, { restoring: false, restored: "", restoreFault: "" });
  if (file.size > MOST_BYTES) {
    local.restoreFault = t("keep_too_large");
    app.draw();
    return;
  }
  local.restoring = true;
  app.draw();
  sendBackup(file).then(
    (done) => over(app, local, input, { restored: said(done) }),
    (fault) => over(app, local, input, { restoreFault: app.wordsOf(fault) }),
  );
}

function over(app, local, input, told) {
  Object.assign(local, { restoring: false }, told);
  input.value = "";
  app.draw();
}

function said(done) {
  return [count("keep_games", done.games), done.there ? count("keep_there", done.there) : "", done.decks ? count("keep_decks", done.decks) : "", done.settings ? t("keep_settings") : "", done.left_out].filter(Boolean).join(" ");
}
