"""The referee: rules as pure code in `games/`, and the command line."""
