"""Measures each paired device's round trip by numbers that come back."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

_KEPT = 16
_KEPT_NS = 60_000_000_000


@dataclass
class _Device:
    """echo, sent_ns: the last number and its time. trips: end and length of each round trip."""

    echo: str = ""
    sent_ns: int = 0
    trips: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=_KEPT))


class RoundTrips:
    """Round trips by device; clock: monotonic, ns. Belongs to the event loop's thread."""

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self._devices: dict[str, _Device] = {}

    def send(self, device: str) -> str:
        """Return a number that the device must send back at once."""
        known = self._devices.setdefault(device, _Device())
        known.echo, known.sent_ns = secrets.token_hex(8), self._clock()
        return known.echo

    def came(self, device: str, echo: str) -> None:
        """Take a number that came back; only the last one sent counts."""
        known = self._devices.get(device)
        if known is None or not known.echo or not secrets.compare_digest(known.echo.encode(), echo.encode()):
            return
        now_ns = self._clock()
        known.trips.append((now_ns, now_ns - known.sent_ns))
        known.echo = ""

    def half_ns(self, device: str) -> int:
        """Return half of the median round trip in the last minute, ns; 0 without a measurement.

        The median ignores long trips of a phone that sleeps between two packets.
        """
        known = self._devices.get(device)
        recent = [] if known is None else [ns for at_ns, ns in known.trips if self._clock() - at_ns <= _KEPT_NS]
        return int(median(recent) / 2) if recent else 0
