// What lies on the table in hands and piles, so that a finger needs no aim: one is opened large, then its cards are.

const NEAR = 0.03; // of the picture: what belongs to no seat and lies so near is one pile
const ROOM = 0.12; // of the picture, round an opened hand

// Give [{ seat, outlines, box: [left, top, right, bottom] }], all in shares of the picture.
export function hands(outlines) {
  const groups = [];
  for (const outline of outlines) {
    const box = boxOf(outline.corners);
    const seated = outline.seat !== null;
    const joined = groups.filter((one) => (seated ? one.seat === outline.seat : one.seat === null && touch(one.box, box)));
    const whole = { seat: outline.seat, outlines: joined.flatMap((one) => one.outlines).concat([outline]), box: joined.reduce((all, one) => union(all, one.box), box) };
    joined.forEach((one) => groups.splice(groups.indexOf(one), 1));
    groups.push(whole);
  }
  return groups;
}

// The part of the picture that shows a hand large, in the picture's own shape: [left, top, width, height].
export function windowOn(box) {
  const size = Math.min(1, Math.max(box[2] - box[0], box[3] - box[1]) + ROOM);
  const at = (from, to) => Math.min(1 - size, Math.max(0, (from + to - size) / 2));
  return [at(box[0], box[2]), at(box[1], box[3]), size, size];
}

// Whether the middle of something lies in a part of the picture.
export function isIn([left, top, width, height], corners) {
  const box = boxOf(corners);
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return x >= left && x <= left + width && y >= top && y <= top + height;
}

// In the middle of what it is about, at least as large as a finger, and whole within the picture.
export function spot([left, top, right, bottom]) {
  const middle = (from, to) => `clamp(22px, ${(from + to) * 50}%, calc(100% - 22px))`;
  return { left: middle(left, right), top: middle(top, bottom), width: `${(right - left) * 100}%`, height: `${(bottom - top) * 100}%` };
}

export function boxOf(corners) {
  const xs = corners.map((corner) => corner[0]);
  const ys = corners.map((corner) => corner[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function union(a, b) {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

function touch(a, b) {
  return a[0] - NEAR <= b[2] && b[0] - NEAR <= a[2] && a[1] - NEAR <= b[3] && b[1] - NEAR <= a[3];
}
