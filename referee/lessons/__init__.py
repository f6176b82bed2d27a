"""A lesson on the page: a family lays its cards, names what was found, and gets a deck."""
