// Returns the page's words in the table's language, from the referee's catalogues.

import { read } from "./server.js";

let words = {};
let language = "en-GB";
let plural = new Intl.PluralRules(language);

export async function learn(code) {
  words = await read(`/api/words/${code}`);
  language = code === "en" ? "en-GB" : code;
  plural = new Intl.PluralRules(language);
  document.documentElement.lang = code;
}

export function t(key, values) {
  return filled(words[key] === undefined ? key : words[key], values);
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (values && name in values ? String(values[name]) : whole));
}

export function has(key) {
  return words[key] !== undefined;
}

// Return a text in its form for a number: "1 round", "2 rounds".
export function count(key, n, values) {
  const forms = words[key] || { other: key };
  return filled(forms[plural.select(n)] || forms.other, Object.assign({ n: signed(n) }, values));
}

// Return a number with a minus sign: a line may break after a hyphen.
export function signed(n) {
  return String(n).replace("-", "−");
}

export function day(iso, style) {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toLocaleDateString(language, style || { dateStyle: "full" });
}

export function clock(iso) {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
}

export function number(value, digits) {
  return value.toLocaleString(language, { maximumFractionDigits: digits || 0 });
}
