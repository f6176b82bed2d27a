"""All that happened in a game, played now or long ago: events with their rulings, corrections, and how pages name them.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.engine.corrections import CorrectionRow, Place
from referee.engine.events import Header
from referee.engine.session import RulingData
from referee.errors import BadInputError
from referee.journal.rows import GameRow, KeptGame
from referee.service.records import Record, numbers_in


@dataclass
class GameLog:
    """row: the game in the journal. records: its events by number, oldest first. corrections: all of them, in order.

    rings: the number of the event of each ring, by its time.
    """

    row: GameRow
    records: dict[int, Record] = field(default_factory=dict)
    corrections: list[CorrectionRow] = field(default_factory=list)
    rings: dict[int, int] = field(default_factory=dict)

    @property
    def header(self) -> Header:
        """What is played, and by whom."""
        return self.row.header

    def add(self, record: Record) -> None:
        """Add an event."""
        self.records[record.number] = record
        if record.event.kind == "bell":
            self.rings.setdefault(record.event.t_ns, record.number)

    def since(self, count: int) -> list[Record]:
        """Give the records after the first `count`."""
        return [self.records[number] for number in range(count + 1, len(self.records) + 1)]

    def event_id(self, number: int) -> str:
        """Give the name of an event for the page."""
        return f"{self.row.game}-{number}"

    def ruling_id(self, place: Place) -> str:
        """Give the name of a ruling for the page."""
        return f"{self.row.game}-{place.event}-{place.place}"

    def event_number(self, ident: str) -> int:
        """Give the number of the event with this name.

        Raises:
            BadInputError: there is none in this game.
        """
        match numbers_in(ident):
            case [game, number] if game == self.row.game and number in self.records:
                return number
        raise BadInputError("error.service.there_is_no_such_event")

    def place_of(self, ident: str) -> Place:
        """Give where the ruling with this name stands.

        Raises:
            BadInputError: there is none in this game.
        """
        match numbers_in(ident):
            case [game, number, place] if game == self.row.game and number in self.records:
                if place < len(self.records[number].rulings):
                    return Place(number, place)
        raise BadInputError("error.service.there_is_no_such_ruling")

    def ruling(self, ident: str) -> tuple[Record, RulingData]:
        """Give the ruling with this name, and the event that it is on.

        Raises:
            BadInputError: there is none in this game.
        """
        place = self.place_of(ident)
        record = self.records[place.event]
        return record, record.rulings[place.place]

    def about_id(self, ident: str) -> int:
        """Give the number of the event that the ruling with this name is about (see `about`).

        Raises:
            BadInputError: there is no such ruling in this game.
        """
        place = self.place_of(ident)
        return self.about(place, self.records[place.event].rulings[place.place])

    def about(self, place: Place, ruling: RulingData) -> int:
        """Give the number of the event that a ruling is about.

        Of the ring, even if its ringer was named later; of the count, if its arrangement was asked for later (C11).
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

    def newest(self, most: int) -> Iterator[tuple[Place, RulingData]]:
        """Give the latest rulings that hold, newest first."""
        left = most
        for record in reversed(self.records.values()):
            for place in range(len(record.rulings) - 1, -1, -1):
                if not left:
                    return
                left -= 1
                yield Place(record.number, place), record.rulings[place]


def log_of(kept: KeptGame) -> GameLog:
    """Give the log of a game that is kept."""
    log = GameLog(kept.row, corrections=list(kept.corrections))
    first, now = kept.first(), kept.by_event()
    for row in kept.events:
        rulings = tuple(now.get(row.number, ()))
        log.add(Record(row.number, row.event, rulings, row.refused, first.get(row.number, ())))
    return log
