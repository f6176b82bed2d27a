"""One game in progress: its inputs and rulings, in the order of time, live or from a recording."""
