"""Rules, one folder a game: events in, rulings out; no clocks, files or devices."""
