"""The games: a folder each, behind one `GameKind`; their rules are pure."""

GAME_NAMES = ("confetti", "piccolino", "coloretto")
"""Names of the games in commands, headers and files; kept here so that commands need not import a game."""
