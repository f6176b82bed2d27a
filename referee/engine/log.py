"""The log of a game: its events with all their rulings, its corrections, and their names for pages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from typing import Any

from referee.engine.events import Event, Header, parse_event
from referee.errors import BadInputError

RulingData = Mapping[str, Any]
"""A ruling with the keys of the outside contract."""
Judged = Mapping[int, tuple[RulingData, ...]]
"""The rulings of a replay by the number of their event; events that the game cannot take are missing."""
PAUSE, RESUME = "pause", "resume"
MISHAP = "mishap"
"""Something that makes readings less certain began (`on`) or ended; `what` is the guard's name for it."""
OF_NO_GAME = (PAUSE, RESUME, MISHAP)
_FOLLOWS = frozenset({"cards_move", "out"})
"""Consequences of a verdict, beside each other: a new one in the place of another does not revoke that one."""


@dataclass(frozen=True)
class GameRow:
    """A game. started_ms, ended_ms: wall time, ms. judged: the number of the last event with rulings, as stored.

    Its clock is the monotonic clock of the boot named `boot`, plus `shift_ns`. lost_from: the first event that cannot
    be read any more, None if all can.
    """

    game: int
    uid: str
    header: Header
    started_ms: int = 0
    boot: str = ""
    shift_ns: int = 0
    judged: int = 0
    ended_ms: int | None = None
    closed: bool = False
    lost_from: int | None = None


@dataclass(frozen=True)
class CorrectionRow:
    """A correction: the event as it should have been (None: it is struck), or the correction that it undoes."""

    number: int
    wall_ms: int
    event: int | None
    data: Mapping[str, Any] | None
    undoes: int | None = None


@dataclass(frozen=True)
class RulingRow:
    """A ruling, by its event and its place among those on it.

    It holds from correction `since` (0: the beginning) to correction `until` (None: still).
    """

    event: int
    place: int
    since: int
    until: int | None
    data: RulingData

    @property
    def at(self) -> tuple[int, int]:
        """Return its event and its place."""
        return self.event, self.place


@dataclass(frozen=True)
class Change:
    """Changes by a correction. gone: rulings that it ended, new: those that hold instead or besides, in order.

    row: the correction; None: no one was needed.
    """

    gone: tuple[RulingRow, ...] = ()
    new: tuple[RulingRow, ...] = ()
    row: CorrectionRow | None = None


@dataclass(frozen=True)
class Record:
    """An event as it came. refused: the game could not take it. ruled: all rulings on it, also those that ended."""

    number: int
    event: Event
    wall_ms: int = 0
    refused: bool = False
    ruled: tuple[RulingRow, ...] = ()

    @property
    def rulings(self) -> tuple[RulingData, ...]:
        """Return the keys of the rulings on it that hold, in order."""
        return tuple(row.data for row in self.ruled if row.until is None)

    @property
    def first(self) -> tuple[RulingData, ...]:
        """Return the keys of the rulings on it before any correction."""
        return tuple(row.data for row in self.ruled if row.since == 0)

    @property
    def is_of_game(self) -> bool:
        """Return whether the rules apply to it: it is not a pause or a mishap."""
        return self.event.kind not in OF_NO_GAME


