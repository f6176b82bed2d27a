"""The decks of a family: kept in the state folder, listed, sent and loaded, and found by what people call them."""
