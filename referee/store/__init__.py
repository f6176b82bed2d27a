"""The journal: games, events, rulings, corrections and evidence; a power cut loses nothing that was announced."""
