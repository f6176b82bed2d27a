"""Runs `ringmaster` in processes of its own, to see what one start costs in time and memory, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
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


# The same with all that the child says, and how it ended, whatever way that was.
_WITNESS = (
    "import json, os, subprocess, sys, threading\n"
    "pipe, none = subprocess.PIPE, subprocess.DEVNULL\n"
    "child = subprocess.Popen([sys.executable, '-c', *sys.argv[2:]], stdin=none, stdout=pipe, stderr=pipe)\n"
    "said = {}\n"
    "hear = lambda name: said.__setitem__(name, getattr(child, name).read().decode('utf-8', 'replace'))\n"
    "ears = [threading.Thread(target=hear, args=(name,)) for name in ('stdout', 'stderr')]\n"
    "for ear in ears: ear.start()\n"
    "late = threading.Timer(float(sys.argv[1]), child.kill)\n"
    "late.start()\n"
    "_, status, usage = os.wait4(child.pid, 0)\n"
    "late.cancel()\n"
    "child.returncode = os.waitstatus_to_exitcode(status)\n"
    "for ear in ears: ear.join()\n"
    "unit = 1 if sys.platform == 'darwin' else 1024\n"
    "seconds = usage.ru_utime + usage.ru_stime\n"
    "print(json.dumps([child.returncode, said['stdout'], said['stderr'], usage.ru_maxrss * unit, seconds]))\n"
)


@dataclass(frozen=True)
class Spent:
    """Seconds from start to end, and seconds of processor time, which a busy machine does not stretch."""

    wall_s: float
    processor_s: float


@dataclass(frozen=True)
class Ended:
    """How a start of `ringmaster` ended.

    status: its exit status, or the signal that ended it, negated; peak_bytes: as `peak_bytes`; processor_s: its
    processor time.
    """

    status: int
    stdout: str
    stderr: str
    peak_bytes: int
    processor_s: float


def end_of(arguments: Sequence[str], longest_s: float) -> Ended:
    """Run `ringmaster` with these arguments to whatever end it comes to; after `longest_s` it is killed.

    Raises:
        WorkFailedError: no process could be started.
    """
    done = subprocess.run(
        [sys.executable, "-c", _WITNESS, str(longest_s), _RINGMASTER, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkFailedError(_failure(arguments, done.stderr))
    return Ended(*json.loads(done.stdout))


def run_seconds(arguments: Sequence[str], stdin: str) -> Spent:
    """Run `ringmaster` with these arguments and this input, and give what it took.

    Raises:
        WorkFailedError: it failed.
    """
    before, start = os.times(), perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RINGMASTER, *arguments], input=stdin, capture_output=True, text=True, check=False
    )
    seconds, after = perf_counter() - start, os.times()
    if done.returncode:
        raise WorkFailedError(_failure(arguments, done.stderr))
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(seconds, used)


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
