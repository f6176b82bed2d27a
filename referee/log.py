"""Log of the referee: a line for each action on standard error. Players are seats, never names."""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Mapping

from referee.safe_text import harmless

LEVELS = ("debug", "info", "warning", "error")
MOST_KEPT = 200
LOG = logging.getLogger("ringmaster")
# Without it Python itself prints warnings in commands that keep no log.
LOG.addHandler(logging.NullHandler())


def begin_log(level: str, environment: Mapping[str, str] = os.environ) -> None:
    """Start the log at a level (one of `LEVELS`)."""
    # A closed standard error must not stop the referee, nor cause a traceback.
    logging.raiseExceptions = False
    handler = logging.StreamHandler(sys.stderr)
    # systemd's journal records the time.
    time = "" if "JOURNAL_STREAM" in environment else "%(asctime)s "
    handler.setFormatter(_OneLine(f"{time}%(levelname)s %(message)s"))
    LOG.handlers[1:] = [handler, KEPT]
    LOG.propagate = False
    LOG.setLevel(level.upper())


class _OneLine(logging.Formatter):
    """Formatter that keeps each entry on one line, whatever its values hold."""

    def format(self, record: logging.LogRecord) -> str:
        return harmless(" ".join(super().format(record).split()))


class _Kept(logging.Handler):
    """Handler that keeps the last lines for the page."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=MOST_KEPT)
        self.setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))

    def lines(self) -> list[str]:
        """Return the kept lines, oldest first."""
        return list(self._lines)


KEPT = _Kept()
