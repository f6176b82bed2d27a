"""A lesson on the page: a family lays out its cards, names the found faces, and gets a deck."""
