"""The demonstration: games on the simulated table, and their scripts."""
