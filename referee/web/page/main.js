// Starts the page: receives the state, draws the view in the address, carries out commands.

import { h, patch } from "./dom.js";
import { askForCode, change, learnWhoIAm, me, pair, read, Refused } from "./server.js";
import { follow, leads, SILENT_MS } from "./line.js";
import { learn, t } from "./words.js";
import { frame } from "./frame.js";
import { speakNew, speaksHere, touched } from "./speech.js";
import { waitingVerdict } from "./headline.js";

// A view's module is loaded when it is opened first, or after the first view is drawn.
const VIEWS = ["table", "tv", "bell", "start", "ruling", "history", "figures", "settings", "picture", "sheet", "setup", "marker", "system", "teach"];
const drawn = {};

// All that views draw from. `local` belongs to the open view, and is replaced when another opens.
const app = {
  state: null,
  takenAt: 0,
  heardAt: performance.now(),
  chosen: null, // the language of this page, until it may set the table's
  broken: false,
  me,
  route: { view: "table", id: "", card: "" },
  local: {},
  before: {}, // points by seat before their last change, for NEW_MS
  endedAt: -Infinity, // when this page saw the game end
  toast: null,
  pending: null,
  draw,
  set: (part) => {
    Object.assign(app.local, part);
    draw();
  },
  run,
  runTimely,
  // Carry out a change that is no command of the table.
  change: (path, body, done) => run(() => change(path, body), done),
  saveSettings: (part) => run({ do: "settings", ...part }, () => toast(t("saved"))),
  load,
  loaded,
  toasted: toast,
  wordsOf,
  // Seconds since the last message of the server; null while it is connected.
  silentS: () => {
    const ms = performance.now() - app.heardAt;
    return app.broken || ms >= SILENT_MS ? Math.floor(ms / 1000) : null;
  },
  nowNs: () => (app.state ? app.state.t_ns + (performance.now() - app.takenAt) * 1e6 : 0),
  // Choose this page's language; `setLanguage` sets the table's once this device is paired.
  speakIn: (code) => {
    app.chosen = code;
    speak().then(setLanguage);
  },
};

// A tap refers to the state of 400 ms ago: people cannot react faster.
const REACTION_MS = 400;
const AGAIN_MS = 1000;
const NEW_MS = 20_000;
const LATER_MS = 1500;
const TOGETHER_MS = 1500;
const TOAST_MS = 8000;

// The table's language is unknown before the first state.
const UNHEARD = "Ringmaster: no connection · keine Verbindung · pas de connexion";

let language = null;
let worded = false;
let said = null;
let previous = { moment: null, until: 0 };
let changedAt = 0;
let toastTimer = null;

function draw() {
  const page = document.getElementById("page");
  const view = app.pending ? drawn.pair : drawn[app.route.view];
  // Without words the page would show their keys.
  if (!app.state || !worded) {
    patch(page, [h("p", { class: "waiting" }, app.silentS() === null ? "Ringmaster…" : UNHEARD)]);
    return;
  }
  for (const name of ["tv", "bell"]) document.body.classList.toggle(name, app.route.view === name && !app.pending);
  document.body.classList.toggle("old", app.silentS() !== null);
  document.title = `${t("nav_" + app.route.view)} – Ringmaster`;
  const content = view ? view.draw(app) : [h("h1", { tabindex: "-1" }, t("nav_" + app.route.view)), h("p", { class: "note" }, t("one_moment"))];
  patch(page, h("div", {}, frame(app, content)).children);
}

// Merge changed parts of the state, announce what is new, and draw.
async function take(parts) {
  const last = app.state;
  if (last && parts.moment !== undefined && parts.moment !== last.moment) previous = { moment: last.moment, until: performance.now() + REACTION_MS };
  app.state = Object.assign({}, last, parts);
  app.takenAt = performance.now();
  if (last) notePoints(last);
  await speak();
  if (last && last.pairing !== app.state.pairing) learnWhoIAm().then(draw, () => null);
  // Screen readers get each verdict once.
  const latest = waitingVerdict(app) || app.state.latest;
  const text = latest ? latest.text : "";
  if (said !== null && text !== said) document.getElementById("said").textContent = text;
  said = text;
  speakNew(app, leads());
  draw();
}

// Note in `app.before` the points before a change, until the next change or for NEW_MS.
function notePoints(last) {
  const { board, game } = app.state;
  const same = last.game && game && last.game.id === game.id;
  if (same && app.state.mode === "over" && last.mode !== "over") app.endedAt = performance.now();
  const changed = same ? board.filter((one) => last.board[one.seat] && last.board[one.seat].points !== one.points) : [];
  const ago = performance.now() - changedAt;
  // Points of one count change within TOGETHER_MS.
  if (!same || ago > (changed.length ? TOGETHER_MS : NEW_MS)) app.before = {};
  for (const { seat } of changed) if (!(seat in app.before)) app.before[seat] = last.board[seat].points;
  if (changed.length) changedAt = performance.now();
}

