"""A table that renders itself, for the demo, the benchmarks and the tests."""
