// Draws fields of a form from its JSON schema.

import { field, select, tick } from "./parts.js";
import { t } from "./words.js";

// Return the fields of one part of a form. A property's `word` is the key of its label; word_VALUE labels a choice.
// own: functions that draw a field instead, by its name; each gets the property.
export function fields(app, part, now, set, own = {}) {
  const form = app.loaded("form", "/api/settings/schema");
  if (!form || !form.properties) return null;
  const shown = Object.entries(form.properties).filter(([, one]) => one.part === part);
  return shown.map(([name, one]) => (own[name] ? own[name](one) : drawn(name, one, now[name], (value) => set({ [name]: value }))));
}

function drawn(name, { type, word, minimum, maximum, enum: values }, value, set) {
  if (type === "boolean") return tick(t(word), value, set);
  if (values) return select(name, t(word), values.map((one) => [one, t(`${word}_${one}`)]), value, set);
  // A number from 0 to 1, as percent.
  const range = { type: "range", min: 100 * minimum, max: 100 * maximum, step: 5, onchange: (event) => set(Number(event.target.value) / 100) };
  return field(name, t(word), String(Math.round(100 * value)), () => null, range);
}
