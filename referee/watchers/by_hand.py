"""Watcher of a game by hand: people enter every event."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.camera.frames import Frame
from hardware.events import Event as DeviceEvent
from referee.engine.events import Event
from referee.engine.session import Outline, RulingData, Seen


class ByHandWatcher:
    """Sees and hears nothing."""

    outlines: tuple[Outline, ...] = ()

    def look(self, frame: Frame) -> Seen:
        """See nothing."""
        return Seen()

    def hear(self, event: DeviceEvent) -> Seen:
        """Hear nothing."""
        return Seen()

    def judged(self, event: Event, rulings: Sequence[RulingData], view: object) -> None:
        """Note nothing."""

    def begin_again(self) -> None:
        """Forget nothing."""

    def finish(self, t_ns: int) -> Seen:
        """Have waited for nothing."""
        return Seen()
