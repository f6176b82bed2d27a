"""For developers: benches and the release gate, training, art and rehearsal; nothing here is installed."""
