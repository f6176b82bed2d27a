"""Draws our own decks; `make art` writes them into their files."""
