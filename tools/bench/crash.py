"""The referee is killed at random instants, and its journal is held to its word: `python -m tools.bench.crash`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.crash import crash_often
from tools.bench.common import Row, command, say


def measure(kills: int = 300, seed: int = 1, forgetful: bool = False) -> Row:
    """Kill it so often; with `forgetful`, what was not synced to the disk is lost, too."""
    with tempfile.TemporaryDirectory(prefix="ringmaster-crash-") as folder:
        verdict = crash_often(kills, seed, forgetful=forgetful, folder=Path(folder))
    say(verdict.as_json())
    return Row(verdict.kills, verdict.kills - len(verdict.faults), 0, len(verdict.faults))


if __name__ == "__main__":
    command(measure)
