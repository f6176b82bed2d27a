"""Kills the referee at random instants, and checks that its journal is complete: `python -m tools.bench.crash`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.crash import crash_often
from tools.bench.common import Row, command, say


def measure(kills: int = 300, seed: int = 1, forgetful: bool = False) -> Row:
    """Kill the referee `kills` times; with `forgetful`, data that was not synced to the disk is lost, too."""
    with tempfile.TemporaryDirectory(prefix="ringmaster-crash-") as folder:
        verdict = crash_often(kills, seed, forgetful=forgetful, folder=Path(folder))
    say(verdict.as_json())
    return Row(verdict.kills, verdict.kills - len(verdict.faults), 0, len(verdict.faults))


if __name__ == "__main__":
    command(measure)
