"""The log of a game: its events with their rulings, its corrections, and their names for pages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referee.engine.events import Event, Header, parse_event
from referee.errors import BadInputError

RulingData = Mapping[str, Any]
"""A ruling with the keys of the outside contract."""
PAUSE, RESUME = "pause", "resume"
MISHAP = "mishap"
"""Something that makes readings less certain began (`on`) or ended; `what` is the guard's name for it."""
OF_NO_GAME = (PAUSE, RESUME, MISHAP)
Struck = Mapping[int, Mapping[str, Any] | None]
_FOLLOWS = frozenset({"cards_move", "out"})
"""Consequences of a verdict, beside each other: a new one in the place of another does not revoke that one."""


@dataclass(frozen=True)
class CorrectionRow:
    """A correction: the event as it should have been (None: it is struck), or the correction that it undoes."""

    number: int
    wall_ms: int
    event: int | None
    data: Mapping[str, Any] | None
    undoes: int | None = None


@dataclass(frozen=True)
class RulingPlace:
    """Place of a ruling: the number of its event, and its index among the rulings on that."""

    event: int
    place: int


@dataclass(frozen=True)
class Change:
    """Changes by a correction. gone: rulings that hold no more, new: those that hold instead or besides, in order."""

    gone: tuple[tuple[RulingPlace, RulingData], ...]
    new: tuple[tuple[RulingPlace, RulingData], ...]

    def places(self) -> list[tuple[int, int, RulingData | None]]:
        """Return the changed rulings, in order: event, place, and the ruling that is there now, None without one."""
        new = {(place.event, place.place): ruling for place, ruling in self.new}
        old = {(place.event, place.place) for place, _ in self.gone}
        return [(event, place, new.get((event, place))) for event, place in sorted(old | new.keys())]


@dataclass(frozen=True)
class Record:
    """An event as it came, and its present rulings. refused: the game could not take it. first: its first rulings."""

    number: int
    event: Event
    rulings: tuple[RulingData, ...] = ()
    refused: bool = False
    first: tuple[RulingData, ...] = ()

    def is_changed(self, ruling: RulingData) -> bool:
        """Return whether a ruling on this event differs from the first ones."""
        return ruling not in self.first

    @property
    def is_of_game(self) -> bool:
        """Return whether the rules apply to it: it is not a pause or a mishap."""
        return self.event.kind not in OF_NO_GAME


class ShownRuling(NamedTuple):
    """A ruling by its name for the page. about: the number of its event."""

    id: str
    ruling: RulingData
    about: int
    is_corrected: bool


@dataclass
class GameLog:
    """A game's records by number, oldest first, and all its corrections, in order.

    game: its number in the store. started_ms: its start, wall time. shift_ns: its clock less the monotonic one. rings:
    the number of the event of each ring, by its time.
    """

    game: int
    header: Header
    started_ms: int = 0
    shift_ns: int = 0
    records: dict[int, Record] = field(default_factory=dict)
    corrections: list[CorrectionRow] = field(default_factory=list)
    rings: dict[int, int] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Add an event."""
        self.records[record.number] = record
        if record.event.kind == "bell":
            self.rings.setdefault(record.event.t_ns, record.number)

    def since(self, count: int) -> tuple[Record, ...]:
        """Return the records after the first `count`."""
        return tuple(self.records[number] for number in range(count + 1, len(self.records) + 1))

    @property
    def last_ns(self) -> int:
        """Return the game's time of its latest event, 0 before the first."""
        return max((record.event.t_ns for record in self.records.values()), default=0)

    @property
    def undoes(self) -> str | None:
        """Return the next undo: "stop", an early end, or "correction", the latest one; None: nothing."""
        if self.stopped_by is not None:
            return "stop"
        return "correction" if self.holding() else None

    def holding(self) -> list[CorrectionRow]:
        """Return the corrections that hold; an undone early end does not come back."""
        kinds = {number: record.event.kind for number, record in self.records.items()}
        return [one for one in in_force(self.corrections) if one.data or kinds.get(one.event or 0) != "stop"]

    @property
    def stopped_by(self) -> int | None:
        """Return the number of the event by which the players ended the game early, None if they did not."""
        last = next(reversed(self.records.values()), None)
        if last is None or last.event.kind != "stop":
            return None
        return last.number if any(one["ruling"] == "end" for one in last.rulings) else None

    def event_id(self, number: int) -> str:
        """Return the name of an event for the page."""
        return f"{self.game}-{number}"

    def ruling_id(self, place: RulingPlace) -> str:
        """Return the name of a ruling for the page."""
        return f"{self.game}-{place.event}-{place.place}"

    def event_number(self, ident: str) -> int:
        """Return the number of an event by its name. Raises BadInputError for an unknown name."""
        match numbers_in(ident):
            case [game, number] if game == self.game and number in self.records:
                return number
        raise BadInputError("error.service.there_is_no_such_event")

    def ruling(self, ident: str) -> tuple[RulingPlace, RulingData]:
        """Return a ruling and its place by its name. Raises BadInputError for an unknown name."""
        match numbers_in(ident):
            case [game, number, place] if game == self.game and number in self.records:
                rulings = self.records[number].rulings
                if place < len(rulings):
                    return RulingPlace(number, place), rulings[place]
        raise BadInputError("error.service.there_is_no_such_ruling")

    def about(self, place: RulingPlace, ruling: RulingData) -> int:
        """Return the number of the event that a ruling is about.

        For a ring it is the ring's, even if its ringer was named later; for an arrangement the count's, even if it was
        requested later (C11).
        """
        if ruling["ruling"] in ("ring", "unclear"):
            return self.rings.get(ruling["t_ns"], place.event)
        if ruling["ruling"] == "arrangement":
            counts = (
                number
                for number in range(place.event, 0, -1)
                for one in self.records[number].rulings
                if one["ruling"] == "hand" and one["seat"] == ruling["seat"]
            )
            return next(counts, place.event)
        return place.event

    def newest(self, most: int) -> list[tuple[RulingPlace, RulingData]]:
        """Return the latest rulings that hold, newest first."""
        found: list[tuple[RulingPlace, RulingData]] = []
        for record in reversed(self.records.values()):
            found += [(RulingPlace(record.number, at), one) for at, one in enumerate(record.rulings)][::-1]
            if len(found) >= most:
                break
        return found[:most]

    def shown(self, most: int) -> list[ShownRuling]:
        """Return the latest rulings that hold, newest first, for the page."""
        return [
            ShownRuling(
                self.ruling_id(place), ruling, self.about(place, ruling), self.records[place.event].is_changed(ruling)
            )
            for place, ruling in self.newest(most)
        ]

    def last_readings(self, kinds: Collection[str], seats: int) -> dict[str, dict[str, Any]]:
        """Return the last event of these kinds for each seat, with corrections, newest first: its keys by its name."""
        instead = corrected_events(self.corrections)
        found: dict[object, tuple[str, dict[str, Any]]] = {}
        for number, record in reversed(self.records.items()):
            if len(found) == seats:
                break
            new = instead.get(number, {})
            if record.event.kind in kinds and new is not None:
                data = {**record.event.data, **new, "event": record.event.kind}
                if isinstance(data.get("seat"), int):
                    found.setdefault(data["seat"], (self.event_id(number), data))
        return dict(found.values())

    def held(self) -> Iterator[tuple[int, Event]]:
        """Yield the events after all corrections, by number."""
        instead = corrected_events(self.corrections)
        for number, record in self.records.items():
            data = instead.get(number, {})
            if data is not None:
                yield number, corrected(record.event, data) if data else record.event


