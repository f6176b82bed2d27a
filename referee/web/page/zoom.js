// A picture to look at closely: two fingers, a double tap, the wheel, + and −; moved with a finger once it is larger.

import { h } from "./dom.js";
import { button } from "./parts.js";
import { t } from "./words.js";

const MOST = 8;
const STEP = 1.6;
const DOUBLE_MS = 350;
const DOUBLE_PX = 30;
const ARROWS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
const KEYS = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 1 / MOST, Escape: 1 / MOST };

// `more`: buttons beside − and +, over the picture's corner.
export function zoomable(key, content, more) {
  const by = (factor) => (event) => event.currentTarget.closest(".zoom").firstChild.zoomBy(factor);
  return h(
    "div",
    { class: "zoom", key },
    h("div", { class: "zoomable", key: "picture", tabindex: "0", role: "group", "aria-label": t("zoom_picture"), onmade: follow }, h("div", { class: "zoomed" }, content)),
    h("div", { class: "over-picture", key: "buttons" }, more, button("−", by(1 / STEP), { "aria-label": t("zoom_out"), key: "out" }), button("+", by(STEP), { "aria-label": t("zoom_in"), key: "in" })),
  );
}

function follow(node) {
  const fingers = new Map();
  let [scale, x, y] = [1, 0, 0];
  let tapped = { at: 0, x: 0, y: 0 };
  const on = (name, heard) => node.addEventListener(name, heard, { passive: false });

  // No edge of the picture comes inside the window on it.
  function move(byX, byY) {
    x = Math.min(0, Math.max(node.clientWidth * (1 - scale), x + byX));
    y = Math.min(0, Math.max(node.clientHeight * (1 - scale), y + byY));
    node.firstChild.style.transform = scale > 1 ? `translate(${x}px, ${y}px) scale(${scale})` : "";
    node.classList.toggle("larger", scale > 1);
  }

  // What is under a place stays there.
  function zoom(factor, [atX, atY]) {
    const next = Math.min(MOST, Math.max(1, scale * factor));
    const grown = next / scale;
    scale = next;
    move((atX - x) * (1 - grown), (atY - y) * (1 - grown));
  }

  function place(event) {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // How far two fingers are apart, and their middle.
  function spread() {
    const [one, two] = [...fingers.values()];
    return [Math.hypot(one[0] - two[0], one[1] - two[1]), [(one[0] + two[0]) / 2, (one[1] + two[1]) / 2]];
  }

  node.zoomBy = (factor) => zoom(factor, [node.clientWidth / 2, node.clientHeight / 2]);
  on("pointerdown", (event) => {
    fingers.set(event.pointerId, place(event));
    if (scale > 1 || fingers.size > 1) node.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    const was = fingers.get(event.pointerId);
    if (!was) return;
    const before = fingers.size === 2 ? spread() : null;
    const now = place(event);
    fingers.set(event.pointerId, now);
    if (before) {
      const [apart, middle] = spread();
      move(middle[0] - before[1][0], middle[1] - before[1][1]);
      zoom(apart / Math.max(1, before[0]), middle);
    } else if (scale > 1) move(now[0] - was[0], now[1] - was[1]);
  });
  on("pointercancel", (event) => fingers.delete(event.pointerId));
  on("pointerup", (event) => {
    const isAlone = fingers.size === 1;
    if (!fingers.delete(event.pointerId) || !isAlone) return;
    const [atX, atY] = place(event);
    const isTwice = event.timeStamp - tapped.at < DOUBLE_MS && Math.hypot(atX - tapped.x, atY - tapped.y) < DOUBLE_PX;
    if (isTwice) zoom(scale > 1 ? 1 / MOST : 3, [atX, atY]);
    tapped = { at: isTwice ? 0 : event.timeStamp, x: atX, y: atY };
  });
  // Where nobody has touched the picture, the wheel scrolls the page that it stands in.
  on("wheel", (event) => {
    if (!event.ctrlKey && scale === 1 && document.activeElement !== node) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), place(event));
  });
  // Else browsers zoom the whole page.
  on("touchmove", (event) => (event.touches.length > 1 || scale > 1) && event.preventDefault());
  on("keydown", (event) => {
    const arrow = scale > 1 && ARROWS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(arrow || KEYS[event.key])) return;
    event.preventDefault();
    if (arrow) move(...arrow);
    else node.zoomBy(KEYS[event.key]);
  });
}
