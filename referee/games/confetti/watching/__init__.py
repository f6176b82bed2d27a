"""From what lies on the table, and the sandtimer, to a round of Confetti's events."""