@dataclass
class GameLog:
    """A game's records by number, oldest first, and all its corrections, in order.

    Session, store, export and history have it in common. lost: the rulings on events that cannot be read any more.
    """

    row: GameRow
    records: dict[int, Record] = field(default_factory=dict)
    corrections: list[CorrectionRow] = field(default_factory=list)
    lost: tuple[RulingRow, ...] = ()

    @property
    def game(self) -> int:
        """Return the number of the game in the store."""
        return self.row.game

    @property
    def header(self) -> Header:
        """Return game, players and options."""
        return self.row.header

    @property
    def shift_ns(self) -> int:
        """Return the game's clock less the monotonic one."""
        return self.row.shift_ns

    def rule(self, judged: Judged, since: int, numbers: Iterable[int] | None = None) -> Change:
        """Let the rulings of a replay hold from a correction on (0: the first ones), and return the changes.

        numbers: those of the events that get them, all if None.
        """
        gone, new = list[RulingRow](), list[RulingRow]()
        for number in list(self.records if numbers is None else numbers):
            record, now = self.records[number], judged.get(number, ())
            if since and record.rulings == now:
                continue
            ruled = {(row.place, row.since): row for row in record.ruled if since}
            held = {row.place: row for row in ruled.values() if row.until is None}
            stay = {place for place, row in held.items() if row.data in now[place : place + 1]}
            ended = [replace(row, until=since) for place, row in held.items() if place not in stay]
            begun = [RulingRow(number, at, since, None, data) for at, data in enumerate(now) if at not in stay]
            ruled |= {(row.place, row.since): row for row in (*ended, *begun)}
            refused = record.refused if since else number not in judged
            self.records[number] = replace(record, refused=refused, ruled=tuple(ruled[key] for key in sorted(ruled)))
            gone += ended
            new += begun
        return Change(tuple(gone), tuple(new))

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
        found = ((one, self.records.get(one.event or 0)) for one in in_force(self.corrections))
        return [one for one, record in found if one.data or record is None or record.event.kind != "stop"]

    @property
    def stopped_by(self) -> int | None:
        """Return the number of the event by which the players ended the game early, None if they did not."""
        last = next(reversed(self.records.values()), None)
        if last is None or last.event.kind != "stop":
            return None
        return last.number if any(one["ruling"] == "end" for one in last.rulings) else None

    def end(self) -> RulingData | None:
        """Return the ruling that ended it, None if it did not end."""
        return next((row.data for row in self.newest() if row.data["ruling"] == "end"), None)

    def event_id(self, number: int) -> str:
        """Return the name of an event for the page."""
        return f"{self.game}-{number}"

    def ruling_id(self, row: RulingRow) -> str:
        """Return the name of a ruling for the page."""
        return f"{self.game}-{row.event}-{row.place}"

    def event_number(self, ident: str) -> int:
        """Return the number of an event by its name. Raises BadInputError for an unknown name."""
        match numbers_in(ident):
            case [game, number] if game == self.game and number in self.records:
                return number
        raise BadInputError("error.service.there_is_no_such_event")

    def ruling(self, ident: str) -> RulingRow:
        """Return a ruling that holds by its name. Raises BadInputError for an unknown name."""
        match numbers_in(ident):
            case [game, number, place] if game == self.game and number in self.records:
                for row in self.records[number].ruled:
                    if row.place == place and row.until is None:
                        return row
        raise BadInputError("error.service.there_is_no_such_ruling")

    def about(self, row: RulingRow) -> int:
        """Return the number of the event that a ruling is about.

        For a ring it is the ring's, even if its ringer was named later; for an arrangement the count's, even if it was
        requested later (C11).
        """
        if row.data["ruling"] in ("ring", "unclear"):
            # No event between the ring and its ruling is earlier than the ring.
            since = takewhile(lambda one: one.event.t_ns >= row.data["t_ns"], self._back_from(row.event))
            rings = [one for one in since if one.event.kind == "bell" and one.event.t_ns == row.data["t_ns"]]
            return rings[-1].number if rings else row.event
        if row.data["ruling"] == "arrangement":
            counts = (
                record.number
                for record in self._back_from(row.event)
                for one in record.rulings
                if one["ruling"] == "hand" and one["seat"] == row.data["seat"]
            )
            return next(counts, row.event)
        return row.event

    def _back_from(self, number: int) -> Iterator[Record]:
        return (self.records[earlier] for earlier in range(number, 0, -1) if earlier in self.records)

    def is_changed(self, row: RulingRow) -> bool:
        """Return whether a ruling differs from the first ones on its event."""
        return row.since > 0 and row.event in self.records and row.data not in self.records[row.event].first

    def ruled(self) -> Iterator[RulingRow]:
        """Yield all rulings, also those that ended, in order."""
        return chain(*(record.ruled for record in self.records.values()), self.lost)

    def newest(self) -> Iterator[RulingRow]:
        """Yield the rulings that hold, newest first."""
        ruled = chain((self.lost,), (record.ruled for record in reversed(self.records.values())))
        return (row for rows in ruled for row in reversed(rows) if row.until is None)

    def last_readings(self, kinds: Collection[str], seats: int) -> dict[str, dict[str, Any]]:
        """Return the last event of these kinds for each seat, with corrections, newest first: its keys by its name."""
        found: dict[object, tuple[str, dict[str, Any]]] = {}
        for number, event in self.held(reversed(self.records.values())):
            if len(found) == seats:
                break
            if event.kind in kinds and isinstance(event.data.get("seat"), int):
                found.setdefault(event.data["seat"], (self.event_id(number), {**event.data, "event": event.kind}))
        return dict(found.values())

    def held(self, records: Iterable[Record] | None = None) -> Iterator[tuple[int, Event]]:
        """Yield the events after all corrections, by number. records: whose events, in their order; None: all."""
        instead = corrected_events(self.corrections)
        for record in self.records.values() if records is None else records:
            data = instead.get(record.number, {})
            if data is not None:
                yield record.number, corrected(record.event, data) if data else record.event

    def played(self) -> Iterator[tuple[Record, Event]]:
        """Yield the events that the game takes, after all corrections, each with its record.

        Raises:
            BadInputError: a correction makes no event.
        """
        for number, event in self.held():
            record = self.records[number]
            if record.is_of_game and (event is not record.event or not record.refused):
                yield record, event


def numbers_in(ident: str) -> list[int]:
    """Return the numbers in the name of an event ("3-17") or a ruling ("3-17-0"); [] if it is no such name."""
    parts = ident.split("-")
    return [int(part) for part in parts] if all(part.isascii() and part.isdecimal() for part in parts) else []


def in_force(corrections: Iterable[CorrectionRow]) -> list[CorrectionRow]:
    """Return the corrections that were not undone, in order."""
    kept = list(corrections)
    undone = {correction.undoes for correction in kept if correction.undoes is not None}
    return [one for one in kept if one.undoes is None and one.event is not None and one.number not in undone]


def corrected_events(corrections: Iterable[CorrectionRow]) -> dict[int, Mapping[str, Any] | None]:
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


def announced(change: Change, say: Callable[[RulingData], str]) -> tuple[list[RulingData], list[RulingData]]:
    """Return the rulings that no longer hold, and those that do instead, if they have words.

    The same words about the same instant are no change, wherever they are now.
    """
    old, now = ({(row.data["t_ns"], say(row.data)) for row in rows} for rows in (change.gone, change.new))
    new = [row for row in change.new if (row.data["t_ns"], say(row.data)) not in old]
    replaced = {row.at for row in new if row.data["ruling"] not in _FOLLOWS}
    gone = [row for row in change.gone if (row.data["t_ns"], say(row.data)) not in now and row.at not in replaced]
    return [row.data for row in gone if say(row.data)], [row.data for row in new if say(row.data)]
