"""Tools for developers; the program never imports them."""
