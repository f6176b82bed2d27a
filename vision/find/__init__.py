"""Finds cards of any deck on a table with a small network."""
