// What is kept, for how long, and who sees it: three sentences.

import { h } from "./dom.js";
import { t } from "./words.js";

export function privacy(app) {
  const open = (app.state.settings || {}).open_pictures;
  return h(
    "section",
    { class: "privacy", key: "privacy", "aria-labelledby": "privacy-title" },
    h("h2", { id: "privacy-title" }, t("privacy")),
    ["privacy_what", "privacy_long", open ? "privacy_who_open" : "privacy_who"].map((key) => h("p", { class: "note", key }, t(key))),
  );
}
