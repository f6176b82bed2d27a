"""For developers: benches and the release gate, art and rehearsal; nothing here is installed."""
