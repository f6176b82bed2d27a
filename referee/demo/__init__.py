"""The demonstration: games played on the simulated table, and the scripts that they follow."""
