"""The commands of `ringmaster`, one module each: `SUMMARY`, `add_arguments(parser)` and `run(args) -> exit status`."""
