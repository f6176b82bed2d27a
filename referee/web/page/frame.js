// Draws what surrounds each view: navigation, notices, the toast, the caption, confetti for a winner.

import { h } from "./dom.js";
import { countUp } from "./count_up.js";
import { captionBeside, headline, winnersOf } from "./headline.js";
import { button, icon, isCalm, row, sign } from "./parts.js";
import { keep, kept } from "./kept.js";
import { awaitsTouch, canSpeak, HERE } from "./speech.js";
import { count, t } from "./words.js";

const PLACES = ["table", "tv", "history", "figures", "settings"];
const PAPERED = ["tv", "table", "bell"];
const PIECES = 60; // of confetti
const KEPT = "ringmaster-not-found";
const WITHOUT = { speaker: { loudspeaker: false }, bell: { bell: "none" }, sandtimer: { sandtimer: false }, lamp: { lamp: false } };
let postponed = kept(KEPT); // missing devices of which nobody wants to hear, as one text
const WITHIN = { start: "table", ruling: "table", teach: "settings", setup: "settings", system: "settings" };

export function frame(app, content) {
  const here = WITHIN[app.route.view] || app.route.view;
  const [list, isBad] = noticesOf(app);
  return [
    noLine(app.silentS()),
    h("header", { class: "top", key: "top" }, brand(), h("nav", { "aria-label": t("nav") }, PLACES.map((place) => link(place, here))), list.length ? dot(app, list.length, isBad) : null),
    list.length && app.noticesOpen ? h("section", { class: "notices", key: "notices", "aria-label": count("notices", list.length) }, list) : null,
    h("main", { key: "main", id: "main" }, content),
    saidNow(app),
    paper(app),
  ];
}

// Return the notices, and whether a device fails. The set-up view shows devices in its own steps.
function noticesOf(app) {
  const { state, route } = app;
  // A phone that speaks replaces the loudspeaker.
  const isReplaced = (one) => one.name === "speaker" && state.settings.voice_page;
  const known = route.view === "setup" ? [] : state.devices.filter((one) => one.state !== "ok" && !isReplaced(one));
  const troubles = known.filter((one) => !isOptional(one));
  const list = [
    ...troubles.map((one) => h("div", { class: "alert bad", key: one.name }, icon("unclear"), h("span", {}, one.message || t("device_trouble", { name: one.name })), one.name === "files" ? noted(app) : null)),
    ...(route.view === "table" ? state.notices : []).map((one, at) => h("p", { class: "notice unclear", key: `notice ${at}` }, one.seat === null ? icon("info") : sign(one.seat), h("span", {}, one.text))),
    notFound(app, known.filter(isOptional)),
  ].filter(Boolean);
  return [list, troubles.length > 0];
}

function dot(app, many, isBad) {
  const turn = () => {
    app.noticesOpen = !app.noticesOpen;
    app.draw();
    if (app.noticesOpen) window.scrollTo(0, 0);
  };
  const words = count("notices", many);
  return h("button", { type: "button", class: `bells ${isBad ? "bad" : "unclear"}`, key: "bells", "aria-expanded": String(Boolean(app.noticesOpen)), "aria-label": words, onclick: turn }, h("b", { class: "num" }, String(many)), h("span", { class: "sr", role: "status" }, words));
}

const kindOf = (device) => device.name.split(" ")[0];

function isOptional(device) {
  return device.state === "missing" && kindOf(device) in WITHOUT;
}

// Return one question about all optional devices that are missing, or null if it was postponed.
function notFound(app, devices) {
  const kinds = [...new Set(devices.map(kindOf))].sort();
  if (!kinds.length || kinds.join() === postponed) return null;
  const names = kinds.map((kind) => t(`device_${kind}`)).join(", ");
  const later = () => {
    postponed = kinds.join();
    keep(KEPT, postponed);
    app.draw();
  };
  return h("section", { class: "alert asking unclear", key: "not-found", "aria-labelledby": "not-found-title" },
    icon("unclear"),
    h("div", {},
      h("p", { id: "not-found-title" }, t("not_found", { names })),
      row(
        button(t("not_found_none"), () => app.saveSettings(Object.assign({}, ...kinds.map((kind) => WITHOUT[kind])))),
        kinds.includes("speaker") && canSpeak() ? button(t("voice_here"), () => app.saveSettings({ voice_page: HERE })) : null,
        h("a", { class: "button", href: "#settings" }, t("not_found_choose")),
        button(t("not_found_later"), later, { class: "quiet" }),
      ),
    ),
  );
}

// Return the banner of a lost connection, or null. Screen readers get a text without the seconds.
function noLine(silentS) {
  if (silentS === null) return null;
  const long = silentS < 60 ? count("no_line_seconds", Math.max(1, silentS)) : count("no_line_minutes", Math.floor(silentS / 60));
  return h("div", { class: "no-line", key: "no-line" }, icon("unclear"), h("p", { "aria-hidden": "true" }, long, " ", t("is_old")), h("p", { class: "sr", role: "status" }, t("no_line")));
}

// Return the button that dismisses the list of unusable files.
function noted(app) {
  return button(t("files_noted"), () => app.change("/api/system", { do: "noted" }), { class: "quiet" });
}

function brand() {
  return h("a", { class: "brand", href: "#table", "aria-label": "Ringmaster" }, h("img", { src: "/page/icon.svg", alt: "", width: 30, height: 30 }), h("span", {}, "Ringmaster"));
}

function link(place, here) {
  return h("a", { href: `#${place}`, "aria-current": place === here ? "page" : null, key: place }, icon(place), h("span", {}, t(`nav_${place}`)));
}

// Return the toast, else the request for a touch that lets the page speak, else the caption, else null.
function saidNow(app) {
  const { toast } = app;
  if (toast) {
    const back = toast.undo ? button(t("undo"), () => undo(app), { class: "quiet" }) : null;
    return h("div", { class: `said-now toast ${toast.isFault ? "bad" : ""}`, key: "toast", role: toast.isFault ? "alert" : "status" }, h("span", {}, toast.text), back);
  }
  if (awaitsTouch(app)) return h("p", { class: "said-now", key: "touch", role: "status" }, t("voice_touch"));
  const { view, id } = app.route;
  const large = view === "table" ? headline(app) : { entry: app.state.rulings.find((one) => one.id === id) };
  const caption = !app.pending && !app.noticesOpen && ["table", "ruling"].includes(view) ? captionBeside(app, large) : "";
  return caption ? h("p", { class: "said-now caption", key: "caption", "aria-hidden": "true" }, caption) : null;
}

// Return falling confetti in the winners' colours, or null.
function paper(app) {
  const { state, route } = app;
  const winners = state.mode === "over" && PAPERED.includes(route.view) && !isCalm(app) && !countUp(app) ? winnersOf(headline(app)) : [];
  if (!winners.length) return null;
  const piece = (_none, at) => h("i", { class: `seat-${winners[at % winners.length] % 7}`, place: { left: `${(at * 37) % 100}%`, animationDelay: `${(at % 17) / 8}s` } });
  return h("div", { class: "paper", key: `paper ${state.game.id}`, "aria-hidden": "true" }, Array.from({ length: PIECES }, piece));
}

// Take the last correction or step back.
export function undo(app) {
  app.runTimely({ do: "undo" }, () => app.toasted(t("undone")));
}
