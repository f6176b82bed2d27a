// What stands round every view: the way to the others, what is wrong, what was just done, what is being said.

import { h } from "./dom.js";
import { button, icon } from "./parts.js";
import { dock } from "./dock.js";
import { change } from "./server.js";
import { awaitsTouch } from "./speech.js";
import { isOptional, notFound, speaksSomewhere } from "./not_found.js";
import { count, t } from "./words.js";

const PLACES = ["table", "tv", "history", "figures", "settings"];

export function frame(app, content) {
  const { state } = app;
  const known = state.devices.filter((device) => device.state !== "ok" && !(speaksSomewhere(state) && device.name === "speaker"));
  // Whoever sets up is told of each device in its step.
  const told = app.route.view === "setup" ? [] : known;
  const missing = told.filter(isOptional);
  const troubles = told.filter((device) => !isOptional(device));
  const within = { start: "table", ruling: "table", teach: "settings", setup: "settings", system: "settings" };
  const here = within[app.route.view] || app.route.view;
  return [
    noLine(app.silentS()),
    h("header", { class: "top", key: "top" }, brand(), h("nav", { "aria-label": t("nav") }, PLACES.map((place) => link(place, here)))),
    h(
      "div",
      { class: "alerts", key: "alerts" },
      troubles.map((device) =>
        h("p", { class: "alert", key: device.name }, icon("unclear"), h("span", {}, device.message || t("device_trouble", { name: device.name })), device.name === "files" ? noted(app) : null),
      ),
      awaitsTouch(app) ? h("p", { class: "alert", role: "status" }, icon("info"), h("span", {}, t("voice_touch"))) : null,
      notFound(app, missing),
    ),
    h("main", { key: "main", id: "main" }, content),
    dock(app),
  ];
}

// It stands in every view, wherever that is scrolled to. Screen readers say it once, and not each second again.
function noLine(silentS) {
  if (silentS === null) return null;
  const long = silentS < 60 ? count("no_line_seconds", Math.max(1, silentS)) : count("no_line_minutes", Math.floor(silentS / 60));
  return h(
    "div",
    { class: "no-line", key: "no-line" },
    icon("unclear"),
    h("p", { "aria-hidden": "true" }, long, " ", t("is_old")),
    h("p", { class: "sr", role: "status" }, t("no_line")),
  );
}

// What was set aside is listed until somebody has read it.
function noted(app) {
  return button(t("files_noted"), () => app.run(() => change("/api/system", { do: "noted" }), () => app.draw()), { class: "quiet" });
}

function brand() {
  return h("a", { class: "brand", href: "#table" }, h("img", { src: "/page/icon.svg", alt: "", width: 32, height: 32 }), h("span", {}, "Ringmaster"));
}

function link(place, here) {
  return h(
    "a",
    { href: `#${place}`, "aria-current": place === here ? "page" : null, key: place },
    icon(place),
    h("span", {}, t(`nav_${place}`)),
  );
}
