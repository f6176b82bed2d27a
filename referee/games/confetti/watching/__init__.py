"""From the table and the sandtimer to the events of a round of Confetti."""
