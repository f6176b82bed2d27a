// What a browser keeps is a convenience: a private window keeps nothing, and is asked once more.

export function kept(key) {
  let text = null;
  try {
    text = localStorage.getItem(key);
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It holds as long as the page.
  }
}
