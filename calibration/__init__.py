"""Measures and prints: what a table, a printer or a deck needs before a game."""
