"""Watcher of a game by hand: people enter every event."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.camera.frames import Frame
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.events import Event
from referee.engine.session import Observation, Outline, RulingData


class ByHandWatcher:
    """Sees and hears nothing."""

    outlines: tuple[Outline, ...] = ()

    def look(self, frame: Frame) -> Observation:
        """See nothing."""
        return Observation()

    def hear(self, event: DeviceEvent) -> Observation:
        """Hear nothing."""
        return Observation()

    def judged(self, event: Event, rulings: Sequence[RulingData], view: object) -> None:
        """Note nothing."""

    def begin_again(self) -> None:
        """Forget nothing."""

    def finish(self, t_ns: int) -> Observation:
        """Have waited for nothing."""
        return Observation()
