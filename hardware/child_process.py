"""A child program that may hang or crash without affecting this process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence

LONGEST_COMPLAINT = 120


class Child:
    """A running program. Raises OSError if it cannot be started.

    text: written to its standard input; up to 60,000 bytes fit into the pipe without waiting.
    nice: 0 is this process's priority, 19 the lowest.
    """

    def __init__(self, command: Sequence[str], text: str = "", nice: int = 0) -> None:
        with contextlib.ExitStack() as files:
            self._stderr = files.enter_context(tempfile.TemporaryFile())
            # `end` kills the whole session: the program's own children, too.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                start_new_session=True,
            )
            self._files = files.pop_all()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, nice)
        self._give(text)

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.poll()

    def end(self) -> str:
        """End the program if it still runs; return its last line on stderr, "" for nothing."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # A program held inside a driver cannot be killed; it is abandoned.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").split("\n")
        self._files.close()
        said = [" ".join(line.split()) for line in lines if line.strip()]
        return said[-1][:LONGEST_COMPLAINT] if said else ""

    def _give(self, text: str) -> None:
        stdin = self._process.stdin
        if stdin is not None:
            # The program may have ended before reading.
            with contextlib.suppress(OSError):
                stdin.write(text.encode("utf-8", "replace"))
            with contextlib.suppress(OSError):
                stdin.close()
