// What a person would find wrong with the page as it stands, a sentence each. due: what has to be in sight.
(due) => {
  const faults = new Set();
  const seen = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && node.checkVisibility({ visibilityProperty: true }) && !node.closest(".sr, [inert]") && !(node.closest("details:not([open])") && !node.closest("summary"));
  };
  const named = (node) => `${node.tagName.toLowerCase()}.${String(node.getAttribute("class") || "").trim().replaceAll(" ", ".")} “${(node.getAttribute("aria-label") || node.textContent || node.id).trim().slice(0, 40)}”`;
  // What stays while the rest scrolls: each such thing is a layer of its own.
  const fixed = (node) => {
    for (let one = node; one; one = one.parentElement) if (["fixed", "sticky"].includes(getComputedStyle(one).position)) return one;
    return null;
  };
  const all = [...document.querySelectorAll("body *")].filter((node) => !node.closest("svg") && seen(node));

  // A box or a dial is tapped by its label.
  const targets = all
    .filter((node) => node.matches("a[href], button, select, summary, textarea, input"))
    .map((node) => (node.matches("input[type=checkbox], input[type=radio]") && node.closest("label")) || node);
  for (const node of targets) {
    const box = node.getBoundingClientRect();
    if (box.width < 43.5 || box.height < 43.5) faults.add(`small, ${Math.round(box.width)} by ${Math.round(box.height)}: ${named(node)}`);
  }

  const texts = all.filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) && !node.matches("option, script, style"));
  const inScroll = (node) => Boolean(node.closest(".scroll, .log"));
  for (const node of texts) {
    for (let one = node; one !== document.body; one = one.parentElement) {
      const style = getComputedStyle(one);
      const wide = one.scrollWidth > one.clientWidth + 1 && ["hidden", "clip"].includes(style.overflowX);
      const tall = one.scrollHeight > one.clientHeight + 2 && ["hidden", "clip"].includes(style.overflowY);
      // In a plan of seats and on a picture a name may be shortened: it stands whole beside them.
      if ((wide || tall) && !one.closest(".seats, .picture, .paper, .tv-winner, .zoomable")) faults.add(`cut: ${named(one)}`);
    }
    const box = node.getBoundingClientRect();
    if (!inScroll(node) && (box.right > innerWidth + 1 || box.left < -1)) faults.add(`beside the screen: ${named(node)}`);
    if (document.body.matches(".tv") && box.bottom > innerHeight + 1) faults.add(`below the screen: ${named(node)}`);
    const row = node.closest(".tv-board li");
    if (row && (box.bottom > row.getBoundingClientRect().bottom + 1 || box.top < row.getBoundingClientRect().top - 1)) faults.add(`cut: ${named(node)}`);
    for (const child of node.childNodes) if (child.nodeType === 3) brokenWords(child, node);
  }

  function brokenWords(text, node) {
    if (node.matches(".log, .whereabouts strong, .tv-idle *") || inScroll(node)) return;
    const range = document.createRange();
    for (const word of text.data.matchAll(/[\p{L}\d]{2,}/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const rows = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (rows.size > 1) faults.add(`broken inside: “${word[0]}” in ${named(node)}`);
    }
  }

  // Things that scroll pass beneath what is fixed; among their like nothing overlaps.
  const parts = [...new Set(targets.concat(texts))].filter((node) => !node.closest(".picture, .zoomable, .seats, .paper"));
  // What a table that scrolls holds beyond its edge is not there.
  const within = (node) => {
    const [box, window_] = [node.getBoundingClientRect(), node.parentElement.closest(".scroll, .stuck")];
    if (!window_) return box;
    const edge = window_.getBoundingClientRect();
    return { left: Math.max(box.left, edge.left), right: Math.min(box.right, edge.right), top: Math.max(box.top, edge.top), bottom: Math.min(box.bottom, edge.bottom) };
  };
  const boxes = parts.map((node) => ({ node, layer: fixed(node), box: within(node) }));
  for (let at = 0; at < boxes.length; at += 1) {
    for (let other = at + 1; other < boxes.length; other += 1) {
      const [a, b] = [boxes[at], boxes[other]];
      if (a.layer !== b.layer || a.node.contains(b.node) || b.node.contains(a.node)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const tall = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 3 && tall > 3 && getComputedStyle(a.node).display !== "inline" && getComputedStyle(b.node).display !== "inline") faults.add(`over each other: ${named(a.node)} and ${named(b.node)}`);
    }
  }

  // What is said for a moment covers neither scores nor what is tapped.
  const said = document.querySelector(".said-now");
  for (const node of said && seen(said) ? document.querySelectorAll("nav a, .bells, .board li, main button") : []) {
    const [a, b] = [said.getBoundingClientRect(), node.getBoundingClientRect()];
    const isUnder = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    if (isUnder && (fixed(node) || scrollY === 0)) faults.add(`covered by what is said: ${named(node)}`);
  }

  if (document.documentElement.scrollWidth > innerWidth) faults.add("wider than the screen");
  for (const one of due) {
    const there = [...document.querySelectorAll(one)].some((node) => {
      const box = node.getBoundingClientRect();
      return seen(node) && box.top >= -1 && box.top + Math.min(box.height, 44) <= innerHeight + 1 && node.contains(document.elementFromPoint(box.left + box.width / 2, Math.max(1, box.top + Math.min(box.height, 44) / 2)));
    });
    if (!there) faults.add(`out of sight: ${one}`);
  }
  return [...faults];
}
