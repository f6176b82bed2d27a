"""Training of the card finder: synthetic tables, network, export and evaluation."""
