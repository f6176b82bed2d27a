"""From a frame to the cards on a table. Decks are data in `vision/decks/`; no other folder is imported.

`find` proposes poses, `read` identifies cards, `piles` tracks them; `marked` reads decks of marks, `teaching` learns
new decks.
"""
