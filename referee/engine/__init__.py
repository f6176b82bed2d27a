"""One game in progress: what it is told and answers, in the order of time, live or from a recording."""
