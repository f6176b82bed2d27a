"""Rules, one folder a game: events in, rulings out; no clocks, files or devices."""

GAME_NAMES = ("confetti", "piccolino", "coloretto")
"""What each game is called in commands, headers and files."""
