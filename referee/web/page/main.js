// Starts the page: takes the state as it comes, draws the view that the address names, carries out what is tapped.

import { h, patch } from "./dom.js";
import { change, learnWhoIAm, me, pair, read, Refused } from "./server.js";
import { SILENT_MS } from "./event_line.js";
import { follow } from "./line.js";
import { merged } from "./merge.js";
import { learn, t } from "./words.js";
import { frame } from "./frame.js";
import { speakNew, speaksHere, touched } from "./speech.js";
import { waitingVerdict } from "./headline.js";
import { pairing } from "./view_pair.js";
import * as table from "./view_table.js";
import * as tv from "./view_tv.js";
import * as bell from "./view_bell.js";
import * as start from "./view_start.js";
import * as ruling from "./view_ruling.js";
import * as history from "./view_history.js";
import * as figures from "./view_figures.js";
import * as settings from "./view_settings.js";
import * as picture from "./view_picture.js";
import * as marker from "./view_marker.js";
import * as sheet from "./view_sheet.js";
import * as setup from "./view_setup.js";
import * as system from "./view_system.js";
import * as teach from "./view_teach.js";

const VIEWS = { table, tv, bell, start, ruling, history, figures, settings, picture, sheet, setup, marker, system, teach };

// Everything that views draw from. `local` is each view's own, thrown away when another is opened.
const app = {
  state: null,
  takenAt: 0,
  heardAt: performance.now(),
  chosen: null, // the language of this page alone, until it may set the table's
  broken: false,
  me,
  route: { view: "table", id: null },
  local: {},
  before: {}, // points that a seat had before they changed, as long as that is new
  toast: null,
  pending: null,
  draw,
  run,
  runTimely,
  load,
  go: (hash) => {
    location.hash = hash;
  },
  // For how long the server was not heard, s; null while it is.
  silentS: () => {
    const ms = performance.now() - app.heardAt;
    return app.broken || ms >= SILENT_MS ? Math.floor(ms / 1000) : null;
  },
  nowNs: () => (app.state ? app.state.t_ns + (performance.now() - app.takenAt) * 1e6 : 0),
};

// So long a finger is on its way: what changed later than that before a tap, it cannot have meant.
const MEANT_MS = 400;
const AGAIN_MS = 1000;

// Before the state has come nobody knows the table's language.
const UNHEARD = "Ringmaster: no connection · keine Verbindung · pas de connexion";

let language = null;
let worded = false;
let said = null;
let meant = { moment: null, until: 0 };

function draw() {
  // Before the words are there, their keys would stand in their places.
  if (!app.state || !worded) {
    const text = app.silentS() === null ? "Ringmaster…" : UNHEARD;
    patch(document.getElementById("page"), [h("p", { class: "waiting" }, text)]);
    return;
  }
  const view = VIEWS[app.route.view];
  const content = app.pending ? pairing(app) : view.draw(app);
  for (const view of ["tv", "bell"]) document.body.classList.toggle(view, app.route.view === view && !app.pending);
  document.body.classList.toggle("old", app.silentS() !== null);
  document.title = `${t("nav_" + app.route.view)} – Ringmaster`;
  const paper = ["tv", "table", "bell"].includes(app.route.view) ? tv.paper(app) : null;
  patch(document.getElementById("page"), h("div", {}, frame(app, content), paper).children);
}

async function take(parts, leads) {
  if (parts.moment !== undefined && app.state && parts.moment !== app.state.moment) {
    meant = { moment: app.state.moment, until: performance.now() + MEANT_MS };
  }
  const last = app.state;
  app.state = merged(last, parts);
  if (last) notePoints(last);
  app.takenAt = performance.now();
  await speak();
  if (parts.pairing) learnWhoIAm().then(draw, () => null);
  tellTheBlind();
  speakNew(app, leads);
  draw();
}

// Whose points have changed is shown what they were, until the next change or for a while.
const NEW_MS = 20_000;
let changedAt = 0;

function notePoints(last) {
  const { board, game } = app.state;
  const same = last.game && game && last.game.id === game.id;
  const changed = same ? board.filter((one) => last.board[one.seat] && last.board[one.seat].points !== one.points) : [];
  if (changed.length) {
    // Hands that are counted together come one by one.
    if (performance.now() - changedAt > 1500) app.before = {};
    for (const { seat } of changed) if (!(seat in app.before)) app.before[seat] = last.board[seat].points;
    changedAt = performance.now();
  } else if (!same || performance.now() - changedAt > NEW_MS) {
    app.before = {};
  }
}

