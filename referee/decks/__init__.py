"""The decks of a family: stored in the state folder, listed, sent, loaded, and found by name."""
