"""Draws the decks that are our own; `make art` puts them into their files."""
