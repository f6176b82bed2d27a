// Start a game: which, by which rules, and who sits where; a seat is named by tapping its place at the table.

import { h } from "./dom.js";
import { COLOURS } from "./by_hand.js";
import { canTeach } from "./decks.js";
import { button, heading, maySee, sign, waitingFor } from "./parts.js";
import { gameNamed } from "./games.js";
import { count, t } from "./words.js";

const REMEMBERED = "ringmaster-start";
const EVERDECK = "everdeck";
let plan = remembered();

function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(REMEMBERED));
    if (kept && Array.isArray(kept.players)) return { game: kept.game || null, players: kept.players, options: kept.options || {} };
  } catch (fault) {
    // What is kept in the browser is a convenience: without it one types once more.
  }
  return { game: null, players: ["", "", ""], options: {}, fresh: true };
}

// Who is forgotten is not offered by this browser either.
export function forgetName(name) {
  plan.players = plan.players.map((one) => (one === name ? "" : one));
  remember();
}

function remember() {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(plan));
  } catch (fault) {
    // A private window keeps nothing.
  }
}

export function opened(app) {
  const { players, game } = app.state.setup || {};
  // The first time as the table was set up.
  if (plan.fresh && players) plan = { game: game || null, players: Array.from({ length: players }, () => ""), options: {} };
  app.load("games", `/api/games/${app.state.language}`);
  app.load("known", "/api/statistics");
  app.load("decks", "/api/table/decks");
}

export function draw(app) {
  const { games } = app.local;
  if (!games || games.fault) return [heading(t("start_game")), waitingFor(games)];
  const game = games.games.find((one) => one.id === plan.game) || games.games[0];
  plan.game = game.id;
  const special = gameNamed(game.id);
  return [
    h("form", { class: "start", key: "start", onsubmit: (event) => begin(app, game, event) }, [
      heading(t("start_game")),
      chooseGame(app, games.games, game),
      chooseDeck(app, game),
      choosePlayers(app, game),
      special.startCards ? special.startCards(app, seats(game), coloursOf(app, game)) : null,
      chooseOptions(app, game),
      app.state.mode === "playing" || app.state.mode === "paused" ? h("p", { class: "note bad" }, t("ends_running_game")) : null,
      h("p", { class: "fault", role: "alert" }, app.local.fault || ""),
      h("div", { class: "row" }, h("button", { type: "submit", class: "main big" }, t("start_now")), h("a", { class: "button quiet", href: "#table" }, t("cancel"))),
    ]),
  ];
}

function chooseGame(app, games, chosen) {
  return h(
    "fieldset",
    { class: "games" },
    h("legend", {}, t("which_game")),
    h("p", { class: "note" }, t("usable_cards"), " ", canTeach(app) ? h("a", { href: "#teach" }, t("teach_yours")) : null),
    games.map((game) =>
      h(
        "label",
        { class: game === chosen ? "game chosen" : "game", key: game.id },
        h("input", { type: "radio", name: "game", value: game.id, checked: game === chosen, onchange: () => pick(app, { game: game.id, options: {} }) }),
        h("strong", {}, game.name),
        h("span", {}, game.text),
        h("span", { class: "note" }, t("players_range", { least: game.least, most: game.most })),
      ),
    ),
  );
}

// Which cards lie on the table: asked only where there are some beside the game's own that fit it.
function chooseDeck(app, game) {
  const decks = decksOf(app, game);
  if (decks.length < 2) return null;
  const chosen = deckOf(app, game);
  return h(
    "fieldset",
    { class: "decks", key: "decks" },
    h("legend", {}, t("which_deck")),
    h(
      "div",
      { class: "row choices" },
      decks.map((name) =>
        h("button", { type: "button", key: name, "aria-pressed": String(name === chosen), onclick: () => setDeck(app, game, name) }, name === game.id ? t("own_deck") : name === EVERDECK ? t("everdeck") : name),
      ),
    ),
    chosen === EVERDECK ? h("p", { class: "note" }, t("everdeck_rows")) : null,
  );
}

function decksOf(app, game) {
  return (app.local.decks && app.local.decks.decks && app.local.decks.decks[game.id]) || [];
}

function deckOf(app, game) {
  const decks = decksOf(app, game);
  const chosen = (app.local.deck || {})[game.id];
  return decks.includes(chosen) ? chosen : decks[0];
}

function coloursOf(app, game) {
  return ((app.local.decks && app.local.decks.colours) || {})[deckOf(app, game)] || COLOURS;
}

function setDeck(app, game, name) {
  app.local.deck = Object.assign({}, app.local.deck, { [game.id]: name });
  app.draw();
}

function pick(app, part) {
  Object.assign(plan, part);
  app.draw();
}

function seats(game) {
  const n = Math.min(game.most, Math.max(game.least, plan.players.length));
  return Array.from({ length: n }, (_none, seat) => plan.players[seat] || "");
}

function choosePlayers(app, game) {
  const names = seats(game);
  const resize = (n) => pick(app, { players: Array.from({ length: n }, (_none, seat) => names[seat] || "") });
  return h(
    "fieldset",
    {},
    h("legend", {}, t("who_plays")),
    h(
      "div",
      { class: "row" },
      button("−", () => resize(names.length - 1), { "aria-label": t("one_player_less"), disabled: names.length <= game.least, class: "step" }),
      h("span", { role: "status", class: "num" }, count("players", names.length)),
      button("+", () => resize(names.length + 1), { "aria-label": t("one_player_more"), disabled: names.length >= game.most, class: "step" }),
    ),
    h("p", { class: "note" }, t("tap_seats")),
    tablePicture(app, names),
    h("ol", { class: "names" }, names.map((name, seat) => nameField(app, names, name, seat))),
    suggestions(app, names),
  );
}

