"""Entry point of `ringmaster`: handles Ctrl-C before anything else is imported."""

from __future__ import annotations

import os
import sys

# Our matrices are small: threads over one of them wait longer for each other than they compute. On a busy machine a
# reading was up to twenty times slower. numpy reads the variable once, on import.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> int:
    """Run the command line and return its exit status."""
    try:
        from referee.commands import main as command

        return command()
    except KeyboardInterrupt:
        print("ringmaster: stopped", file=sys.stderr)
        return 130
