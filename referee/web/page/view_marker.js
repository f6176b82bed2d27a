// Draws this phone as a marker card in true size; a bank card gives the size of its pixels.
// During the set-up it shows the next wanted marker, and whether the camera saw it.

import { h } from "./dom.js";
import { keep, kept } from "./kept.js";
import { again, me, read } from "./server.js";
import { button, heading, note, row } from "./parts.js";
import { t } from "./words.js";

const CARD_MM = [53.98, 85.6];
const MARKER_MM = 50;
// The marker and its white border of half a cell.
const WHOLE_MM = (MARKER_MM * 7) / 6;
const [LEAST, USUAL, MOST] = [3, 6.2, 14]; // px per mm
const LOOK_MS = 700;
const NUMBERS = 4;
const LEAST_WHITE = 16;
const KEPT = "px-per-mm";

export function opened(app) {
  const scale = Number(kept(KEPT));
  Object.assign(app.local, scale >= LEAST && scale <= MOST ? { scale, fitted: true } : { scale: USUAL, fitted: false });
  again(app, LOOK_MS, async () => (me.paired && app.local.fitted ? wanted(await read("/api/setup")) : null));
}

function wanted(data) {
  const found = data.open === "table" ? data.finding : null;
  const isWanted = found && found.choices.some((one) => one.answer.reference === "phone" && one.chosen);
  const next = isWanted && found.state === "wait" ? /[0-9]/.exec(found.text) : null;
  return Object.assign({ found: isWanted ? found : null }, next ? { number: Number(next[0]) } : {});
}

export function draw(app) {
  return [heading(t("marker_title")), ...(app.local.fitted ? shown(app) : fitting(app))];
}

function fitting(app) {
  const { scale } = app.local;
  const size = (value) => app.set({ scale: Math.min(MOST, Math.max(LEAST, Math.round(value * 100) / 100)) });
  const fits = () => {
    keep(KEPT, scale);
    app.set({ fitted: true });
    window.scrollTo(0, 0);
  };
  const step = (text, by, word) => button(text, () => size(scale + by), { class: "step", "aria-label": t(word) });
  // The lower right corner follows the finger.
  const drag = ({ currentTarget: card, pointerId, clientX }) => card.hasPointerCapture(pointerId) && size((clientX - card.getBoundingClientRect().left) / CARD_MM[0]);
  const card = { class: "bank-card", key: "card", "aria-hidden": "true", place: { width: `${CARD_MM[0] * scale}px`, height: `${CARD_MM[1] * scale}px` }, onpointerdown: (event) => event.currentTarget.setPointerCapture(event.pointerId), onpointermove: drag };
  return [
    h("p", { key: "how" }, t("marker_fit")),
    h("div", { class: "marker-fit", key: "fit" },
      h("label", { for: "marker-size" }, t("marker_size")),
      h("input", { id: "marker-size", type: "range", min: String(LEAST), max: String(MOST), step: "0.02", value: String(scale), oninput: (event) => size(Number(event.target.value)) }),
      row(step("−", -0.02, "marker_smaller"), step("+", 0.02, "marker_larger"), button(t("marker_fits"), fits, { class: "main" })),
    ),
    h("div", card, h("span", { class: "grip" }, "⤡")),
  ];
}

function shown(app) {
  const { number = 0, scale, found } = app.local;
  const side = `${WHOLE_MM * scale}px`;
  const other = (step) => () => app.set({ number: (number + step + NUMBERS) % NUMBERS });
  const isSmall = MARKER_MM * scale + LEAST_WHITE > document.documentElement.clientWidth;
  return [
    isSmall ? h("p", { class: "note bad", key: "small" }, t("marker_too_small")) : null,
    h("figure", { class: "marker-shown", key: "shown" }, h("img", { src: `/marker/${number}.svg`, alt: t("marker_alt", { n: number }), place: { width: side, height: side } })),
    h("p", { class: "setup-ask", key: "found", role: "status" }, found ? found.text : t("marker_lay", { n: number })),
    row(button(t("marker_before"), other(-1)), button(t("marker_next"), other(1), { class: "main" })),
    note(t("marker_bright")),
    row(button(t("marker_again"), () => app.set({ fitted: false }), { class: "quiet" }), h("a", { class: "button", href: "#setup" }, t("nav_setup"))),
  ];
}
