// Draws the system: checks, restart and shutdown, players, unfinished games, the log.

import { h } from "./dom.js";
import { me } from "./server.js";
import { backTo, box, button, columns, confirmed, field, form, heading, icon, note, pairHere, row, unfolded, waitingFor, whereabouts } from "./parts.js";
import { forgetName } from "./view_start.js";
import { clock, count, day, has, t } from "./words.js";

const OFFERS = ["restart", "reboot", "shut_down"];
const SIGNS = { ok: "yes", remark: "info", fault: "unclear" };

export function draw(app) {
  const head = [backTo("#settings", t("nav_settings")), heading(t("nav_system"))];
  if (!me.paired) return [...head, h("section", { class: "card-box narrow" }, h("p", {}, t("system_pair")), pairHere(app))];
  const system = app.loaded("system", "/api/system");
  if (!system || system.fault) return [...head, waitingFor(system)];
  return [...head, columns([machine(app, system), checks(system)], [players(app, system), unfinished(app, system), log(system)])];
}

function wish(app, body, text) {
  app.change("/api/system", body, (system) => {
    if (system.version) app.local.system = system;
    app.local.asked = null;
    app.toasted(text);
  });
}

function machine(app, system) {
  const offer = (what) => row(confirmed(app, what, t(`${what}_sure`), t(`${what}_yes`), () => wish(app, { do: what }, t(`${what}_now`)), t(what)));
  return box("machine", `Ringmaster ${system.version}`, whereabouts(app), OFFERS.filter((what) => system.offers.includes(what)).map(offer));
}

function checks(system) {
  const findings = system.findings.filter((one) => one.state !== "skipped" && (one.message || has(`device_${one.check}`)));
  const one = (found, at) => h("li", { key: `${found.check} ${at}`, class: found.state }, icon(SIGNS[found.state]), h("span", {}, found.message || t("device_works", { name: t(`device_${found.check}`) }), found.advice ? h("span", { class: "note" }, ` ${found.advice}`) : null));
  return box("checks", t("system_checks"), h("ul", { class: "findings" }, findings.map(one)));
}

function players(app, system) {
  if (!system.players.length) return null;
  const one = (player) => h("li", { key: player.name }, app.local.renamed === player.name ? renaming(app, system, player) : playerLine(app, player));
  return box("players", t("system_players"), note(t("system_players_more")), h("ul", { class: "tidy lined" }, system.players.map(one)));
}

function playerLine(app, { name, games }) {
  const rename = () => app.set({ renamed: name, name, asked: null });
  const forget = () => {
    forgetName(name);
    wish(app, { do: "forget_player", name }, t("player_forgotten"));
  };
  return [
    h("span", { class: "what" }, h("strong", {}, name), h("span", { class: "note" }, count("games", games))),
    confirmed(app, `forget ${name}`, t("forget_player_sure", { name }), t("forget_player_yes"), forget, [h("span", { "aria-hidden": "true" }, t("forget_player")), h("span", { class: "sr" }, t("forget_player_of", { name }))]),
    app.local.asked === `forget ${name}` ? null : button(t("rename"), rename, { "aria-label": t("rename_of", { name }) }),
  ];
}

// Return the form that renames a player; another player's name merges both, after a warning.
function renaming(app, system, one) {
  const { local } = app;
  const name = local.name.trim();
  const other = name !== one.name && system.players.find((player) => player.name === name);
  const same = !name || name === one.name;
  const send = () => {
    if (!same) wish(app, { do: "rename", name: one.name, new: name }, t(other ? "merged_now" : "renamed_now", { name }));
    local.renamed = null;
  };
  return form("renaming", send,
    field("new-name", t("rename_of", { name: one.name }), local.name, (value) => app.set({ name: value }), { maxlength: 40, list: "known-names", autocomplete: "off", onmade: (input) => setTimeout(() => input.focus()) }),
    h("datalist", { id: "known-names" }, system.players.map((player) => h("option", { key: player.name, value: player.name }))),
    other ? h("p", { class: "note bad", role: "status" }, t("merge_sure", { one: one.name, other: other.name })) : null,
    row(button(t(other ? "merge_yes" : "rename_yes"), null, { type: "submit", class: other ? "danger" : "main", disabled: same }), button(t("cancel"), () => app.set({ renamed: null }), { class: "quiet" })),
  );
}

function unfinished(app, system) {
  if (!system.unfinished.length) return null;
  const what = (game) => h("span", { class: "what" }, h("strong", {}, t(`game_${game.game}`)), h("span", { class: "note" }, `${day(game.started, { dateStyle: "medium" })}, ${clock(game.started)}: ${game.players.join(", ")}`));
  const remove = (game) => confirmed(app, `game ${game.id}`, t("delete_game_sure"), t("delete_game_yes"), () => wish(app, { do: "forget_game", game: game.id }, t("game_deleted")), t("delete_game"));
  const one = (game) => h("li", { key: game.id }, what(game), remove(game));
  return box("unfinished", t("system_unfinished"), h("ul", { class: "tidy lined" }, system.unfinished.map(one)));
}

function log(system) {
  return unfolded("log", t("system_log"), note(t("system_log_more")), h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": t("system_log") }, system.log.join("\n") || "–"));
}
