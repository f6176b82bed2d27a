"""What bell and sandtimer have done lately, for the step that is open."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping

from hardware.events import BellEdge, BellPressed, Event, SandEdge
from hardware.problems import DeviceHealth
from referee.language import Language
from referee.sayings.guard import GUARD
from referee.sayings.service import device
from referee.setup.finding import Heard

_MOST = 40_000
"""Two whole runs of a three-minute sandtimer with a hundred edges a second fit in."""
_KINDS = (BellEdge, BellPressed, SandEdge)


class Hearing:
    """Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: deque[Heard] = deque(maxlen=_MOST)

    def note(self, event: Event, arrived_ns: int) -> None:
        """Take an event; what is none of bell and sandtimer is left out."""
        if isinstance(event, _KINDS):
            with self._lock:
                self._heard.append(Heard(event, arrived_ns))

    def since(self, t_ns: int) -> tuple[Heard, ...]:
        """Give what happened after a time of the monotonic clock."""
        with self._lock:
            return tuple(one for one in self._heard if one.event.t_ns > t_ns)


def troubles_in_words(troubles: Iterable[DeviceHealth], language: Language) -> Mapping[str, str]:
    """Give a sentence a kind of device ("camera", "bell", …) that does not work."""
    return {
        health.device.split()[0]: device(health.device, health.state, health.message, language)
        for health in troubles
        if not health.device.startswith(GUARD)
    }
