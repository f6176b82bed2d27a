"""Names of mishaps (`referee.match.monitor`)."""

GUARD = "guard "
"""Begins the names of mishaps on the health board."""
