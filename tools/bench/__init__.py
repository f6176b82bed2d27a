"""The measurements that gate a release: a module each, `python -m tools.bench.NAME --help`."""
