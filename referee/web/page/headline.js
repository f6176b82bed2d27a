// What stands large: a verdict that waits for its ringer's name, or the latest ruling that decides something, with
// what followed from it in small.

import { count, t } from "./words.js";

const DECIDES = new Set(["ring", "unclear", "foul", "hand", "time", "round", "round_end", "arrangement", "end"]);

function decides(entry) {
  return entry.text && DECIDES.has((entry.ruling || {}).ruling);
}

// The verdict that was said of a ring whose ringer is asked for; it has no number yet, and nothing to look at.
export function waitingVerdict(app) {
  const asked = app.state.questions.find((one) => one.verdict && one.verdict.text);
  return asked ? asked.verdict : null;
}

// Give { title, reason, entry, together, after }: `together` are the hands of one count, `after` what followed.
export function headline(app) {
  const waiting = waitingVerdict(app);
  if (waiting) return single(app, waiting, []);
  const worded = app.state.rulings.filter((one) => one.text);
  const at = worded.findIndex(decides);
  if (at < 0) return worded.length ? single(app, worded[0], []) : null;
  const main = worded[at];
  if (main.ruling.ruling === "hand") {
    const together = worded.filter((one) => one.ruling.ruling === "hand" && one.t_ns === main.t_ns).reverse();
    if (together.length > 1) return { title: t("hands_counted"), reason: "", entry: main, together, after: [] };
  }
  return single(app, main, worded.slice(0, at).reverse());
}

function single(app, entry, after) {
  const [title, reason] = parted(app, entry);
  return { title, reason, entry, together: [], after };
}

// Whether a caption is about what these rulings say already; of long ones it has the beginning.
export function repeats(caption, rulings) {
  const start = caption.replace(/ …$/, "");
  return rulings.some((one) => one.text && (caption.includes(one.text) || one.text.includes(start)));
}

// The verdict comes first and is said loud; what follows is the reason.
export function parted(app, entry) {
  const ruling = entry.ruling || {};
  if (ruling.ruling === "hand") return handParts(app, entry);
  const pattern = ruling.ruling === "end" ? /^(.+?[.!?])(?:\s+(.+))?$/s : /^(.{3,60}?)(?::|(?<=[.!?]))\s+(.+)$/s;
  const match = pattern.exec(entry.text);
  return match ? [match[1].trim(), capital(match[2] || "")] : [entry.text, ""];
}

export function handParts(app, entry) {
  const { ruling } = entry;
  const place = app.state.board.find((one) => one.seat === ruling.seat);
  const name = place ? place.name : t("seat", { n: ruling.seat + 1 });
  const title = count("hand_points", ruling.points, { name });
  return [title, capital(entry.text.startsWith(name) ? entry.text.slice(name.length).replace(/^\s*:\s*/, "") : entry.text)];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
