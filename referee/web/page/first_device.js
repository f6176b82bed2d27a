// While no device is paired: what lets this one in, such as pressing the bell as often as its screen says.

import { h } from "./dom.js";
import { change, learnWhoIAm } from "./server.js";
import { count, t } from "./words.js";

const GAP_MS = 1000;
let told = null;
let timer = null;

// Wait to be let in, as long as the page asks for the code; `done` is called once this device is paired.
export function waits(app, done) {
  if (timer !== null) return;
  const ask = async () => {
    try {
      told = await change("/api/pair/wait", {});
      if (told.paired) {
        stopWaiting();
        await learnWhoIAm();
        done();
        return;
      }
    } catch {
      // The line may come back: it is asked for again.
    }
    if (timer === null) return;
    if (app.pending) app.draw();
    timer = setTimeout(ask, GAP_MS);
  };
  timer = setTimeout(ask, 0);
}

export function stopWaiting() {
  clearTimeout(timer);
  timer = null;
  told = null;
}

export function acts(app) {
  if (!told || !told.first) return told && told.home === false ? h("p", { class: "note bad" }, t("first_away")) : null;
  const ways = [
    told.acts.includes("bell") ? h("li", { key: "bell" }, bell()) : null,
    told.acts.includes("camera") && told.mark ? h("li", { key: "camera" }, t("first_camera"), mark(told.mark)) : null,
    atTheComputer(app),
  ].filter(Boolean);
  if (!ways.length) return null;
  return h(
    "section",
    { class: "acts", key: "acts", "aria-labelledby": "acts-title" },
    h("h2", { id: "acts-title" }, t("first_title")),
    h("p", {}, t("first_how")),
    h("ul", {}, ways),
  );
}

// What tells the code at the machine itself, as it is typed there; null where nothing does.
export function atTheComputer(app) {
  const { command } = app.me;
  if (!command) return null;
  const [before, after] = t("first_terminal").split("{command}");
  return h("li", { key: "terminal" }, before, h("code", {}, command), after);
}

function bell() {
  if (told.others) return h("span", { role: "status" }, t("first_others"));
  if (told.bell_rests) return h("span", { role: "status" }, t("first_bell_rests"));
  const wrong = told.miscounted && !told.pressed ? count("first_miscounted", told.miscounted) : "";
  return [
    h("strong", {}, t("first_bell", { n: told.presses })),
    h("span", { class: "note", role: "status" }, told.pressed ? ` ${count("first_pressed", told.pressed)}` : wrong && ` ${wrong}`),
  ];
}

// Drawn on white, whatever the colours of the page: the camera must tell its edge.
function mark(rows) {
  const size = rows.length;
  const black = rows.flatMap((row, y) => [...row].map((cell, x) => (cell === "0" ? `M${x} ${y}h1v1h-1z` : "")));
  return h("span", { class: "mark" }, h("svg", { viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true", "shape-rendering": "crispEdges" }, h("path", { d: black.join(""), fill: "#000" })));
}
