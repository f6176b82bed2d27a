"""From a frame to what lies on the table: markers, cards, marks and faces. Decks are data in `vision/decks/`."""
