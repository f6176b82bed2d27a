"""Corrections: the events after all of them, and their changes of the rulings. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.engine.events import Event, parse_event
from referee.errors import BadInputError

if TYPE_CHECKING:
    from referee.engine.session import RulingData


@dataclass(frozen=True)
class CorrectionRow:
    """A correction: the event as it should have been (None: it is struck), or the correction that it undoes."""

    number: int
    wall_ms: int
    event: int | None
    data: Mapping[str, Any] | None
    undoes: int | None = None


Struck = Mapping[int, Mapping[str, Any] | None]


_FOLLOWS = frozenset({"cards_move", "out"})
"""Consequences of a verdict, beside each other: a new one in the place of another does not revoke that one."""


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


def changed_places(change: Change) -> list[tuple[int, int, RulingData | None]]:
    """Return the changed rulings, in order: event, place, and the ruling that is there now, None without one."""
    new = {(place.event, place.place): ruling for place, ruling in change.new}
    old = {(place.event, place.place) for place, _ in change.gone}
    return [(event, place, new.get((event, place))) for event, place in sorted(old | new.keys())]


def told(change: Change, say: Callable[[RulingData], str]) -> tuple[list[RulingData], list[RulingData]]:
    """Return the rulings that no longer hold, and those that do instead, if they have words.

    The same words about the same instant are no change, wherever they are now.
    """
    old = {(ruling["t_ns"], say(ruling)) for _, ruling in change.gone}
    now = {(ruling["t_ns"], say(ruling)) for _, ruling in change.new}
    replaced = {
        place
        for place, ruling in change.new
        if (ruling["t_ns"], say(ruling)) not in old and ruling["ruling"] not in _FOLLOWS
    }
    new = [ruling for _, ruling in change.new if (text := say(ruling)) and (ruling["t_ns"], text) not in old]
    gone = [
        ruling
        for place, ruling in change.gone
        if place not in replaced and (text := say(ruling)) and (ruling["t_ns"], text) not in now
    ]
    return gone, new
