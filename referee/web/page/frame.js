// What stands round every view: the way to the others, what is wrong, what was just done, what is being said.

import { h } from "./dom.js";
import { button, icon } from "./parts.js";
import { dock } from "./dock.js";
import { change } from "./server.js";
import { awaitsTouch } from "./speech.js";
import { isOptional, notFound, speaksSomewhere } from "./not_found.js";
import { t } from "./words.js";

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
    h("header", { class: "top", key: "top" }, brand(), h("nav", { "aria-label": t("nav") }, PLACES.map((place) => link(place, here)))),
    h(
      "div",
      { class: "alerts", key: "alerts" },
      app.online ? null : h("p", { class: "alert bad", role: "status" }, icon("unclear"), h("span", {}, t("no_line"))),
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
