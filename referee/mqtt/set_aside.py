"""Unusable messages, kept with the reason in a file."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

from referee.jsonlines import to_line
from referee.log import LOG
from referee.store.games import iso_time

FILE = "set-aside.jsonl"
MOST_BYTES, MOST_SHOWN = 1 << 18, 2000
"""Limit of the file, which is then replaced, and of each message's text."""


class SetAside:
    """Writes unusable messages to a file. count: messages since the start. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = threading.Lock()
        self.count = 0

    def put(self, topic: str, payload: bytes, reason: object) -> None:
        """Append a message with the reason; a full disk loses the entry, but stops no thread."""
        why = " ".join(f"{type(reason).__name__}: {reason}".split() if isinstance(reason, Exception) else [str(reason)])
        message = payload[:MOST_SHOWN].decode(errors="backslashreplace")
        at = iso_time(time.time_ns() // 1_000_000)
        line = to_line({"at": at, "topic": topic[:200], "reason": why[:300], "message": message})
        LOG.warning("a message was set aside: %s", why[:300])
        with self._lock, suppress(OSError):
            self.count += 1
            if self._path.exists() and self._path.stat().st_size > MOST_BYTES:
                self._path.replace(self._path.with_suffix(".old.jsonl"))
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(line + "\n")
