"""Reads decks whose cards are identified by their print: art, numbers, a symbol in a corner.

A print needs no frame, no border and no ground. A deck is a rectified picture of each face, drawn by us or taught by a
family.
"""
