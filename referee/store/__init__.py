"""The journal: games, events, rulings, corrections and evidence, kept so that a cut of the power loses nothing told."""
