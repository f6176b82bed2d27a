"""Matches faces to a card, each in its best light: the second verdict on a doubtful card."""
