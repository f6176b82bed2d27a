// Updates the document to a tree of descriptions with few changes, so that focus and typed text stay.

const SVG = "http://www.w3.org/2000/svg";

// Return the description of an element. `key` identifies it among its siblings; on… are event handlers.
export function h(tag, props, ...children) {
  const flat = [];
  const add = (child) => {
    if (Array.isArray(child)) child.forEach(add);
    else if (child !== null && child !== undefined && child !== false && child !== "") flat.push(child);
  };
  children.forEach(add);
  return { tag, props: props || {}, children: flat };
}

// Change the children of `parent` to those described.
export function patch(parent, children) {
  let at = parent.firstChild;
  for (const child of children) {
    const found = matching(at, child);
    if (found) {
      if (found !== at) parent.insertBefore(found, at);
      else at = at.nextSibling;
      update(found, child);
    } else {
      parent.insertBefore(create(child, parent), at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    parent.removeChild(at);
    at = next;
  }
}

function matching(at, child) {
  if (typeof child !== "object") return at && at.nodeType === 3 ? at : null;
  for (let node = at; node; node = node.nextSibling) {
    if (node.drawnTag === child.tag && node.drawnProps.key === child.props.key) return node;
    if (child.props.key === undefined) return null;
  }
  return null;
}

function create(child, parent) {
  if (typeof child !== "object") return document.createTextNode(String(child));
  const isDrawing = child.tag === "svg" || parent.namespaceURI === SVG;
  const node = isDrawing ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  node.drawnTag = child.tag;
  node.drawnProps = {};
  update(node, child);
  if (child.props.onmade) child.props.onmade(node);
  return node;
}

function update(node, child) {
  if (typeof child !== "object") {
    if (node.data !== String(child)) node.data = String(child);
    return;
  }
  const before = node.drawnProps;
  node.drawnProps = child.props;
  for (const name of Object.keys(before)) {
    if (!(name in child.props)) set(node, name, null);
  }
  // Children come first: a select takes its value only when the option exists.
  patch(node, child.children);
  for (const [name, value] of Object.entries(child.props)) {
    if (before[name] !== value) set(node, name, value);
  }
}

function set(node, name, value) {
  if (name === "key" || name === "onmade") return;
  if (name.startsWith("on")) node[name] = value;
  else if (name === "place") Object.assign(node.style, value);
  else if (name === "value" || name === "checked") node[name] = value === null ? "" : value;
  else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}
