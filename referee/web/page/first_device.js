// While no device is paired: what lets this one in, such as pressing the bell as often as its screen says.

import { h } from "./dom.js";
import { box } from "./parts.js";
import { change, learnWhoIAm } from "./server.js";
import { count, t } from "./words.js";

const GAP_MS = 1000;
let told = null;
let timer = null;

// Wait to be let in, as long as the page asks for the code; `done` is called once this device is paired.
export function waits(app, done) {
  if (timer !== null) return;
  const ask = async () => {
    // A line that broke may come back: it is asked for again.
    told = await change("/api/pair/wait", {}).catch(() => told);
    if (told && told.paired) {
      stopWaiting();
      await learnWhoIAm();
      done();
      return;
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
  return ways.length ? h("div", { class: "acts", key: "acts" }, box("acts", t("first_title"), h("p", {}, t("first_how")), h("ul", {}, ways))) : null;
}

// What tells the code at the machine itself, as it is typed there; null where nothing does.
export function atTheComputer({ me: { command } }) {
  if (!command) return null;
  const [before, after] = t("first_terminal").split("{command}");
  return h("li", { key: "terminal" }, before, h("code", {}, command), after);
}

function bell() {
  if (told.others || told.bell_rests) return h("span", { role: "status" }, t(told.others ? "first_others" : "first_bell_rests"));
  const news = told.pressed ? count("first_pressed", told.pressed) : told.miscounted ? count("first_miscounted", told.miscounted) : "";
  return [h("strong", {}, t("first_bell", { n: told.presses })), h("span", { class: "note", role: "status" }, news && ` ${news}`)];
}

// Drawn on white, whatever the colours of the page: the camera must tell its edge.
function mark(rows) {
  const black = rows.flatMap((line, y) => [...line].map((cell, x) => (cell === "0" ? `M${x} ${y}h1v1h-1z` : "")));
  return h("span", { class: "mark" }, h("svg", { viewBox: `0 0 ${rows.length} ${rows.length}`, "aria-hidden": "true", "shape-rendering": "crispEdges" }, h("path", { d: black.join(""), fill: "#000" })));
}
