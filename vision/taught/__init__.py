"""Decks that a family taught: as one file that can be sent to a friend."""
