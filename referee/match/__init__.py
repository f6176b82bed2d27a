"""The referee at work: the game on the table and its store, what is announced and shown, the devices, the threads."""
