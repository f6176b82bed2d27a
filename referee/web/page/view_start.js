// Draws the start of a game: the game, the players by seat, and the folded rules.

import { h } from "./dom.js";
import { canTeach } from "./decks.js";
import { keep, kept } from "./kept.js";
import { button, choices, drawing, fault, form, heading, maySee, note, select, sign, stepper, unfolded, waitingFor } from "./parts.js";
import { gameNamed } from "./games.js";
import { COLOURS } from "./readings.js";
import { count, t } from "./words.js";

const REMEMBERED = "ringmaster-start";
const EVERDECK = "everdeck";
let plan = remembered();

function remembered() {
  const before = kept(REMEMBERED);
  if (before && Array.isArray(before.players)) return { game: before.game || null, players: before.players, options: before.options || {} };
  return { game: null, players: ["", "", ""], options: {}, fresh: true };
}

// Remove a forgotten player from this browser's memory.
export function forgetName(name) {
  plan.players = plan.players.map((one) => (one === name ? "" : one));
  keep(REMEMBERED, plan);
}

export function opened(app) {
  const { players, game } = app.state.setup || {};
  // Without an earlier game, begin with the set-up's game and seats.
  if (plan.fresh && players) plan = { game: game || null, players: Array.from({ length: players }, () => ""), options: {} };
}

export function draw(app) {
  const games = app.loaded("games", `/api/games/${app.state.language}`);
  if (!games || games.fault) return [heading(t("start_game")), waitingFor(games)];
  const game = games.games.find((one) => one.id === plan.game) || games.games[0];
  plan.game = game.id;
  const { startCards } = gameNamed(game.id);
  const isOn = ["playing", "paused"].includes(app.state.mode);
  return form("start", () => begin(app, game),
    h("h1", { class: "sr", tabindex: "-1" }, t("start_game")),
    h("fieldset", { class: "games", key: "games" }, h("legend", {}, t("which_game")), games.games.map((one) => tile(app, one, one === game)), note(game.text)),
    players(app, game),
    startCards ? startCards(app, seats(game), coloursOf(app, game)) : null,
    rules(app, game),
    isOn ? h("p", { class: "note bad" }, t("ends_running_game")) : null,
    h("div", { class: "due", key: "due" }, fault(app.local.fault), button(t("start_now"), null, { type: "submit", class: "main big" })),
  );
}

function tile(app, game, isChosen) {
  const props = { type: "radio", name: "game", value: game.id, checked: isChosen, onchange: () => pick(app, { game: game.id, options: {} }), "aria-label": game.name };
  return h("label", { class: isChosen ? "game chosen" : "game", key: game.id }, h("input", props), drawing(game.id), h("strong", {}, game.name), h("span", { class: "note" }, t("players_range", { least: game.least, most: game.most })));
}

function pick(app, part) {
  Object.assign(plan, part);
  app.draw();
}

function seats(game) {
  const n = Math.min(game.most, Math.max(game.least, plan.players.length));
  return Array.from({ length: n }, (_none, seat) => plan.players[seat] || "");
}

function players(app, game) {
  const names = seats(game);
  const resize = (n) => pick(app, { players: Array.from({ length: n }, (_none, seat) => names[seat] || "") });
  const words = ["one_player_less", "one_player_more"];
  return h("fieldset", { key: "players" },
    h("legend", {}, t("who_plays")),
    h("div", { class: "row between" }, stepper(count("players", names.length), names.length, { least: game.least, most: game.most, words }, resize)),
    h("ol", { class: "names" }, names.map((name, seat) => nameField(app, names, name, seat))),
    suggestions(app, names),
    unfolded("seats", t("where_seats"), note(t("tap_seats")), tablePicture(app, names)),
  );
}

// Return the picture of the table with a button for each seat.
function tablePicture(app, names) {
  app.local.live = app.local.live || `/live.jpg?start=${Date.now()}`;
  const one = (name, seat) => {
    const [x, y] = placeOf(seat, names.length);
    return button(sign(seat), () => choose(app, seat), { key: seat, class: app.local.seat === seat ? "seat chosen" : "seat", place: { left: `${x}%`, top: `${y}%` }, "aria-label": name || t("seat", { n: seat + 1 }) });
  };
  return h("div", { class: "seats" }, h("div", { class: "picture" }, maySee(app) && h("img", { src: app.local.live, alt: t("live_alt"), onerror: (event) => event.target.classList.add("gone") })), names.map(one));
}

// Return a seat's place in percent: clockwise along the edge from the middle of the bottom, as the referee has it.
function placeOf(seat, n) {
  let way = (4 * seat) / n + 0.5;
  way -= 4 * Math.floor(way / 4);
  const side = Math.floor(way);
  const run = 12 + 76 * (way - side);
  const inside = Math.min(82, Math.max(18, run));
  return [[100 - inside, 82], [12, 100 - run], [inside, 18], [88, run]][side];
}

