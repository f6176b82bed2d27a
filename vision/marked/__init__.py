"""Reads cards that marks tell apart, as Confetti's: `reader` is where to begin."""
