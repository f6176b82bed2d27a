// Who else is told what happens at the table: a house with its lamps, and a club with its league.

import { h } from "./dom.js";
import { change, read } from "./server.js";
import { button } from "./parts.js";
import { count, t } from "./words.js";

const LOOK_MS = 2000;

// Only a paired device is told; where nothing can be told there is no box.
export function loadHouse(app) {
  const { local } = app;
  const look = () => {
    if (app.local !== local) return;
    const again = () => setTimeout(look, LOOK_MS);
    if (!app.me.paired) return void again();
    read("/api/house").then(
      (data) => {
        local.house = data;
        app.draw();
        again();
      },
      (fault) => (fault.status === 404 ? null : again()),
    );
  };
  look();
}

export function house(app) {
  const now = app.local.house;
  if (!now) return null;
  const typed = (app.local.typed = app.local.typed || {});
  const given = (name) => (name in typed ? typed[name] : now[name]);
  const text = (name, label, more) =>
    h("div", { class: "option", key: name }, h("label", { for: `house-${name}` }, label), h("input", Object.assign({ id: `house-${name}`, value: given(name) || "", oninput: (event) => note(name, event.target.value) }, more)));
  const note = (name, value) => {
    typed[name] = value;
  };
  const tick = (name, label) => h("label", { class: "tick", key: name }, h("input", { type: "checkbox", checked: Boolean(given(name)), onchange: (event) => settle(name, event.target.checked) }), h("span", {}, label));
  const settle = (name, value) => {
    note(name, value);
    app.draw();
  };
  return h(
    "section",
    { class: "card-box", key: "house", "aria-labelledby": "house-title" },
    h("h2", { id: "house-title" }, t("house")),
    h("p", { class: "note" }, t("house_why")),
    now.on ? h("p", { role: "status" }, now.text, now.waiting > 20 ? ` ${count("house_waiting", now.waiting)}` : "") : null,
    tick("on", t("house_on")),
    given("on")
      ? h(
          "form",
          { key: "broker", onsubmit: (event) => send(app, event) },
          text("name", t("house_name"), { maxlength: 60 }),
          text("host", t("house_host"), { autocapitalize: "none", spellcheck: false }),
          text("port", t("house_port"), { inputmode: "numeric", value: String(given("port")) }),
          text("user", t("house_user"), { autocapitalize: "none", autocomplete: "off" }),
          text("password", t(now.has_password ? "house_password_kept" : "house_password"), { type: "password", autocomplete: "new-password" }),
          tick("tls", t("house_tls")),
          given("tls") ? h("div", { class: "option", key: "ca" }, h("label", { for: "house-ca" }, t(now.has_ca ? "house_ca_kept" : "house_ca")), h("textarea", { id: "house-ca", rows: 3, spellcheck: false, value: typed.ca || "", oninput: (event) => note("ca", event.target.value) })) : null,
          tick("buttons", t("house_buttons")),
          h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, t("house_save"))),
        )
      : now.on
        ? button(t("house_save"), () => keep(app, { on: false }), { class: "main" })
        : null,
    now.on ? club(app, now, typed, text) : null,
  );
}

function club(app, now, typed, text) {
  if (now.club) return h("div", { key: "club" }, h("p", {}, t("club_in", { club: now.club })), h("div", { class: "row" }, button(t("club_leave"), () => keep(app, { leave: true }), { class: "quiet" })));
  return h("div", { key: "club" }, text("join", t("club_code"), { autocapitalize: "characters", maxlength: 14 }), h("div", { class: "row" }, button(t("club_join"), () => keep(app, { join: typed.join || "" }))));
}

function send(app, event) {
  event.preventDefault();
  const { join, ...rest } = app.local.typed;
  const data = Object.assign({}, rest, { on: true });
  if ("port" in data) data.port = Number(data.port) || 0;
  for (const secret of ["password", "ca"]) if (!data[secret]) delete data[secret];
  keep(app, data);
}

function keep(app, data) {
  app.run(
    () => change("/api/house", data),
    () => {
      app.local.typed = {};
      app.toasted(t("saved"));
      read("/api/house").then((found) => {
        app.local.house = found;
        app.draw();
      });
    },
  );
}
