// Draws the club’s page: all tables at a glance, evenings, games, players and the league.

import { h, patch } from "/page/dom.js";
import { clock, day, learn, number, t } from "/page/words.js";

const VIEWS = ["tables", "evenings", "league", "players", "disputes", "files"];
const EXPORTS = ["tables", "games", "players", "league", "rulings", "disputes"];
const LOOK_MS = 2000;
const LIMIT_MS = 7000;
const language = ["en", "de", "fr"].find((code) => navigator.language.toLowerCase().startsWith(code)) || "en";
const now = { club: null, view: "tables", data: null, evening: null, lost: false, code: null, pictures: {} };

async function ask(path, method) {
  const response = await fetch(path, { method: method || "GET", headers: { Accept: "application/json" }, signal: AbortSignal.timeout(LIMIT_MS) });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

async function look() {
  try {
    now.club = await ask(`/api/club/${language}`);
    now.lost = false;
  } catch {
    now.lost = true;
  }
  draw();
  setTimeout(look, document.hidden ? 5 * LOOK_MS : LOOK_MS);
}

async function open() {
  const [view, evening] = location.hash.slice(1).split("/");
  now.view = VIEWS.includes(view) ? view : "tables";
  now.evening = evening || null;
  now.data = null;
  draw();
  const path = {
    evenings: evening ? `/api/games?evening=${evening}` : "/api/evenings",
    league: "/api/league",
    players: "/api/players",
    disputes: `/api/disputes/${language}`,
  }[now.view];
  if (!path) return;
  const wanted = location.hash;
  const data = await ask(path).catch(() => null);
  if (location.hash === wanted) {
    now.data = data;
    draw();
  }
}

function draw() {
  const { club } = now;
  if (!club) return;
  document.title = club.name;
  document.body.classList.toggle("old", now.lost);
  const content = { tables, evenings, league, players, disputes, files }[now.view]();
  const page = h(
    "div",
    { class: "club" },
    now.lost ? h("p", { class: "no-line", role: "alert" }, t("no_line")) : null,
    h("h1", {}, club.name),
    club.line ? h("p", { class: "note bad", role: "status" }, t("broker", { text: club.line })) : null,
    club.failed ? h("p", { class: "note bad", role: "status" }, t("failed", { part: club.failed })) : null,
    club.set_aside ? h("p", { class: "note", role: "status" }, t("set_aside", { n: club.set_aside })) : null,
    club.written ? null : h("p", { class: "note bad", role: "status" }, t("not_written")),
    h("nav", {}, VIEWS.map((view) => h("a", { href: `#${view}`, key: view, "aria-current": view === now.view ? "page" : null }, t(view)))),
    h("main", { key: now.view }, content),
  );
  patch(document.getElementById("page"), [page]);
}

function tables() {
  const { club } = now;
  return [
    club.tables.length ? null : h("p", {}, t("no_tables")),
    h("ul", { class: "tables" }, club.tables.map(table)),
    club.may_change
      ? h(
          "div",
          { class: "row" },
          now.code ? h("p", {}, t("code_is"), " ", h("strong", { class: "code" }, now.code)) : h("button", { type: "button", class: "main", onclick: inviteOne }, t("invite")),
        )
      : null,
  ];
}

function table(one) {
  const ill = one.online && (one.troubles || []).length > 0;
  const scores = (one.players || []).map((name, seat) => (one.scores[seat] === null || one.scores[seat] === undefined ? name : `${name} ${one.scores[seat]}`));
  const playing = one.online && one.mode && one.mode !== "idle";
  return h(
    "li",
    { key: one.id, class: `card-box ${one.online ? "" : "is-away"} ${ill ? "is-ill" : ""}` },
    h("h2", {}, one.name),
    one.online
      ? h("p", {}, [one.game ? capital(one.game) : null, t(`mode_${one.mode || "idle"}`)].filter(Boolean).join(" · "))
      : h("p", {}, `${t("offline")}, ${one.seen ? t("since", { when: `${day(one.seen, { dateStyle: "short" })} ${clock(one.seen)}` }) : t("never")}`),
    playing ? h("p", {}, scores.join(" · ")) : null,
    playing && one.ruling ? h("p", { class: "note" }, one.ruling) : null,
    ill ? h("p", { class: "note bad" }, t("trouble", { what: one.troubles.join(", ") })) : null,
    now.club.may_change ? h("div", {}, h("button", { type: "button", class: "quiet", onclick: () => putOut(one) }, t("put_out"))) : null,
  );
}

async function inviteOne() {
  now.code = (await ask("/api/invite", "POST")).code;
  draw();
}

async function putOut(one) {
  if (!confirm(t("sure", { name: one.name }))) return;
  await ask(`/api/out/${one.id}`, "POST");
  now.club = await ask(`/api/club/${language}`);
  draw();
}

function grid(heads, rows) {
  if (!now.data) return h("p", {}, "…");
  if (!rows.length) return h("p", {}, t("nothing"));
  const cell = (tag, value) => h(tag, { class: typeof value === "number" ? "n" : null }, typeof value === "number" ? number(value, 2) : value);
  return h(
    "div",
    { class: "wide card-box" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", key: head, class: rows[0] && typeof rows[0][at] === "number" ? "n" : null }, t(head))))),
      h("tbody", {}, rows.map((row, at) => h("tr", { key: String(at) }, row.map((value) => (value && value.tag ? h("td", {}, value) : cell("td", value)))))),
    ),
  );
}

function evenings() {
  const data = now.data || {};
  if (now.evening) {
    return [
      h("h2", {}, day(now.evening)),
      grid(["when", "table", "game", "result"], (data.games || []).map((one) => [clock(one.started), one.table, capital(one.kind), placed(one.seats)])),
    ];
  }
  const link = (evening) => h("a", { href: `#evenings/${evening}` }, day(evening));
  return grid(["evening", "games", "finished", "tables", "players"], (data.evenings || []).map((one) => [link(one.evening), one.games, one.finished, one.tables, one.players]));
}

function placed(seats) {
  const order = [...seats].sort((a, b) => (a.place || 99) - (b.place || 99));
  return order.map((seat) => `${seat.place ? `${seat.place}. ` : ""}${seat.name}${seat.points === null ? "" : ` (${seat.points})`}`).join(", ");
}

function league() {
  const rows = (now.data || {}).league || [];
  const names = rows.map((one) => one.player);
  return [
    grid(["player", "games", "wins", "points", "elo"], rows.map((one) => [one.player, one.games, one.wins, one.points, one.elo])),
    rows.length
      ? h(
          "div",
          { class: "wide card-box" },
          h("h2", {}, t("against")),
          h(
            "table",
            {},
            h("thead", {}, h("tr", {}, h("th", {}), names.map((name) => h("th", { scope: "col", key: name }, name)))),
            h("tbody", {}, rows.map((one) => h("tr", { key: one.player }, h("th", { scope: "row" }, one.player), names.map((name) => h("td", { key: name }, (one.against[name] || []).join(" – ")))))),
          ),
        )
      : null,
  ];
}

function players() {
  return grid(["player", "games", "tables", "last"], ((now.data || {}).players || []).map((one) => [one.player, one.games, one.tables, day(one.last, { dateStyle: "medium" })]));
}

function disputes() {
  const rows = (now.data || {}).disputes || [];
  return grid(["when", "table", "what"], rows.map((one) => [`${day(one.at, { dateStyle: "short" })} ${clock(one.at)}`, one.table, dispute(one)]));
}

function dispute(one) {
  const key = `${one.game}/${one.event}`;
  const found = now.pictures[key];
  return h(
    "div",
    {},
    h("p", {}, one.text || "–"),
    one.before && one.before !== one.text ? h("p", { class: "note" }, t("before", { text: one.before })) : null,
    found === undefined ? h("button", { type: "button", onclick: () => fetchPictures(one, key) }, t("show")) : null,
    typeof found === "string" ? h("p", { role: "status" }, t(found)) : null,
    Array.isArray(found) ? h("div", { class: "pictures" }, found.map((src) => h("img", { src, alt: one.text, key: src, loading: "lazy" }))) : null,
  );
}

async function fetchPictures(one, key) {
  now.pictures[key] = "fetching";
  draw();
  try {
    const answer = await ask(`/api/evidence/${one.table_id}/${one.game}/${one.event}`);
    now.pictures[key] = answer.times_ms.length ? answer.times_ms.map((_, at) => `/evidence/${answer.ask}/${at}.jpg`) : "no_pictures";
  } catch {
    now.pictures[key] = "away";
  }
  draw();
}

function files() {
  return h("ul", { class: "card-box" }, EXPORTS.map((what) => h("li", { key: what }, `${t(what)}: `, ["csv", "json"].map((kind) => [h("a", { key: kind, href: `/api/export/${language}/${what}.${kind}` }, kind.toUpperCase()), " "]))));
}

function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

window.addEventListener("hashchange", open);
learn(language).then(() => {
  open();
  look();
});
