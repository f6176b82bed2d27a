"""Decks whose cards are told by what is printed on them, whatever that is: art, numbers, a symbol in a corner.

Nothing is taken for granted of a print: no frame, no border, no ground. A deck is a picture of each face, put straight,
whether we drew it or a family taught it.
"""
