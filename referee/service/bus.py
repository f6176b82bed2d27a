"""What the parts of the running referee tell one another, by type; who publishes does not know who listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

News = TypeVar("News")


@dataclass(frozen=True)
class StateChanged:
    """Something that pages show is otherwise than before."""


@dataclass(frozen=True)
class Ruled:
    """Rulings that were just made, with the keys of the outside contract."""

    rulings: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class OutlinesMoved:
    """Only what is seen in the picture has moved."""


@dataclass(frozen=True)
class ReadingFailed:
    """Pictures cannot be read, `why`; or can again, None."""

    why: str | None


@dataclass(frozen=True)
class PicturesKept:
    """An event of a game has pictures now."""

    game: int
    event: int


@dataclass(frozen=True)
class NothingToKeep:
    """For a second there was no picture to keep."""


@dataclass(frozen=True)
class IdleBell:
    """The bell was pressed at `t_ns` of the monotonic clock while no game is being played."""

    t_ns: int


class Bus:
    """Subscribe while things are put together; publish from any thread, which is the one that listeners run on.

    Listeners must be quick: the controller publishes with its lock held.
    """

    def __init__(self) -> None:
        self._listeners: dict[type, list[Callable[[Any], object]]] = {}

    def subscribe(self, kind: type[News], listener: Callable[[News], object]) -> None:
        """Have `listener` told of all news of a kind, after those that subscribed before it."""
        self._listeners.setdefault(kind, []).append(listener)

    def publish(self, news: object) -> None:
        """Tell all who listen to news of this kind."""
        for listener in self._listeners.get(type(news), ()):
            listener(news)
