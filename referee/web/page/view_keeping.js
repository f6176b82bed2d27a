// Back up all games, decks and settings as one file, take them back, and the report for who is to find a fault.

import { h } from "./dom.js";
import { me, send } from "./server.js";
import { box, note, row } from "./parts.js";
import { count, t } from "./words.js";

const MOST_BYTES = 192 * 1024 * 1024;

export function keeping(app) {
  const { local } = app;
  const link = (href, key) => h("a", { class: "button", href, download: "" }, t(key));
  const file = h("input", { id: "restore", type: "file", accept: ".zip,application/zip", disabled: Boolean(local.restoring), onchange: (event) => restore(app, event.target) });
  return box(
    "keeping",
    t("keeping"),
    note(t("keep_why")),
    me.paired ? [row(link("/api/backup.zip", "keep_all"), link("/api/backup.zip?pictures=false", "keep_small")), h("div", { class: "option" }, h("label", { for: "restore" }, t("keep_restore")), file)] : note(t("keep_pair")),
    h("p", { role: "status" }, local.restoring ? t("one_moment") : local.restored || ""),
    h("p", { class: "fault", role: "alert" }, local.restoreFault || ""),
    me.paired ? note(t("keep_report_why"), " ", h("a", { href: "/api/report.zip", download: "" }, t("keep_report"))) : null,
  );
}

function restore(app, input) {
  const file = input.files[0];
  const { local } = app;
  if (!file) return;
  const show = (part) => {
    Object.assign(local, { restoring: false, restored: "", restoreFault: "" }, part);
    app.draw();
  };
  const over = (part) => {
    input.value = "";
    show(part);
  };
  if (file.size > MOST_BYTES) {
    show({ restoreFault: t("keep_too_large") });
    return;
  }
  show({ restoring: true });
  send("/api/restore", file).then((done) => over({ restored: said(done) }), (fault) => over({ restoreFault: app.wordsOf(fault) }));
}

function said(done) {
  return [count("keep_games", done.games), done.there ? count("keep_there", done.there) : "", done.decks ? count("keep_decks", done.decks) : "", done.settings ? t("keep_settings") : "", done.left_out].filter(Boolean).join(" ");
}
