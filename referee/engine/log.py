"""The log of a game: its events with their rulings, its corrections, and their names for pages. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.engine.corrections import CorrectionRow, RulingPlace, corrected, corrected_events
from referee.engine.events import Event, Header
from referee.errors import BadInputError

if TYPE_CHECKING:
    from referee.engine.session import RulingData

PAUSE, RESUME = "pause", "resume"
MISHAP = "mishap"
"""Something that makes readings less certain began (`on`) or ended; `what` is the guard's name for it."""
OF_NO_GAME = (PAUSE, RESUME, MISHAP)


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


@dataclass
class GameLog:
    """A game's records by number, oldest first, and all its corrections, in order.

    game: its number in the store. started_ms: its start, wall time. shift_ns: its clock less the monotonic one. rings:
    the
    number of the event of each ring, by its time.
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

    def since(self, count: int) -> list[Record]:
        """Return the records after the first `count`."""
        return [self.records[number] for number in range(count + 1, len(self.records) + 1)]

    @property
    def last_ns(self) -> int:
        """Return the game's time of its latest event, 0 before the first."""
        return max((record.event.t_ns for record in self.records.values()), default=0)

    def event_id(self, number: int) -> str:
        """Return the name of an event for the page."""
        return f"{self.game}-{number}"

    def ruling_id(self, place: RulingPlace) -> str:
        """Return the name of a ruling for the page."""
        return f"{self.game}-{place.event}-{place.place}"

    def event_number(self, ident: str) -> int:
        """Return the number of the event with this name.

        Raises:
            BadInputError: there is none in this game.
        """
        match numbers_in(ident):
            case [game, number] if game == self.game and number in self.records:
                return number
        raise BadInputError("error.service.there_is_no_such_event")

    def ruling(self, ident: str) -> tuple[RulingPlace, RulingData]:
        """Return the ruling with this name, and its place.

        Raises:
            BadInputError: there is none in this game.
        """
        match numbers_in(ident):
            case [game, number, place] if game == self.game and number in self.records:
                rulings = self.records[number].rulings
                if place < len(rulings):
                    return RulingPlace(number, place), rulings[place]
        raise BadInputError("error.service.there_is_no_such_ruling")

    def about(self, place: RulingPlace, ruling: RulingData) -> int:
        """Return the number of the event that a ruling is about.

        For a ring it is the ring's, even if its ringer was named later; for an arrangement the count's, even if it was
        requested
        later (C11).
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

    def shown(self, newest: Iterable[tuple[RulingPlace, RulingData]]) -> list[tuple[str, int, bool]]:
        """Return each ruling's name for the page, the number of its event, and whether it is corrected."""
        return [
            (self.ruling_id(place), self.about(place, ruling), self.records[place.event].is_changed(ruling))
            for place, ruling in newest
        ]

    def held(self, corrections: Iterable[CorrectionRow] | None = None) -> Iterator[tuple[int, Event]]:
        """Yield the events after corrections (None: all of them), by number."""
        instead: Mapping[int, Mapping[str, object] | None] = corrected_events(
            self.corrections if corrections is None else corrections
        )
        for number, record in self.records.items():
            data = instead.get(number, {})
            if data is not None:
                yield number, corrected(record.event, data) if data else record.event


def numbers_in(ident: str) -> list[int]:
    """Return the numbers in the name of an event ("3-17") or a ruling ("3-17-0"); [] if it is no such name."""
    parts = ident.split("-")
    return [int(part) for part in parts] if all(part.isascii() and part.isdecimal() for part in parts) else []
