"""Finds cards of a deck that nobody has described: `find_cards` for the cards, `unknown_deck` for their marks, too."""