// Learn the words of the state's language; where the network fails, again and again until they are there.
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
  // A new machine is set up first; who wants something else is let go.
  if (before === null && app.state.setup && app.state.setup.due && !location.hash) location.hash = "setup";
  open();
}

// A device that may not change the table's language yet speaks it by itself, and sets it once it may.
app.speakIn = (code) => {
  app.chosen = code;
  speak();
  setLanguage();
};

function setLanguage() {
  if (me.paired && app.chosen) change("/api/do", { do: "settings", language: app.chosen }).catch(() => null);
}

function tellTheBlind() {
  const latest = waitingVerdict(app) || app.state.latest;
  const text = latest ? latest.text : "";
  if (said !== null && text !== said) document.getElementById("said").textContent = text;
  said = text;
}

function open() {
  const [view, id] = location.hash.slice(1).split("/");
  const code = /^pair=(\d{6})$/.exec(view);
  if (code) {
    history_replace();
    pair(code[1]).then((key) => toast(t(key)), (fault) => toast(words_of(fault), true));
  }
  app.route = { view: VIEWS[view] ? view : "table", id: id ? decodeURIComponent(id) : null };
  app.local = {};
  app.toast = null;
  if (VIEWS[app.route.view].opened) VIEWS[app.route.view].opened(app);
  draw();
  const heading = document.querySelector("main h1");
  if (heading && app.moved) heading.focus({ preventScroll: true });
  if (app.moved) window.scrollTo(0, 0);
  app.moved = true;
}

// A code in the address is used once, and must not stay in the browser's history.
function history_replace() {
  window.history.replaceState(null, "", "/");
}

function words_of(fault) {
  if (!(fault instanceof Refused)) throw fault;
  return fault.key && t("fault_" + fault.key) !== "fault_" + fault.key ? t("fault_" + fault.key, fault.values) : fault.message;
}

let toastTimer = null;

function toast(text, isFault, undo) {
  app.toast = { text, isFault: Boolean(isFault), undo: Boolean(undo) };
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    app.toast = null;
    draw();
  }, 8000);
  draw();
}

// Carry out a command; a device that is not paired is asked for the code first, and goes on where it was.
async function run(command, done) {
  const work = typeof command === "function" ? command : () => change("/api/do", command);
  if (!me.paired) {
    app.pending = { work, done, from: document.activeElement };
    await learnWhoIAm().catch(() => null);
    if (!me.paired) {
      change("/api/pair/ask", {}).catch(() => null).then(learnWhoIAm).then(draw, draw);
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
    if (done) done(result, toast);
    draw();
  } catch (fault) {
    if (fault.status === 401) {
      me.paired = false;
      run(command, done);
      return;
    }
    toast(words_of(fault), true);
  }
}

// The same, but only if things stand as they were seen: else nothing is entered, and the page says so.
function runTimely(command, done) {
  const moment = performance.now() < meant.until ? meant.moment : app.state.moment;
  return run(Object.assign({ moment }, command), done);
}

// Read something for a view: `app.local[name]` is undefined until it is there, and { fault } if it cannot be had.
function load(name, path) {
  const local = app.local;
  read(path).then(
    (data) => {
      local[name] = data;
      draw();
    },
    (fault) => {
      local[name] = { fault: words_of(fault) };
      draw();
    },
  );
}

app.toasted = toast;
app.wordsOf = words_of;
app.heedLine = () => heedLine();

window.addEventListener("hashchange", () => {
  app.pending = null;
  open();
});
for (const touch of ["pointerup", "keydown"]) window.addEventListener(touch, () => touched(app));
// Clocks and sandtimers go on between two changes of the state, and a line may fall silent.
let wasSilent = false;
setInterval(() => {
  const silent = app.silentS() !== null;
  if (document.visibilityState === "visible" && (!app.pending || silent || wasSilent)) draw();
  wasSilent = silent;
}, 1000);
learnWhoIAm().then(draw, () => null);
const heedLine = follow({
  take,
  heard: (agoMs) => {
    app.heardAt = performance.now() - agoMs;
    app.broken = false;
  },
  lost: () => {
    if (app.broken) return;
    app.broken = true;
    draw();
  },
  listens: () => speaksHere(app),
});
draw();