// Load the words of the state's language; retry after a failure.
async function speak() {
  const before = language;
  if (app.chosen === app.state.language) app.chosen = null;
  language = app.chosen || app.state.language;
  if (language === before) return;
  try {
    await learn(language);
  } catch {
    language = before;
    setTimeout(speak, AGAIN_MS);
    return;
  }
  worded = true;
  app.local = {};
  // A new machine opens the set-up, unless the address names a view.
  if (before === null && app.state.setup && app.state.setup.due && !location.hash) location.hash = "setup";
  await open();
}

function setLanguage() {
  if (me.paired && app.chosen) change("/api/do", { do: "settings", language: app.chosen }).catch(() => null);
}

async function fetched(view) {
  if (!drawn[view]) drawn[view] = await import(`./view_${view}.js`);
}

// Open the view that the address names.
async function open() {
  const [view, id, card] = location.hash.slice(1).split("/");
  const code = /^pair=(\d{6})$/.exec(view);
  if (code) {
    // The code is valid once: remove it from the browser's history.
    window.history.replaceState(null, "", "/");
    pair(code[1]).then((key) => toast(t(key)), (fault) => toast(wordsOf(fault), true));
  }
  const route = { view: VIEWS.includes(view) ? view : "table", id: decodeURIComponent(id || ""), card: decodeURIComponent(card || "") };
  app.route = route;
  app.local = {};
  app.toast = null;
  try {
    await fetched(route.view);
  } catch {
    setTimeout(() => app.route === route && open(), AGAIN_MS);
    return;
  }
  if (app.route !== route || !worded) return;
  if (drawn[route.view].opened) drawn[route.view].opened(app);
  draw();
  const heading = document.querySelector("main h1");
  if (heading && app.moved) heading.focus({ preventScroll: true });
  if (app.moved) window.scrollTo(0, 0);
  if (!app.moved) setTimeout(fetchOthers, LATER_MS);
  app.moved = true;
}

// Load all other views, so that they open without network.
async function fetchOthers() {
  for (const view of [...VIEWS, "pair"]) await fetched(view).catch(() => null);
}

function wordsOf(fault) {
  if (!(fault instanceof Refused)) throw fault;
  return fault.key && t("fault_" + fault.key) !== "fault_" + fault.key ? t("fault_" + fault.key, fault.values) : fault.message;
}

function toast(text, isFault, undo) {
  app.toast = { text, isFault: Boolean(isFault), undo: Boolean(undo) };
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    app.toast = null;
    draw();
  }, TOAST_MS);
  draw();
}

// Carry out a command; a device that is not paired enters the code first, then the command continues.
async function run(command, done) {
  const work = typeof command === "function" ? command : () => change("/api/do", command);
  if (!me.paired) {
    app.pending = { work, done };
    await Promise.all([learnWhoIAm(), fetched("pair")]).catch(() => null);
    if (!me.paired) {
      askForCode().then(draw, draw);
      draw();
      const field = document.querySelector("#code");
      if (field) field.focus();
      return;
    }
    app.pending = null;
  }
  setLanguage();
  try {
    const result = await work();
    if (done) done(result);
    draw();
  } catch (fault) {
    if (fault.status === 401) {
      me.paired = false;
      run(command, done);
      return;
    }
    toast(wordsOf(fault), true);
  }
}

// Carry out a command that the server refuses if the state has changed since the user saw it.
function runTimely(command, done) {
  const moment = performance.now() < previous.until ? previous.moment : app.state.moment;
  return run(Object.assign({ moment }, command), done);
}

// Load data into `app.local[name]`: undefined until it arrives, { fault } after a failure.
function load(name, path) {
  const { local } = app;
  const keep = (data) => Object.assign(local, { [name]: data });
  read(path).catch((fault) => ({ fault: wordsOf(fault) })).then(keep).then(draw);
}

// Return data for the open view, as `load` has it; the first call loads it.
function loaded(name, path) {
  if (!(name in app.local)) {
    app.local[name] = undefined;
    load(name, path);
  }
  return app.local[name];
}

window.addEventListener("hashchange", () => {
  app.pending = null;
  open();
});
for (const touch of ["pointerup", "keydown"]) window.addEventListener(touch, () => touched(app));
// Draw every second: clocks advance, and the connection may be lost.
setInterval(() => document.visibilityState === "visible" && draw(), 1000);
learnWhoIAm().then(draw, () => null);
follow({
  take,
  heard: () => {
    app.heardAt = performance.now();
    app.broken = false;
  },
  lost: () => {
    app.broken = true;
    draw();
  },
  listens: () => speaksHere(app),
});
draw();
