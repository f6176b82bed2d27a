"""From a frame to what is on the table: markers, cards, marks and faces. Decks are data in `vision/decks/`.

Here is what all decks share; each kind of deck is read by a package of its own: `marked`, `prints`, `unknown`.
"""
