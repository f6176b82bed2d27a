"""What looks on for each game: from frames and device events to the game's events. One module a game."""
