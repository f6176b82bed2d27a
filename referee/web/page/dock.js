// What is always in sight, at the foot of the window: what was just done, what was ruled, and the one button that is due.

import { h } from "./dom.js";
import { gameOf } from "./games.js";
import { headline, repeats } from "./headline.js";
import { button, icon, kindOf } from "./parts.js";
import * as setup from "./view_setup.js";
import { t } from "./words.js";

const VIEWS = ["table", "ruling"];
const SCROLLED_PX = 160;

export function dock(app) {
  const { state } = app;
  return h(
    "div",
    { class: "dock", key: "dock", role: "region", "aria-label": t("dock"), onmade: keepRoom },
    app.toast ? toast(app) : null,
    captioned(app) ? h("p", { class: "caption", key: "caption", "aria-hidden": "true" }, state.caption) : verdictAgain(app),
    app.route.view === "table" && !app.pending ? due(app) : null,
    app.route.view === "setup" && !app.pending ? setup.due(app) : null,
  );
}

// The page leaves as much room at its end as this takes, so that nothing lies beneath it.
function keepRoom(node) {
  const measure = () => document.documentElement.style.setProperty("--dock", `${node.offsetHeight}px`);
  if (window.ResizeObserver) new ResizeObserver(measure).observe(node);
  window.addEventListener("scroll", noteScroll, { passive: true });
  window.addEventListener("resize", noteScroll);
}

// Whether the verdict above is out of sight: after each scroll, and after each change of what the page shows.
export function noteScroll() {
  const title = document.querySelector(".verdict h1");
  document.body.classList.toggle("scrolled", title ? title.getBoundingClientRect().top < 0 : window.scrollY > SCROLLED_PX);
}

// What is said stands below, unless it stands large above already.
function captioned(app) {
  const { caption, latest, rulings } = app.state;
  if (!caption || app.pending || !VIEWS.includes(app.route.view)) return false;
  const stands = app.route.view === "table" ? latest : rulings.find((one) => one.id === app.route.id);
  return !stands || !repeats(caption, [stands, ...rulings.filter((one) => one.t_ns === stands.t_ns)]);
}

// The verdict once more, while it is scrolled out of sight.
function verdictAgain(app) {
  const shown = app.route.view === "table" && !app.pending && app.state.mode !== "idle" ? headline(app) : null;
  if (!shown) return null;
  const kind = shown.together.length ? "end" : kindOf(shown.entry);
  return h(
    "button",
    { type: "button", class: `verdict-again ${kind}`, key: "verdict", onclick: () => window.scrollTo({ top: 0, behavior: "smooth" }) },
    icon(kind),
    h("span", {}, shown.title),
  );
}

// The one thing that is to be tapped next, if there is one.
function due(app) {
  const { mode } = app.state;
  const tap = (key, command) => button(t(key), () => app.runTimely({ do: command }), { class: "main big", key: command });
  if (mode === "paused") return tap("resume", "resume");
  const { due: next } = gameOf(app);
  return mode === "playing" && next ? tap(...next((app.state.phase || {}).key)) : null;
}

function toast(app) {
  return h(
    "div",
    { class: app.toast.isFault ? "toast bad" : "toast", key: "toast", role: app.toast.isFault ? "alert" : "status" },
    h("span", {}, app.toast.text),
    app.toast.undo ? button(t("undo"), () => undo(app), { class: "quiet" }) : null,
  );
}

export function undo(app) {
  app.runTimely({ do: "undo" }, () => app.toasted(t("undone")));
}
