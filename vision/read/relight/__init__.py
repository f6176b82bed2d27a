"""Matches faces to a card in the light that suits each best: the second look at a card that is in doubt."""
