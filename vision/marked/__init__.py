"""Reads cards that are identified by marks, such as Confetti's; start at `reader`."""
