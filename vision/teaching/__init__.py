"""Learns a deck from pictures of cards that do not touch: each face's art, and the faces that resemble each other."""
