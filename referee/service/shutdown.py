"""The end of the process: in time and in order, whatever a thread is still at.

A thread deep in OpenCV or in a camera's driver cannot be told to stop. Python would wait for it or, when it comes back
from there while the interpreter is being taken down, abort. What the referee has said is in the journal by then, so
such a thread is left behind together with the process.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

LONGEST_S = 0.7
"""From the signal to the end of the process at the latest, s: systemd and people wait for less than 2."""


class Shutdown:
    """Sees to the end of the process.

    leave: ends it at once with a status; never returns, but in tests.
    """

    def __init__(self, leave: Callable[[int], object] = os._exit, longest_s: float = LONGEST_S) -> None:
        self._leave = leave
        self._timer = threading.Timer(longest_s, self._now, (0,))
        self._timer.name = "leaving"
        self._timer.daemon = True

    def begin(self) -> None:
        """Somebody has asked for the end: it comes in `longest_s` even if `end` is never called. May be asked again."""
        with suppress(RuntimeError):
            self._timer.start()

    def end(self, status: int, last_words: str = "") -> None:
        """All is stopped that can be; if a thread is left, ends the process at once, after its last words."""
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if busy_threads():
            if last_words:
                print(last_words, file=sys.stderr)
            self._now(status)

    def _now(self, status: int) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        self._leave(status)


def busy_threads() -> list[threading.Thread]:
    """Give all threads but this one that Python knows to be still running."""
    return [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
