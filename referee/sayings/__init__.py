"""The referee's sentences: turn rulings as JSON into words."""
