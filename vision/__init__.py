"""From a frame to the cards on a table. Decks are data in `vision/decks/`; no other folder is imported.

`reader.reader_of` gives the reader of a deck: `read` compares art, `marked` looks for marks first.
"""
