"""Shared parts of watchers, which turn frames and device events into the game's events."""