def numbers_in(ident: str) -> list[int]:
    """Return the numbers in the name of an event ("3-17") or a ruling ("3-17-0"); [] if it is no such name."""
    parts = ident.split("-")
    return [int(part) for part in parts] if all(part.isascii() and part.isdecimal() for part in parts) else []


def in_force(corrections: Iterable[CorrectionRow]) -> list[CorrectionRow]:
    """Return the corrections that were not undone, in order."""
    kept = list(corrections)
    undone = {correction.undoes for correction in kept if correction.undoes is not None}
    return [one for one in kept if one.undoes is None and one.event is not None and one.number not in undone]


def corrected_events(corrections: Iterable[CorrectionRow]) -> Struck:
    """Return the replacements of events, by their numbers: other data, or None for a struck one."""
    return {one.event: one.data for one in in_force(corrections) if one.event is not None}


def corrected(event: Event, data: Mapping[str, Any]) -> Event:
    """Return an event as it should have been: with `data`, and the rest as it was; its time stays.

    Raises:
        BadInputError: `data` makes no event.
    """
    if not all(isinstance(key, str) for key in data):
        raise BadInputError("error.engine.correction_must_name_what_it")
    return parse_event({"event": event.kind, **event.data, **data, "t_ns": event.t_ns})


def change_between(before: Mapping[int, Sequence[RulingData]], after: Mapping[int, Sequence[RulingData]]) -> Change:
    """Return the differences of the rulings on each event."""
    gone: list[tuple[RulingPlace, RulingData]] = []
    new: list[tuple[RulingPlace, RulingData]] = []
    for number in sorted(before.keys() | after.keys()):
        was, now = before.get(number, ()), after.get(number, ())
        for place in range(max(len(was), len(now))):
            old = was[place] if place < len(was) else None
            other = now[place] if place < len(now) else None
            if old == other:
                continue
            if old is not None:
                gone.append((RulingPlace(number, place), old))
            if other is not None:
                new.append((RulingPlace(number, place), other))
    return Change(tuple(gone), tuple(new))


def told(change: Change, say: Callable[[RulingData], str]) -> tuple[list[RulingData], list[RulingData]]:
    """Return the rulings that no longer hold, and those that do instead, if they have words.

    The same words about the same instant are no change, wherever they are now.
    """
    old = {(ruling["t_ns"], say(ruling)) for _, ruling in change.gone}
    now = {(ruling["t_ns"], say(ruling)) for _, ruling in change.new}
    new = [(place, ruling) for place, ruling in change.new if (ruling["t_ns"], say(ruling)) not in old]
    gone = [(place, ruling) for place, ruling in change.gone if (ruling["t_ns"], say(ruling)) not in now]
    replaced = {place for place, ruling in new if ruling["ruling"] not in _FOLLOWS}
    return (
        [ruling for place, ruling in gone if place not in replaced and say(ruling)],
        [ruling for _, ruling in new if say(ruling)],
    )
