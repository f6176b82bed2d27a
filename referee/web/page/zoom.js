// Enlarges a picture by two fingers, double tap, wheel, + and −; it then scrolls in its frame.

import { h } from "./dom.js";
import { button } from "./parts.js";
import { t } from "./words.js";

const MOST = 8;
const STEP = 1.6;
const KEYS = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 1 / MOST, Escape: 1 / MOST };

// Return a picture that can be enlarged; `more`: buttons beside − and +.
export function zoomable(key, content, more) {
  const step = (text, factor, name) => button(text, (event) => event.currentTarget.closest(".zoom").firstChild.zoomBy(factor), { "aria-label": t(name), key: name });
  const frame = { class: "zoomable", key: "picture", tabindex: "0", role: "group", "aria-label": t("zoom_picture"), onmade: follow };
  return h("div", { class: "zoom", key }, h("div", frame, h("div", { class: "zoomed" }, content)), h("div", { class: "over-picture", key: "buttons" }, more, step("−", 1 / STEP, "zoom_out"), step("+", STEP, "zoom_in")));
}

function follow(node) {
  let scale = 1;
  let apart = 0; // distance of two fingers, px
  const on = (name, heard) => node.addEventListener(name, heard, { passive: false });

  // Scale the picture around a point of the window.
  function zoom(factor, { clientX, clientY }) {
    const box = node.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const next = Math.min(MOST, Math.max(1, scale * factor));
    const [left, top] = [((node.scrollLeft + x) * next) / scale - x, ((node.scrollTop + y) * next) / scale - y];
    scale = next;
    node.firstChild.style.transform = scale > 1 ? `scale(${scale})` : "";
    node.classList.toggle("larger", scale > 1);
    node.scrollTo(left, top);
  }

  node.zoomBy = (factor) => {
    const box = node.getBoundingClientRect();
    zoom(factor, { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 });
  };
  on("dblclick", (event) => zoom(scale > 1 ? 1 / MOST : 3, event));
  on("touchstart", () => {
    apart = 0;
  });
  on("touchmove", (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [a, b] = event.touches;
    const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    if (apart) zoom(now / apart, { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 });
    apart = now;
  });
  on("dragstart", (event) => event.preventDefault());
  on("pointermove", (event) => event.pointerType === "mouse" && event.buttons === 1 && node.scrollBy(-event.movementX, -event.movementY));
  // The wheel scrolls the page until the picture has the focus.
  on("wheel", (event) => {
    if (!event.ctrlKey && scale === 1 && document.activeElement !== node) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event);
  });
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    node.zoomBy(KEYS[event.key]);
  });
}
