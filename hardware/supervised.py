"""Threads that restart: an exception is logged and reported, and the work begins again after a wait."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

FIRST_WAIT_S, LAST_WAIT_S = 1.0, 30.0
WELL_S = 30.0
"""A thread without an exception for this long counts as well, and its next wait is short again."""
_LOG = logging.getLogger("ringmaster")


def nothing(*_: object, **__: object) -> None:
    """Ignore all arguments: a stand-in for unwanted reports and missing devices."""


def log_fault(what: str, fault: Exception) -> None:
    """Log an exception in one line with its place, and its traceback at level DEBUG."""
    last = next(reversed(traceback.extract_tb(fault.__traceback__)), None)
    place = "" if last is None else f" ({Path(last.filename).name}:{last.lineno})"
    _LOG.error("%s: %s: %s%s; please report it", what, type(fault).__name__, fault, place)
    _LOG.debug("%s", what, exc_info=fault)


class SupervisedThread:
    """Runs `work` on a daemon thread until it returns; restarts it after a growing wait when it raises.

    work: must return soon after `stopping` is set. on_fault: called with the exception, on the thread itself. on_well:
    called from a timer, when the thread has run for `WELL_S` after an exception.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], None],
        on_fault: Callable[[Exception], None] = nothing,
        on_well: Callable[[], None] = nothing,
        first_wait_s: float = FIRST_WAIT_S,
    ) -> None:
        self.name = name
        self.stopping = threading.Event()
        self.faults_in_a_row = 0
        self._work, self._on_fault, self._on_well, self._first_wait_s = work, on_fault, on_well, first_wait_s
        self._well: threading.Timer | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start; a stopped thread may start again."""
        self.stopping.clear()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float | None = None) -> None:
        """Stop the work and wait for its end; harmless before `start`."""
        self.stopping.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    @property
    def is_alive(self) -> bool:
        """Return whether the thread is working or waiting to restart."""
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        while not self.stopping.is_set():
            began_s = time.monotonic()
            try:
                self._work()
                break
            except Exception as fault:  # Every exception of a thread ends here and is reported.
                self._report(fault, time.monotonic() - began_s)
            # Doubled each time; 2 ** 5 is past LAST_WAIT_S.
            wait_s = self._first_wait_s * 2 ** min(self.faults_in_a_row - 1, 5)
            if not self.stopping.wait(min(wait_s, LAST_WAIT_S)):
                self._well = threading.Timer(WELL_S, self._on_well)
                self._well.daemon = True
                self._well.start()
        if self._well is not None:
            self._well.cancel()

    def _report(self, fault: Exception, ran_s: float) -> None:
        if self._well is not None:
            self._well.cancel()
        self.faults_in_a_row = 1 if ran_s > WELL_S else self.faults_in_a_row + 1
        log_fault(f"the part “{self.name}” failed and begins again", fault)
        try:
            self._on_fault(fault)
        except Exception as other:  # The reporting itself may have failed.
            log_fault(f"the failure of “{self.name}” could not be reported", other)
