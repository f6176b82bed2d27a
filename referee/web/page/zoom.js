// A picture to look at closely: two fingers, a double tap, the wheel, + and −; moved with a finger once it is larger.

import { h } from "./dom.js";
import { button } from "./parts.js";
import { t } from "./words.js";

const MOST = 8;
const STEP = 1.6;
const DOUBLE_MS = 350;
const DOUBLE_PX = 30;
const ARROWS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };

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
  const inner = node.firstChild;
  const fingers = new Map();
  let [scale, x, y] = [1, 0, 0];
  let tapped = { at: 0, x: 0, y: 0 };

  function show() {
    // No edge of the picture comes inside the window on it.
    x = Math.min(0, Math.max(node.clientWidth * (1 - scale), x));
    y = Math.min(0, Math.max(node.clientHeight * (1 - scale), y));
    inner.style.transform = scale > 1 ? `translate(${x}px, ${y}px) scale(${scale})` : "";
    node.classList.toggle("larger", scale > 1);
  }

  // What is under a place stays there.
  function zoom(factor, atX, atY) {
    const next = Math.min(MOST, Math.max(1, scale * factor));
    x = atX - ((atX - x) * next) / scale;
    y = atY - ((atY - y) * next) / scale;
    scale = next;
    show();
  }

  function place(event) {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function spread() {
    const [one, two] = [...fingers.values()];
    return [Math.hypot(one[0] - two[0], one[1] - two[1]), (one[0] + two[0]) / 2, (one[1] + two[1]) / 2];
  }

  node.zoomBy = (factor) => zoom(factor, node.clientWidth / 2, node.clientHeight / 2);
  node.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, place(event));
    if (scale > 1 || fingers.size > 1) node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const [was, before] = [fingers.get(event.pointerId), fingers.size === 2 ? spread() : null];
    fingers.set(event.pointerId, place(event));
    if (before) {
      const [apart, midX, midY] = spread();
      x += midX - before[1];
      y += midY - before[2];
      zoom(apart / Math.max(1, before[0]), midX, midY);
    } else if (scale > 1) {
      const [nowX, nowY] = fingers.get(event.pointerId);
      x += nowX - was[0];
      y += nowY - was[1];
      show();
    }
  });
  const lift = (event) => fingers.delete(event.pointerId);
  node.addEventListener("pointercancel", lift);
  node.addEventListener("pointerup", (event) => {
    const alone = fingers.size === 1 && lift(event);
    lift(event);
    if (!alone) return;
    const [atX, atY] = place(event);
    const twice = event.timeStamp - tapped.at < DOUBLE_MS && Math.hypot(atX - tapped.x, atY - tapped.y) < DOUBLE_PX;
    if (twice) zoom(scale > 1 ? 1 / MOST : 3, atX, atY);
    tapped = { at: twice ? 0 : event.timeStamp, x: atX, y: atY };
  });
  // Where nobody has touched the picture, the wheel scrolls the page that it stands in.
  node.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && scale === 1 && document.activeElement !== node) return;
    event.preventDefault();
    const [atX, atY] = place(event);
    zoom(Math.exp(-event.deltaY / 300), atX, atY);
  }, { passive: false });
  // Else browsers zoom the whole page.
  node.addEventListener("touchmove", (event) => {
    if (event.touches.length > 1 || scale > 1) event.preventDefault();
  }, { passive: false });
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") node.zoomBy(STEP);
    else if (event.key === "-") node.zoomBy(1 / STEP);
    else if (event.key === "0" || event.key === "Escape") node.zoomBy(1 / MOST);
    else if (scale > 1 && ARROWS[event.key]) {
      x += ARROWS[event.key][0];
      y += ARROWS[event.key][1];
      show();
    } else return;
    event.preventDefault();
  });
}
