// Draws the settings of the house's MQTT broker and of the club.

import { h } from "./dom.js";
import { again, read } from "./server.js";
import { box, button, field, form, note, row, tick } from "./parts.js";
import { count, t } from "./words.js";

const LOOK_MS = 2000;

// Load the house every LOOK_MS on a paired device; a table without MQTT answers 404.
export function loadHouse(app) {
  again(app, LOOK_MS, () => (app.me.paired ? read("/api/house").then((house_) => ({ house: house_ }), (fault) => fault.status !== 404 && null) : Promise.resolve(null)));
}

export function house(app) {
  const now = app.local.house;
  if (!now) return null;
  const typed = (app.local.typed = app.local.typed || {});
  const given = (name) => (name in typed ? typed[name] : now[name]);
  const text = (name, label, more) => field(`house-${name}`, label, String(given(name) || ""), (value) => Object.assign(typed, { [name]: value }), more);
  const ticked = (name, label) => tick(label, given(name), (on) => app.set({ typed: Object.assign(typed, { [name]: on }) }), { key: name });
  const pem = h("div", { class: "option", key: "ca" }, h("label", { for: "house-ca" }, t(now.has_ca ? "house_ca_kept" : "house_ca")), h("textarea", { id: "house-ca", rows: 3, spellcheck: false, value: typed.ca || "", oninput: (event) => Object.assign(typed, { ca: event.target.value }) }));
  const broker = () => form("stack", () => send(app),
    text("name", t("house_name"), { maxlength: 60 }),
    text("host", t("house_host"), { autocapitalize: "none", spellcheck: false }),
    text("port", t("house_port"), { inputmode: "numeric" }),
    text("user", t("house_user"), { autocapitalize: "none", autocomplete: "off" }),
    text("password", t(now.has_password ? "house_password_kept" : "house_password"), { type: "password", autocomplete: "new-password" }),
    ticked("tls", t("house_tls")),
    given("tls") ? pem : null,
    ticked("buttons", t("house_buttons")),
    row(button(t("house_save"), null, { type: "submit", class: "main" })),
  );
  return box("house", t("house"),
    note(t("house_why")),
    now.on ? h("p", { role: "status" }, now.text, now.waiting > 20 ? ` ${count("house_waiting", now.waiting)}` : "") : null,
    ticked("on", t("house_on")),
    given("on") ? broker() : now.on ? button(t("house_save"), () => keep(app, { on: false }), { class: "main" }) : null,
    now.on ? h("div", { key: "club", class: "stack" }, club(app, now, typed, text)) : null,
  );
}

function club(app, now, typed, text) {
  if (now.club) return [h("p", {}, t("club_in", { club: now.club })), row(button(t("club_leave"), () => keep(app, { leave: true }), { class: "quiet" }))];
  return [text("join", t("club_code"), { autocapitalize: "characters", maxlength: 14 }), row(button(t("club_join"), () => keep(app, { join: typed.join || "" })))];
}

function send(app) {
  const data = Object.assign({}, app.local.typed, { on: true });
  delete data.join;
  if ("port" in data) data.port = Number(data.port) || 0;
  for (const secret of ["password", "ca"]) if (!data[secret]) delete data[secret];
  keep(app, data);
}

function keep(app, data) {
  app.change("/api/house", data, (house_) => {
    app.set({ typed: {}, house: house_ });
    app.toasted(t("saved"));
  });
}