function choose(app, seat) {
  app.set({ seat });
  const field = document.getElementById(`name-${seat}`);
  field.focus();
  field.select();
}

function nameField(app, names, name, seat) {
  const props = { id: `name-${seat}`, value: name, maxlength: 24, autocomplete: "off", placeholder: t("seat", { n: seat + 1 }), oninput: (event) => rename(app, names, seat, event.target.value) };
  return h("li", { key: seat }, h("label", { for: `name-${seat}` }, sign(seat), h("span", { class: "sr" }, t("name_of_seat", { n: seat + 1 }))), h("input", Object.assign(props, { onfocus: () => Object.assign(app.local, { seat }) })));
}

function rename(app, names, seat, value) {
  pick(app, { players: names.map((name, at) => (at === seat ? value : name)) });
}

// Return buttons with the names of earlier players, or null.
function suggestions(app, names) {
  const { players: known = [] } = app.loaded("known", "/api/statistics") || {};
  const free = known.map((one) => one.name).filter((name) => !names.includes(name)).slice(0, 8);
  if (!free.length) return null;
  const fill = (name) => {
    const empty = names.findIndex((one) => !one.trim());
    const { seat } = app.local;
    const isFree = seat !== undefined && !(names[seat] || "").trim();
    rename(app, names, isFree ? seat : empty < 0 ? seat || 0 : empty, name);
  };
  return choices(t("played_before"), free.map((name) => ({ key: name, text: name, tap: () => fill(name), more: { class: "small" } })));
}

// Return the folded rules and decks; the fold's title names those that differ from the usual.
function rules(app, game) {
  const decks = decksOf(app, game);
  const chosen = deckOf(app, game);
  const named = (name) => (name === game.id ? t("own_deck") : name === EVERDECK ? t("everdeck") : name);
  const setDeck = (name) => app.set({ deck: Object.assign({}, app.local.deck, { [game.id]: name }) });
  const setOption = (option) => (value) => pick(app, { options: Object.assign({}, plan.options, { [option.name]: option.kind === "seat" ? Number(value) : value }) });
  const value = (option) => (plan.options[option.name] === undefined ? option.default : plan.options[option.name]);
  const texts = (option) => (option.kind === "seat" ? seats(game).map((name, seat) => [seat, name || t("seat", { n: seat + 1 })]) : option.choices.map((one) => [one.value, one.text]));
  const changed = game.options.filter((option) => String(value(option)) !== String(option.default)).map((option) => (texts(option).find(([one]) => String(one) === String(value(option))) || ["", ""])[1]);
  if (chosen && chosen !== game.id) changed.unshift(named(chosen));
  const title = `${changed.join(" · ") || t("usual_rules")} – ${t("change_rules")}`;
  return unfolded("rules", title, h("div", { class: "stack" },
    // Only another deck that fits the game makes this a choice.
    decks.length < 2 ? null : [h("h2", {}, t("which_deck")), choices(t("which_deck"), decks.map((name) => ({ key: name, on: name === chosen, text: named(name), tap: () => setDeck(name) })))],
    chosen === EVERDECK ? note(t("everdeck_rows")) : null,
    game.options.map((option) => select(`option-${option.name}`, option.text, texts(option), value(option), setOption(option))),
    note(t("usable_cards"), " ", canTeach(app) ? h("a", { href: "#teach" }, t("teach_yours")) : null),
  ));
}

function decksOf(app, game) {
  const { decks = {} } = app.loaded("decks", "/api/table/decks") || {};
  return decks[game.id] || [];
}

function deckOf(app, game) {
  const decks = decksOf(app, game);
  const chosen = (app.local.deck || {})[game.id];
  return decks.includes(chosen) ? chosen : decks[0];
}

function coloursOf(app, game) {
  const { colours = {} } = app.loaded("decks", "/api/table/decks") || {};
  return colours[deckOf(app, game)] || COLOURS;
}

function begin(app, game) {
  const names = seats(game).map((name, seat) => name.trim() || t("seat", { n: seat + 1 }));
  const { startCardsChosen } = gameNamed(game.id);
  const cards = startCardsChosen ? startCardsChosen(app, names.length, coloursOf(app, game)) : [];
  app.set({ fault: cards ? "" : t("start_cards_missing") });
  if (!cards) return;
  const fits = ({ name, kind }) => plan.options[name] !== undefined && (kind !== "seat" || plan.options[name] < names.length);
  const options = Object.fromEntries(game.options.filter(fits).map(({ name }) => [name, plan.options[name]]));
  if (cards.length) options.start_cards = cards;
  const deck = deckOf(app, game);
  if (deck && deck !== game.id) options.deck = deck;
  plan.players = seats(game);
  keep(REMEMBERED, plan);
  app.runTimely({ do: "start", game: game.id, players: names, options }, () => location.assign("#table"));
}
