"""Sentences of the referee: a ruling as JSON in, sentences out."""
