// Returns the large verdict: one that waits for its ringer's name, or the latest ruling that decides something.

import { h } from "./dom.js";
import { ago, heading, icon, kindOf, nameOf } from "./parts.js";
import { count, t } from "./words.js";

const DECIDES = new Set(["ring", "unclear", "foul", "hand", "time", "round", "round_end", "arrangement", "end"]);

// Return the announced verdict of a ring whose ringer is asked for, or null; it has no id and no picture yet.
export function waitingVerdict(app) {
  const asked = app.state.questions.find((one) => one.verdict && one.verdict.text);
  return asked ? asked.verdict : null;
}

// Return { title, reason, kind, entry, isCount (of several hands), after (rulings that followed) }, or null.
export function headline(app) {
  const waiting = waitingVerdict(app);
  if (waiting) return single(app, waiting);
  const worded = app.state.rulings.filter((one) => one.text);
  const at = Math.max(0, worded.findIndex((one) => DECIDES.has(one.ruling.ruling)));
  const main = worded[at];
  if (!main) return null;
  const isCount = worded.filter((one) => one.ruling.ruling === "hand" && one.t_ns === main.t_ns).length > 1;
  if (isCount && main.ruling.ruling !== "end") return { title: t("hands_counted"), reason: "", kind: "time", sign: "end", entry: main, isCount, after: [] };
  return Object.assign(single(app, main, worded.slice(0, at).reverse()), { isCount });
}

// Return one ruling as a headline.
export function single(app, entry, after = []) {
  const [title, reason] = parted(app, entry);
  return { title, reason, kind: kindOf(entry), entry, isCount: false, after };
}

// Return the verdict's band under the picture, with `more` in its last line.
export function band(app, shown, ...more) {
  if (!shown) return h("section", { class: "verdict", key: "verdict" }, icon("info"), h("div", {}, heading(t("no_ruling_yet")), h("p", {}, t("no_ruling_more"))));
  const { title, reason, kind, entry, after = [] } = shown;
  return h("section", { class: `verdict ${kind}`, key: "verdict", "data-ruling": entry.id },
    icon(shown.sign || kind),
    h("div", {},
      heading(title),
      reason ? h("p", { class: "reason" }, reason) : null,
      after.length ? h("ul", { class: "after" }, after.map((one) => h("li", { key: one.id }, one.text))) : null,
      h("p", { class: "meta" }, entry.t_ns ? h("span", {}, ago(app, entry.t_ns)) : null, entry.corrected ? h("span", { class: "tag" }, t("corrected")) : null, more),
    ),
  );
}

// Return the caption, or "" where the rulings on the page contain it. A long caption is shortened by " …".
export function captionBeside({ state: { caption, rulings } }, shown) {
  const start = caption.replace(/ …$/, "");
  const { entry = null, after = [] } = shown || {};
  const there = entry ? [entry, ...after, ...rulings.filter((one) => one.t_ns === entry.t_ns)] : [];
  return there.some((one) => one.text && (caption.includes(one.text) || one.text.includes(start))) ? "" : caption;
}

// Return verdict and reason of a ruling's sentence.
function parted(app, entry) {
  const ruling = entry.ruling || {};
  if (ruling.ruling === "hand") return handParts(app, entry);
  const pattern = ruling.ruling === "end" ? /^(.+?[.!?])(?:\s+(.+))?$/s : /^(.{3,60}?)(?::|(?<=[.!?]))\s+(.+)$/s;
  const match = pattern.exec(entry.text);
  return match ? [match[1].trim(), capital(match[2] || "")] : [entry.text, ""];
}

function handParts(app, entry) {
  const { ruling } = entry;
  const name = nameOf(app, ruling.seat);
  return [count("hand_points", ruling.points, { name }), capital(entry.text.startsWith(name) ? entry.text.slice(name.length).replace(/^\s*:\s*/, "") : entry.text)];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function winnersOf(shown) {
  const { ruling, winners } = (shown && shown.entry.ruling) || {};
  return ruling === "end" && winners ? winners : [];
}
