"""Prints decks and surveys a table before a game."""
