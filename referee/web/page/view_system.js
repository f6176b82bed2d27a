// The machine: how it is, starting anew and switching off, players and unfinished games, the log.

import { h } from "./dom.js";
import { change, me } from "./server.js";
import { button, heading, icon, waitingFor } from "./parts.js";
import { forgetName } from "./view_start.js";
import { clock, count, day, has, t } from "./words.js";
import { whereabouts } from "./whereabouts.js";

const SIGNS = { ok: "yes", remark: "info", fault: "unclear" };

// Who this is may be known only after the view was opened.
function askOnce(app) {
  if (!me.paired || app.local.asking) return;
  app.local.asking = true;
  app.load("system", "/api/system");
}

export function draw(app) {
  askOnce(app);
  const { system } = app.local;
  const back = h("p", { class: "back", key: "back" }, h("a", { href: "#settings" }, icon("back"), t("nav_settings")));
  if (!me.paired) return [back, heading(t("nav_system")), h("section", { class: "card-box narrow" }, h("p", {}, t("system_pair")), button(t("pair_do"), () => app.run(async () => null), { class: "main" }))];
  if (!system || system.fault) return [back, heading(t("nav_system")), waitingFor(system)];
  return [
    back,
    heading(t("nav_system")),
    h(
      "div",
      { class: "columns" },
      h("div", { class: "column" }, machine(app, system), checks(system)),
      h("div", { class: "column" }, players(app, system), unfinished(app, system), log(system)),
    ),
  ];
}

// Each change is asked for twice; `asked` names the one that is asked for just now.
export function ask(app, what) {
  app.local.asked = what;
  app.draw();
}

function wish(app, body, text) {
  app.run(
    () => change("/api/system", body),
    (system) => {
      if (system.version) app.local.system = system;
      app.local.asked = null;
      app.toasted(text);
    },
  );
}

export function sure(app, text, yes, doIt) {
  return h(
    "div",
    { class: "row asked", key: "asked", role: "group", "aria-label": text },
    h("span", {}, text),
    button(yes, doIt, { class: "danger" }),
    button(t("cancel"), () => ask(app, null), { class: "quiet" }),
  );
}

function machine(app, system) {
  const { asked } = app.local;
  return h(
    "section",
    { class: "card-box", key: "machine" },
    h("h2", {}, `Ringmaster ${system.version}`),
    whereabouts(app),
    system.offers.map((what) =>
      asked === what
        ? sure(app, t(`${what}_sure`), t(`${what}_yes`), () => wish(app, { do: what }, t(`${what}_now`)))
        : h("div", { class: "row", key: what }, button(t(what), () => ask(app, what))),
    ),
  );
}

function checks(system) {
  const told = system.findings.filter((one) => one.state !== "skipped" && (one.message || has(`device_${one.check}`)));
  return h(
    "section",
    { class: "card-box", key: "checks", "aria-labelledby": "checks-title" },
    h("h2", { id: "checks-title" }, t("system_checks")),
    h(
      "ul",
      { class: "findings" },
      told.map((one, at) =>
        h("li", { key: `${one.check} ${at}`, class: one.state }, icon(SIGNS[one.state]), h("span", {}, one.message || t("device_works", { name: t(`device_${one.check}`) }), one.advice ? h("span", { class: "note" }, ` ${one.advice}`) : null)),
      ),
    ),
  );
}

function players(app, system) {
  if (!system.players.length) return null;
  return h(
    "section",
    { class: "card-box", key: "players", "aria-labelledby": "players-title" },
    h("h2", { id: "players-title" }, t("system_players")),
    h("p", { class: "note" }, t("system_players_more")),
    h("ul", { class: "tidy" }, system.players.map((one) => h("li", { key: one.name }, app.local.asked === `name ${one.name}` ? renaming(app, system, one) : player(app, one)))),
  );
}

function forget(app, name) {
  forgetName(name);
  wish(app, { do: "forget_player", name }, t("player_forgotten"));
}

function player(app, one) {
  const { name } = one;
  const rename = () => {
    app.local.name = name;
    ask(app, `name ${name}`);
  };
  return [
    h("span", { class: "what" }, h("strong", {}, name), h("span", { class: "note" }, count("games", one.games))),
    app.local.asked === `forget ${name}`
      ? sure(app, t("forget_player_sure", { name }), t("forget_player_yes"), () => forget(app, name))
      : h("span", { class: "row" }, button(t("forget_player"), () => ask(app, `forget ${name}`), { class: "quiet", "aria-label": t("forget_player_of", { name }) }), button(t("rename"), rename, { "aria-label": t("rename_of", { name }) })),
  ];
}

// A name that another one has makes both one: that is said before it is done.
function renaming(app, system, one) {
  const { local } = app;
  const name = local.name.trim();
  const other = name !== one.name && system.players.find((player_) => player_.name === name);
  const send = (event) => {
    event.preventDefault();
    if (name && name !== one.name) wish(app, { do: "rename", name: one.name, new: name }, t(other ? "merged_now" : "renamed_now", { name }));
  };
  return h(
    "form",
    { class: "renaming", onsubmit: send },
    h("label", { for: "new-name" }, t("rename_of", { name: one.name })),
    h("input", { id: "new-name", value: local.name, maxlength: 40, list: "known-names", autocomplete: "off", onmade: (field) => setTimeout(() => field.focus()), oninput: (event) => {
      local.name = event.target.value;
      app.draw();
    } }),
    h("datalist", { id: "known-names" }, system.players.map((player_) => h("option", { key: player_.name, value: player_.name }))),
    other ? h("p", { class: "note bad", role: "status" }, t("merge_sure", { one: one.name, other: other.name })) : null,
    h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: other ? "danger" : "main", disabled: !name || name === one.name }, t(other ? "merge_yes" : "rename_yes")),
      button(t("cancel"), () => ask(app, null), { class: "quiet" }),
    ),
  );
}

function unfinished(app, system) {
  if (!system.unfinished.length) return null;
  return h(
    "section",
    { class: "card-box", key: "unfinished", "aria-labelledby": "unfinished-title" },
    h("h2", { id: "unfinished-title" }, t("system_unfinished")),
    h(
      "ul",
      { class: "tidy" },
      system.unfinished.map((game) =>
        h(
          "li",
          { key: game.id },
          h("span", { class: "what" }, h("strong", {}, t(`game_${game.game}`)), h("span", { class: "note" }, `${day(game.started, { dateStyle: "medium" })}, ${clock(game.started)}: ${game.players.join(", ")}`)),
          app.local.asked === `game ${game.id}`
            ? sure(app, t("delete_game_sure"), t("delete_game_yes"), () => wish(app, { do: "forget_game", game: game.id }, t("game_deleted")))
            : button(t("delete_game"), () => ask(app, `game ${game.id}`)),
        ),
      ),
    ),
  );
}

function log(system) {
  return h(
    "details",
    { class: "card-box", key: "log" },
    h("summary", {}, t("system_log")),
    h("p", { class: "note" }, t("system_log_more")),
    h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": t("system_log") }, system.log.join("\n") || "–"),
  );
}
