"""For developers: benchmarks and the release gate, training, art and rehearsal; not installed."""
