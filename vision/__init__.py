"""From a frame to what is on the table: markers, cards, marks and faces. Decks are data in `vision/decks/`.

`reader.reader_of` gives the reader of a deck: `read` compares art, `marked` looks for marks first.
"""
