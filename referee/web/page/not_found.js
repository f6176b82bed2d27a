// What a table may do without: asked about once, all in one, and not again.

import { h } from "./dom.js";
import { keep, kept } from "./kept.js";
import { button, icon } from "./parts.js";
import { canSpeak, HERE } from "./speech.js";
import { t } from "./words.js";

const KEPT = "ringmaster-not-found";
const WITHOUT = { speaker: { loudspeaker: false }, bell: { bell: "none" }, sandtimer: { sandtimer: false }, lamp: { lamp: false } };
let put = kept(KEPT);

const kindOf = (device) => device.name.split(" ")[0];

export function isOptional(device) {
  return device.state === "missing" && kindOf(device) in WITHOUT;
}

export function speaksSomewhere(state) {
  return Boolean(state.settings.voice_page);
}

export function notFound(app, devices) {
  const kinds = [...new Set(devices.map(kindOf))].sort();
  if (!kinds.length || kinds.join() === put) return null;
  const names = kinds.map((kind) => t(`device_${kind}`)).join(", ");
  // Until others are missing than these.
  const later = () => {
    put = kinds.join();
    keep(KEPT, put);
    app.draw();
  };
  const settle = (part) => app.run(Object.assign({ do: "settings" }, part), () => app.toasted(t("saved")));
  return h(
    "section",
    { class: "alert asking unclear", key: "not-found", "aria-labelledby": "not-found-title" },
    icon("unclear"),
    h(
      "div",
      {},
      h("p", { id: "not-found-title" }, t("not_found", { names })),
      h(
        "div",
        { class: "row" },
        button(t("not_found_none"), () => settle(Object.assign({}, ...kinds.map((kind) => WITHOUT[kind])))),
        kinds.includes("speaker") && canSpeak() ? button(t("voice_here"), () => settle({ voice_page: HERE })) : null,
        h("a", { class: "button", href: "#settings" }, t("not_found_choose")),
        button(t("not_found_later"), later, { class: "quiet" }),
      ),
    ),
  );
}
