"""Runs `ringmaster` in processes of its own, to see what one start costs in time and memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

from referee.errors import WorkFailedError

_RINGMASTER = "import sys; from referee.cli import main; sys.exit(main())"
# A child starts with its parent's peak, so a small process has to stand between us and the one that is measured.
_LAUNCHER = (
    "import os, subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', *sys.argv[1:]], stdout=subprocess.DEVNULL)\n"
    "_, status, usage = os.wait4(child.pid, 0)\n"
    "child.returncode = os.waitstatus_to_exitcode(status)\n"
    "unit = 1 if sys.platform == 'darwin' else 1024\n"
    "print(usage.ru_maxrss * unit)\n"
    "sys.exit(1 if child.returncode else 0)\n"
)


def run_seconds(arguments: Sequence[str], stdin: str) -> float:
    """Run `ringmaster` with these arguments and this input, and give the seconds from start to end.

    Raises:
        WorkFailedError: it failed.
    """
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RINGMASTER, *arguments], input=stdin, capture_output=True, text=True, check=False
    )
    seconds = perf_counter() - start
    if done.returncode:
        raise WorkFailedError(_failure(arguments, done.stderr))
    return seconds


def peak_bytes(arguments: Sequence[str]) -> int:
    """Run `ringmaster` with these arguments, and give the most memory that it held (resident, its libraries included).

    Raises:
        WorkFailedError: it failed.
    """
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, _RINGMASTER, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise WorkFailedError(_failure(arguments, done.stderr))
    return int(done.stdout)


def _failure(arguments: Sequence[str], stderr: str) -> str:
    last = (stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"ringmaster {arguments[0]} failed: {last}"
