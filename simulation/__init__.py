"""A table that renders itself, for the demo, the bench and the tests."""
