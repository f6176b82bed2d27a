// What a browser keeps is a convenience: a private window keeps nothing, and is asked once more.

export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It holds as long as the page.
  }
}
