"""What gates a release: each module measures one thing, `python -m tools.bench.NAME --help`."""
