"""One game at one table: frames, device events and people's words in, in the order of time; rulings out.

Pure but for the journal it is given: no clock, no threads, no files, so the same inputs always give the same rulings.
What a frame or a device event means to a game is the watcher's to say, a watcher a game (`referee.watchers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from referee.engine.events import Advises, Asks, Event, Game, GameView, Question, view_of

if TYPE_CHECKING:
    from hardware.camera.frames import Frame
    from hardware.events import Event as DeviceEvent

RulingData = Mapping[str, Any]
_NO_FRAME = -1
_WAY = ("back_ms", "most_ms")
_LONGEST_MS = 60_000
_OF_RINGS = ("ring", "unclear", "also_rang")


@dataclass(frozen=True)
class Notice:
    """Something to tell the players that is no ruling, such as a card that cannot be read; the announcer has the words.

    kind: what it is. seat: whom it concerns, None: all. data: what else belongs to it.
    """

    t_ns: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """A possible answer: the events that it says have happened, and what it is called by (`seat`, `card`, `row`)."""

    events: tuple[Event, ...]
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """What shows a doubt: a picture, and what in it is meant; what is in doubt itself is not `certain`."""

    frame: Frame
    outlines: tuple[Outline, ...]


@dataclass(frozen=True)
class Doubt:
    """What a watcher cannot tell since `t_ns`, and what it may be; people may say it now or later.

    kind, data: what it is about; the announcer has the words. told: what it took instead because nobody said it; an
    answer then replaces that. shown: the picture that it is about, None where the table as it is now shows it.
    """

    t_ns: int
    kind: str
    data: Mapping[str, Any]
    answers: tuple[Answer, ...]
    told: tuple[Event, ...] = ()
    shown: Shown | None = None


@dataclass(frozen=True)
class Seen:
    """What a watcher made of a frame or a device event: events for the game, in time order, and notices."""

    events: tuple[Event, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Outline:
    """Something that the watcher sees, to be drawn over the picture.

    corners_px: its corners, (x, y) each. seat: whose it is, or None. label: what it is. certain: whether it was read.
    """

    corners_px: tuple[tuple[float, float], ...]
    seat: int | None
    label: str
    certain: bool


class Watcher(Protocol):
    """Turns what the devices see into events of one game. It has no clock: all times are those of its inputs."""

    @property
    def outlines(self) -> Sequence[Outline]:
        """What it saw when it last read a frame."""

    def look(self, frame: Frame) -> Seen:
        """Take the next frame, exposed after all that was taken before; its events carry its end of exposure."""

    def hear(self, event: DeviceEvent) -> Seen:
        """Take what a device noticed; every frame exposed before it that there is has been looked at."""

    def judged(self, event: Event, rulings: Sequence[RulingData], view: GameView) -> None:
        """Learn what the game ruled on an event, whoever it came from. view: how it stands then (`Viewed`), or None."""

    def begin_again(self) -> None:
        """Forget how the game went: after a correction it is told anew from its beginning. What is seen stays seen."""

    def finish(self, t_ns: int) -> Seen:
        """Take it that nothing follows (a recording ends here), so that nothing is worth waiting for any more."""


@runtime_checkable
class Doubts(Protocol):
    """A watcher that follows the game as it holds, corrections and all, and asks what it cannot tell."""

    @property
    def doubts(self) -> Sequence[Doubt]:
        """What it asks now, by its own clock."""

    def answered(self, doubt: Doubt) -> None:
        """Learn that a doubt is answered; what the answer says comes by `judged`."""

    def follow(self, view: GameView) -> None:
        """Learn how the game stands, instead of what was told before."""


@runtime_checkable
class LooksOn(Protocol):
    """A watcher that has something to see when its game is over."""

    @property
    def looks_on(self) -> bool:
        """Whether it wants the next frame, though the game is over."""


@dataclass(frozen=True)
class Outcome:
    """What one input led to. rulings: with the keys of the outside contract. frame: the last one looked at before."""

    rulings: tuple[RulingData, ...] = ()
    notices: tuple[Notice, ...] = ()
    frame: Frame | None = None


class Session:
    """A game in progress and its watcher.

    journal: is given every event before it is judged; if it raises, the event is not judged.
    """

    def __init__(self, game: Game, watcher: Watcher, journal: Callable[[Event], None] = lambda event: None) -> None:
        self.game = game
        self.watcher = watcher
        self._journal = journal
        self._last_ns = 0
        self._frame: Frame | None = None
        self._ring_frames: dict[int, int] = {}
        self._ring_ways: dict[int, Mapping[str, float]] = {}
        self._asked: tuple[int, str] | None = None
        self._advised: str | None = None

    @property
    def question(self) -> Question | None:
        """What the players are asked now, None if nothing."""
        return self.game.question() if isinstance(self.game, Asks) else None

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame."""
        seen = self.watcher.look(frame)
        self._frame = frame
        return self._outcome(seen)

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take what a device noticed."""
        return self._outcome(self.watcher.hear(event))

    def say(self, event: Event) -> Outcome:
        """Take what a person said, at the earliest now: the time of what was judged last is never gone behind.

        Raises:
            BadInputError: the game knows no such event, or it says something that cannot be; nothing has changed then.
        """
        return self._outcome(Seen((replace(event, t_ns=max(event.t_ns, self._last_ns)),)))

    def finish(self, t_ns: int) -> Outcome:
        """Take the end of a recording."""
        return self._outcome(self.watcher.finish(t_ns))

    def restore(self, events: Iterable[Event]) -> tuple[RulingData, ...]:
        """Take events that were journalled before, in their order, and give the rulings as they were given then."""
        return tuple(ruling for event in events for ruling in self._judge(event)[0])

    def _outcome(self, seen: Seen) -> Outcome:
        rulings: list[RulingData] = []
        notices = list(seen.notices)
        for event in seen.events:
            stamped = self._stamped(event)
            self._journal(stamped)
            given, asked = self._judge(stamped)
            rulings += given
            notices += asked
        return Outcome(tuple(rulings), tuple(notices), self._frame)

    def _stamped(self, event: Event) -> Event:
        """Give a ring the frame that it is judged on (P9: the last one exposed before it), and keep to one clock.

        What a person said may have been taken while a frame was still on its way.
        """
        event = replace(event, t_ns=max(event.t_ns, self._last_ns))
        if event.kind != "bell" or "frame_t_ns" in event.data:
            return event
        frame_ns = None if self._frame is None else self._frame.t_ns
        return replace(event, data={**event.data, "frame_t_ns": frame_ns})

    def _judge(self, event: Event) -> tuple[tuple[RulingData, ...], tuple[Notice, ...]]:
        frame_ns = event.data.get("frame_t_ns")
        if event.kind == "bell":
            self._ring_frames[event.t_ns] = frame_ns if isinstance(frame_ns, int) else _NO_FRAME
            if (way := _way_of(event)) is not None:
                self._ring_ways[event.t_ns] = way
        rulings = tuple(self._with_frame(ruling.as_json()) for ruling in self.game.apply(event))
        self._last_ns = max(self._last_ns, event.t_ns)
        self.watcher.judged(event, rulings, view_of(self.game))
        return rulings, (*self._new_question(), *self._new_advice(event.t_ns))

    def _new_question(self) -> tuple[Notice, ...]:
        question = self.question
        if question is None or (question.t_ns, question.kind) == self._asked:
            return ()
        self._asked = question.t_ns, question.kind
        data = {"seats": list(question.seats), "ruling": self._with_frame(question.ruling.as_json())}
        return (Notice(question.t_ns, question.kind, None, data),)

    def _new_advice(self, t_ns: int) -> tuple[Notice, ...]:
        before, self._advised = self._advised, self.game.advice() if isinstance(self.game, Advises) else None
        return () if self._advised in (None, before) else (Notice(t_ns, str(self._advised), None, {}),)

    def _with_frame(self, ruling: dict[str, object]) -> RulingData:
        """A ring may be ruled long after it, when its ringer has been named, but on the frame that lay before it."""
        t_ns = ruling["t_ns"]
        if ruling["ruling"] in _OF_RINGS and isinstance(t_ns, int) and t_ns in self._ring_ways:
            ruling = {**ruling, "phone": self._ring_ways[t_ns]}
        if ruling["ruling"] != "ring" or not isinstance(t_ns, int) or t_ns not in self._ring_frames:
            return ruling
        frame_ns = self._ring_frames[t_ns]
        return {**ruling, "frame_t_ns": None if frame_ns == _NO_FRAME else frame_ns}


def _way_of(event: Event) -> Mapping[str, float] | None:
    """Give how far a phone's press was dated back, ms, and how far it may be at most; None of any other press."""
    way = event.data.get("phone")
    values = [way.get(key) for key in _WAY] if isinstance(way, Mapping) else []
    numbers = [float(value) for value in values if isinstance(value, int | float) and 0 <= value <= _LONGEST_MS]
    return dict(zip(_WAY, numbers, strict=True)) if len(numbers) == len(_WAY) else None