// Seats lie evenly round the table, the first at the bottom of the picture, clockwise.
function tablePicture(app, names) {
  return h(
    "div",
    { class: "seats" },
    maySee(app) && h("img", { src: app.local.live || live(app), alt: t("live_alt"), onerror: (event) => event.target.classList.add("gone") }),
    names.map((name, seat) => {
      const [x, y] = placeOf(seat, names.length);
      const props = {
        type: "button",
        key: seat,
        class: app.local.seat === seat ? "seat chosen" : "seat",
        place: { left: `${x}%`, top: `${y}%` },
        onclick: () => choose(app, seat),
      };
      return h("button", props, sign(seat), h("span", { class: "name" }, name || t("seat", { n: seat + 1 })));
    }),
  );
}

function live(app) {
  app.local.live = `/live.jpg?start=${Date.now()}`;
  return app.local.live;
}

// Walk the edge of the picture clockwise from the middle of its bottom, as the referee does.
function placeOf(seat, n) {
  let way = (4 * seat) / n + 0.5;
  way -= 4 * Math.floor(way / 4);
  const side = Math.floor(way);
  const along = way - side;
  const near = 12;
  const far = 88;
  const run = near + (far - near) * along;
  const inside = Math.min(82, Math.max(18, run));
  if (side === 0) return [100 - inside, far];
  if (side === 1) return [near + 8, 100 - run];
  if (side === 2) return [inside, near];
  return [far - 8, run];
}

function choose(app, seat) {
  app.local.seat = seat;
  app.draw();
  const field = document.getElementById(`name-${seat}`);
  field.focus();
  field.select();
}

function nameField(app, names, name, seat) {
  return h(
    "li",
    { key: seat },
    h("label", { for: `name-${seat}` }, sign(seat), h("span", { class: "sr" }, t("name_of_seat", { n: seat + 1 }))),
    h("input", {
      id: `name-${seat}`,
      value: name,
      maxlength: 24,
      autocomplete: "off",
      placeholder: t("seat", { n: seat + 1 }),
      oninput: (event) => rename(app, names, seat, event.target.value),
      onfocus: () => {
        app.local.seat = seat;
      },
    }),
  );
}

function rename(app, names, seat, value) {
  const players = names.slice();
  players[seat] = value;
  pick(app, { players });
}

// People who have played before need no typing.
function suggestions(app, names) {
  const known = app.local.known && app.local.known.players ? app.local.known.players.map((one) => one.name) : [];
  const free = known.filter((name) => !names.includes(name)).slice(0, 12);
  if (!free.length) return null;
  return h(
    "div",
    { class: "row", role: "group", "aria-label": t("played_before") },
    h("span", { class: "note" }, t("played_before")),
    free.map((name) => button(name, () => fill(app, names, name), { key: name, class: "small" })),
  );
}

function fill(app, names, name) {
  const empty = names.findIndex((one) => !one.trim());
  const seat = app.local.seat !== undefined && !(names[app.local.seat] || "").trim() ? app.local.seat : empty;
  rename(app, names, seat < 0 ? app.local.seat || 0 : seat, name);
}

function chooseOptions(app, game) {
  if (!game.options.length) return null;
  return h(
    "fieldset",
    {},
    h("legend", {}, t("by_which_rules")),
    game.options.map((option) =>
      h(
        "div",
        { class: "option", key: option.name },
        h("label", { for: `option-${option.name}` }, option.text),
        h(
          "select",
          {
            id: `option-${option.name}`,
            onchange: (event) => setOption(app, option, event.target.value),
          },
          choices(game, option).map((choice) =>
            h("option", { value: String(choice.value), key: String(choice.value), selected: String(choice.value) === String(optionValue(option)) }, choice.text),
          ),
        ),
      ),
    ),
  );
}

function choices(game, option) {
  if (option.kind !== "seat") return option.choices;
  return seats(game).map((name, seat) => ({ value: seat, text: name || t("seat", { n: seat + 1 }) }));
}

function optionValue(option) {
  return plan.options[option.name] === undefined ? option.default : plan.options[option.name];
}

function setOption(app, option, value) {
  const chosen = option.kind === "seat" ? Number(value) : value;
  pick(app, { options: Object.assign({}, plan.options, { [option.name]: chosen }) });
}

function begin(app, game, event) {
  event.preventDefault();
  const players = seats(game).map((name, seat) => name.trim() || t("seat", { n: seat + 1 }));
  const { startCardsTold } = gameNamed(game.id);
  const cards = startCardsTold ? startCardsTold(app, players.length, coloursOf(app, game)) : [];
  if (!cards) {
    app.local.fault = t("start_cards_missing");
    app.draw();
    return;
  }
  app.local.fault = "";
  const known = new Set(game.options.map((option) => option.name));
  const options = {};
  for (const [name, value] of Object.entries(plan.options)) if (known.has(name)) options[name] = value;
  for (const option of game.options) if (option.kind === "seat" && options[option.name] >= players.length) delete options[option.name];
  if (cards.length) options.start_cards = cards;
  const deck = deckOf(app, game);
  if (deck && deck !== game.id) options.deck = deck;
  plan.players = seats(game);
  remember();
  app.runTimely({ do: "start", game: game.id, players, options }, () => app.go("#table"));
}
