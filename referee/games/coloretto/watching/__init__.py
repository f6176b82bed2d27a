"""From rows and areas, look by look, to Coloretto's moves."""
