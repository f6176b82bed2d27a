// A phone as a marker card: its screen is measured with a bank card, then it shows markers at their true size. While
// the table is being set up it follows along: which number is wanted next, and when it has been seen.

import { h } from "./dom.js";
import { follow, me } from "./server.js";
import { button, heading } from "./parts.js";
import { t } from "./words.js";

const CARD_MM = [53.98, 85.6];
const MARKER_MM = 50;
// Half a cell of white round the print; the page round it is white, too.
const WHOLE_MM = (MARKER_MM * 7) / 6;
const LEAST = 3;
const MOST = 14;
const USUAL = 6.2;
const LOOK_MS = 700;
const NUMBERS = 4;
const LEAST_WHITE = 16;
const KEPT = "px-per-mm";

export function opened(app) {
  app.local.scale = kept();
  app.local.fitted = kept() !== null;
  const { local } = app;
  const wanted = () => me.paired && local.fitted;
  follow(app, "/api/setup", LOOK_MS, (data) => take(app, data), undefined, wanted);
}

function kept() {
  const value = Number(localStorage.getItem(KEPT));
  return value >= LEAST && value <= MOST ? value : null;
}

function take(app, data) {
  const found = data.open === "table" ? data.finding : null;
  const wanted = found && found.choices.some((one) => one.answer.reference === "phone" && one.chosen);
  app.local.found = wanted ? found : null;
  if (wanted) {
    const next = /[0-9]/.exec(found.state === "wait" ? found.text : "");
    if (next) app.local.number = Number(next[0]);
  }
  app.draw();
}

export function draw(app) {
  return [heading(t("marker_title")), ...(app.local.fitted ? shown(app) : fitting(app))];
}

function fitting(app) {
  const { local } = app;
  const scale = local.scale || USUAL;
  const set = (value) => {
    local.scale = Math.min(MOST, Math.max(LEAST, Math.round(value * 100) / 100));
    app.draw();
  };
  return [
    h("p", { key: "how" }, t("marker_fit")),
    h(
      "div",
      { class: "marker-fit", key: "fit" },
      h("label", { for: "marker-size" }, t("marker_size")),
      h("input", { id: "marker-size", type: "range", min: String(LEAST), max: String(MOST), step: "0.02", value: String(scale), oninput: (event) => set(Number(event.target.value)) }),
      h("div", { class: "row" }, button("−", () => set(scale - 0.02), { class: "step", "aria-label": t("marker_smaller") }), button("+", () => set(scale + 0.02), { class: "step", "aria-label": t("marker_larger") }), button(t("marker_fits"), () => keep(app, scale), { class: "main" })),
    ),
    h(
      "div",
      {
        class: "bank-card",
        key: "card",
        "aria-hidden": "true",
        place: { width: `${CARD_MM[0] * scale}px`, height: `${CARD_MM[1] * scale}px` },
        onpointerdown: (event) => event.currentTarget.setPointerCapture(event.pointerId),
        onpointermove: (event) => {
          // The lower right corner goes with the finger.
          if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
          set((event.clientX - event.currentTarget.getBoundingClientRect().left) / CARD_MM[0]);
        },
      },
      h("span", { class: "grip" }, "⤡"),
    ),
  ];
}

function keep(app, scale) {
  localStorage.setItem(KEPT, String(scale));
  Object.assign(app.local, { scale, fitted: true });
  app.draw();
  window.scrollTo(0, 0);
}

function shown(app) {
  const { local } = app;
  const number = local.number || 0;
  const side = WHOLE_MM * local.scale;
  const other = (step) => {
    local.number = (number + step + NUMBERS) % NUMBERS;
    app.draw();
  };
  const small = MARKER_MM * local.scale + LEAST_WHITE > document.documentElement.clientWidth;
  return [
    small ? h("p", { class: "note bad", key: "small" }, t("marker_too_small")) : null,
    h("figure", { class: "marker-shown", key: "shown" }, h("img", { src: `/marker/${number}.svg`, alt: t("marker_alt", { n: number }), place: { width: `${side}px`, height: `${side}px` } })),
    h("p", { class: "setup-ask", key: "found", role: "status" }, local.found ? local.found.text : t("marker_lay", { n: number })),
    h("div", { class: "row", key: "numbers" }, button(t("marker_before"), () => other(-1)), button(t("marker_next"), () => other(1), { class: "main" })),
    h("p", { class: "note", key: "bright" }, t("marker_bright")),
    h(
      "div",
      { class: "row", key: "others" },
      button(t("marker_again"), () => {
        local.fitted = false;
        app.draw();
      }, { class: "quiet" }),
      h("a", { class: "button", href: "#setup" }, t("nav_setup")),
    ),
  ];
}
