"""From a frame to what lies on the table: markers, cards, marks and faces. Decks are data in `vision/decks/`.

Here lies what all decks share; each kind of deck is read by a package of its own: `marked`, `prints`, `unknown`.
"""
