"""Clocks, sinks and lines for tests, well-behaved and not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hardware.camera.camera import Camera
from hardware.camera.frames import Frame
from hardware.edges import Edge, OnEdge, OnHealth
from hardware.events import TimedEvent
from hardware.problems import HardwareError
from hardware.settings import SECOND

T = TypeVar("T")


def read(camera: Camera) -> Frame:
    """Return a camera's next frame, which must come."""
    frame = camera.read()
    assert frame is not None
    return frame


class FakeClock:
    """A clock that stands still until it is set."""

    def __init__(self, t_ns: int = SECOND) -> None:
        self.t_ns = t_ns

    def __call__(self) -> int:
        return self.t_ns


class ListSink:
    def __init__(self) -> None:
        self.events: list[TimedEvent] = []
        self.held_ns: int | None = None

    def put(self, event: TimedEvent) -> None:
        self.events.append(event)

    def hold(self, t_ns: int | None) -> None:
        self.held_ns = t_ns

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


class FakeLines:
    """Lines that are moved by the test; opening them can be made to fail."""

    def __init__(self, levels: Sequence[Edge] = ()) -> None:
        self.error: HardwareError | None = None
        self.levels = levels
        self.on_edge: OnEdge | None = None
        self.on_health: OnHealth | None = None

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        if self.error is not None:
            raise self.error
        self.on_edge, self.on_health = on_edge, on_health
        return self.levels

    def close(self) -> None:
        self.on_edge = self.on_health = None

    def move(self, t_ns: int, line: str, active: bool) -> None:
        assert self.on_edge is not None
        self.on_edge(Edge(t_ns, line, active))
