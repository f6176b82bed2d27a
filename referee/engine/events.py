"""Inputs and answers of a game: header, events and rulings, as in the lines of an event log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from typing import Any, ClassVar

from referee.errors import BadInputError
from referee.jsonlines import is_name, one_of, shown, whole_number
from referee.names import players_in

MAX_T_NS = (1 << 63) - 1
DECK, DECK_VERSION, DECK_COLOURS = "deck", "deck_version", "deck_colours"
"""Options of every game: the deck on the table, its version, and the colours of its clowns."""
_MOST_COLOURS = 40


@dataclass(frozen=True)
class Header:
    """Game, players (clockwise, seat 0 first) and options."""

    game: str
    players: tuple[str, ...]
    options: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Return it as the first line of an event log."""
        return {"game": self.game, "players": list(self.players), "options": dict(self.options)}

    def option(self, name: str, allowed: Sequence[str]) -> str:
        """Return the value of an option, the first of `allowed` if the header has none.

        Raises:
            BadInputError: the header gives it a value that is not allowed.
        """
        return one_of(self.options.get(name, allowed[0]), name, allowed)

    def only_options(self, known: Sequence[str]) -> None:
        """Refuse an option that the game does not know, so that a misspelt one never plays another rule.

        Raises:
            BadInputError: there is one.
        """
        for name, value in self.options.items():
            if name in (DECK, DECK_VERSION):
                if not is_name(value):
                    raise BadInputError("error.engine.is_short_text_not", name=name, value=shown(value))
            elif name == DECK_COLOURS:
                if not isinstance(value, list) or len(value) > _MOST_COLOURS or not all(map(is_name, value)):
                    raise BadInputError("error.engine.is_list_of_colours_not", name=name, value=shown(value))
            elif name not in known:
                raise BadInputError(
                    "error.engine.has_no_option_it_has", game=self.game, name=shown(name), list=", ".join(known)
                )


@dataclass(frozen=True)
class Event:
    """One event at `t_ns` (monotonic clock, ns); `data` holds the keys of its kind."""

    t_ns: int
    kind: str
    data: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Return it as a line of an event log."""
        return {**dict.fromkeys(("t_ns", "event")), **self.data, "t_ns": self.t_ns, "event": self.kind}

    def seat(self, players: int) -> int:
        """Return the event's seat. Raises BadInputError without a seat, and for an empty one."""
        seat = whole_number(self.data.get("seat"), "seat")
        if seat >= players:
            raise BadInputError("error.engine.nobody_sits_at_seat_last", seat=shown(seat), players=players - 1)
        return seat


@dataclass(frozen=True)
class Ruling:
    """A game's answer about `t_ns`: a frozen record. name: of its kind. fixed: keys that each of its kind has."""

    name: ClassVar[str]
    fixed: ClassVar[Mapping[str, object]] = {}

    t_ns: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract: those of its fields that are not at their default.

        A field may end in "_", where Python has its key as a word of its own.
        """
        shown = {
            one.name.removesuffix("_"): _as_json(getattr(self, one.name))
            for one in fields(self)[1:]
            if one.default is MISSING or getattr(self, one.name) != one.default
        }
        return {"ruling": self.name, "t_ns": self.t_ns, **self.fixed, **shown}


def as_json(rulings: Iterable[Ruling]) -> list[dict[str, object]]:
    """Return rulings with the keys of the outside contract."""
    return [ruling.as_json() for ruling in rulings]


def _as_json(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return [_as_json(one) for one in value] if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Ignored(Ruling):
    """Something happened that the rules have no place for now; it changes nothing. reason: of the game."""

    name = "ignored"

    seat: int | None = field(default=None, kw_only=True)
    event: str
    reason: Enum


@dataclass(frozen=True)
class Question:
    """A question to the players about something at `t_ns` that only they know.

    kind: "who_rang" (answered by the event `ringer`) or "decide" (by `decided`). seats: the possible ringers, or the
    owners of the cards in question. ruling: the one without the answer.
    """

    t_ns: int
    kind: str
    seats: tuple[int, ...]
    ruling: Mapping[str, object]


GameView = Any
"""A game's view for its own watcher: plain data, or a copy; None where it shows nothing."""


class Game(ABC):
    """The rules of one game in progress: pure, so that the same events always give the same rulings."""

    @abstractmethod
    def apply(self, event: Event) -> tuple[Ruling, ...]:
        """Take the next event and return the rulings that follow from it.

        Raises:
            BadInputError: the game knows no such event, or a value is impossible; nothing has changed then.
        """

    def question(self) -> Question | None:
        """Return the present question to the players, None without one."""
        return None

    def advice(self) -> str | None:
        """Return the kind of notice that advises the players on remaining steps, None while they need none."""
        return None

    def view(self) -> GameView:
        """Return its present view for its watcher; changing that changes nothing here."""
        return None


def parse_header(data: Mapping[str, object]) -> Header:
    """Return the header in an event log's first line.

    Raises:
        BadInputError: it is not a header, or the players cannot be distinguished by their names.
    """
    game, players, options = data.get("game"), data.get("players"), data.get("options", {})
    if not isinstance(game, str):
        raise BadInputError("error.engine.first_line_must_say_which")
    names = players_in(players)
    if not isinstance(options, dict):
        raise BadInputError("error.engine.options_must_be_object")
    return Header(game, names, options)


def parse_event(data: Mapping[str, object]) -> Event:
    """Return the event in a line of an event log. Raises BadInputError: it is not an event."""
    kind = data.get("event")
    if not isinstance(kind, str):
        raise BadInputError("error.engine.event_must_say_what_happened")
    t_ns = whole_number(data.get("t_ns"), "t_ns")
    if t_ns > MAX_T_NS:
        raise BadInputError("error.engine.t_ns_is_more_than")
    return Event(t_ns, kind, data)
