// Where the page is, for who has no page yet: as a QR code, and to be typed.

import { h } from "./dom.js";
import { t } from "./words.js";

// key: the sentence to say it in, with {address}.
export function whereabouts(app, key) {
  const { local } = app;
  if (!local.askedAddress) {
    local.askedAddress = true;
    app.load("address", "/api/address");
  }
  if (!local.address || local.address.fault) return null;
  const address = local.address.address.replace(/^http:\/\/|\/$/g, "");
  return h(
    "figure",
    { class: "whereabouts", key: "whereabouts" },
    h("img", { src: "/qr.svg", alt: t("qr_alt"), width: 132, height: 132 }),
    h("figcaption", {}, key ? t(key, { address }) : [t("qr_more"), h("strong", {}, address)]),
  );
}
