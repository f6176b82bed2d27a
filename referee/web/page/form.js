// Fields of a form, drawn from the JSON schema of what they change.

import { field, select, tick } from "./parts.js";
import { t } from "./words.js";

// The fields of one part of a form. A property's `word` is the key of its label, and with a value that of a choice.
// own: by name, what draws a field that only its view can; each gets the property.
export function fields({ local: { form } }, part, now, set, own = {}) {
  if (!form || !form.properties) return null;
  const shown = Object.entries(form.properties).filter(([, one]) => one.part === part);
  return shown.map(([name, one]) => (own[name] ? own[name](one) : drawn(name, one, now[name], (value) => set({ [name]: value }))));
}

function drawn(name, { type, word, minimum, maximum, enum: values }, value, set) {
  if (type === "boolean") return tick(t(word), value, set);
  if (values) return select(name, t(word), values.map((one) => [one, t(`${word}_${one}`)]), value, set);
  // A share, in steps of a twentieth.
  const range = { type: "range", min: 100 * minimum, max: 100 * maximum, step: 5, onchange: (event) => set(Number(event.target.value) / 100) };
  return field(name, t(word), String(Math.round(100 * value)), () => null, range);
}
