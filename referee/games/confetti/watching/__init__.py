"""From what is on the table, and the sandtimer, to a round of Confetti's events."""
