"""The sandtimer: what its barrier and tilt switch tell, and the times told from it."""
