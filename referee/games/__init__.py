"""Rules, one file a game: events in, rulings out; no clocks, files or devices."""
