"""The referee: the match and its store, announcements, the shown state, the devices and the threads."""
