"""The games, a folder each, and all that tells one from another (`kind`); their rules are pure."""

GAME_NAMES = ("confetti", "piccolino", "coloretto")
"""What each game is called in commands, headers and files; here too, so that commands can name them and load none."""
