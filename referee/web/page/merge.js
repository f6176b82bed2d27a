// The table's state, put together from the parts that come when they change.

export function merged(state, parts) {
  const fresh = Object.assign({}, parts);
  // Of the rulings only the new ones come, if the others are here already.
  if (fresh.rulings_more) {
    const { first, keep } = fresh.rulings_more;
    fresh.rulings = first.concat(state.rulings.slice(0, keep));
    delete fresh.rulings_more;
  }
  return Object.assign({}, state, fresh);
}
