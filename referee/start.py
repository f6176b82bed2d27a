"""Where the `ringmaster` command begins: nothing is imported before Ctrl-C has an answer."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and give its exit status."""
    try:
        from referee.cli import main as command

        return command()
    except KeyboardInterrupt:
        print("ringmaster: stopped", file=sys.stderr)
        return 130
