"""Lines for standard output, in UTF-8 whatever the locale says: JSON must be, and names may need it."""

from __future__ import annotations

import sys


class Output:
    """Gathers lines and writes them together; nothing is out before `flush`, or before many lines have gathered."""

    _MANY = 500

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, text: str) -> None:
        """Add a line."""
        self._lines.append(text)
        if len(self._lines) >= self._MANY:
            self.flush()

    def flush(self) -> None:
        """Write out all lines so far."""
        if self._lines:
            self._lines.append("")
            sys.stdout.buffer.write("\n".join(self._lines).encode("utf-8"))
            self._lines = []
        sys.stdout.buffer.flush()
