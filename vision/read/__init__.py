"""Reads decks whose cards are identified by their print: art, numbers, a symbol in a corner.

Nothing is taken for granted of a print: no frame, no border, no ground. A deck is a picture of each face, put straight,
whether we drew it or a family taught it.
"""
