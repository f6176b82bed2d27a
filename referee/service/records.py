"""The events of a game as it is played, with their rulings; and how all are judged anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from referee.engine.corrections import Change, CorrectionRow
from referee.engine.events import Event
from referee.engine.session import RulingData, Session
from referee.store.games import MISHAP, OF_NO_GAME, PAUSE, RESUME, GameRow
from referee.store.judging import Judged, judge_rows

__all__ = ["MISHAP", "PAUSE", "RESUME", "Judged"]
RESUME_GAP_NS = 10_000_000_000
"""How long a game is taken to have stood still while the power was off: nobody knows, but no ring is so near."""


@dataclass(frozen=True)
class Record:
    """An event as it came, and what is ruled on it now. refused: the game could not take it. first: as it was ruled."""

    number: int
    event: Event
    rulings: tuple[RulingData, ...] = ()
    refused: bool = False
    first: tuple[RulingData, ...] = ()

    def is_changed(self, ruling: RulingData) -> bool:
        """Whether a ruling on this event is another one than was given when it happened."""
        return ruling not in self.first

    @property
    def is_of_game(self) -> bool:
        """Whether it is something to judge, and not a pause or a mishap."""
        return self.event.kind not in OF_NO_GAME


def judge_anew(
    session: Session, records: Iterable[Record], corrections: Sequence[CorrectionRow], wanted: int | None
) -> Judged:
    """Give the rulings on all events, from the beginning, as the corrections have them.

    session: a new one of the game. Events that it cannot take are left out.

    Raises:
        BadInputError: the event `wanted` cannot be judged.
    """
    return judge_rows(session, ((record.number, record.event) for record in records), corrections, wanted)


def numbers_in(ident: str) -> list[int]:
    """Give the numbers in the name of an event ("3-17") or a ruling ("3-17-0"); none if it is no such name."""
    parts = ident.split("-")
    return [int(part) for part in parts] if all(part.isascii() and part.isdecimal() for part in parts) else []


def changed_places(change: Change) -> list[tuple[int, int, RulingData | None]]:
    """Give where rulings changed, in order: event, place, and what stands there now, None for nothing."""
    new = {(place.event, place.place): ruling for place, ruling in change.new}
    old = {(place.event, place.place) for place, _ in change.gone}
    return [(event, place, new.get((event, place))) for event, place in sorted(old | new.keys())]


def resumed_clock(row: GameRow, last_ns: int, boot: str, now_ns: int) -> GameRow:
    """Give the game with the clock it goes on by: the same one after a restart, else one that begins after the rest."""
    if row.boot == boot and now_ns + row.shift_ns >= last_ns:
        return row
    return replace(row, boot=boot, shift_ns=last_ns + RESUME_GAP_NS - now_ns)
