"""What the referee says, a module a game: a ruling as JSON in, sentences out."""
