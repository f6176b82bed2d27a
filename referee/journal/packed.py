"""What a parcel says of a game and its pictures, checked value by value. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import BadInputError
from referee.journal.rows import KeptGame
from referee.journal.stored import wall_time
from referee.journal.stream import Item
from referee.journal.taking import Tally
from referee.jsonlines import whole_number

_MOST_OUTLINES = 400
_MOST_OF_A_GAME = 20_000


@dataclass(frozen=True)
class Piece:
    """A picture of an event, as it stands in the parcel; t_ms: from the event."""

    entry: str
    event: int
    place: int
    t_ms: float
    kept_ms: int
    disputed: bool


@dataclass(frozen=True)
class Packed:
    """A game, its pictures, and what was outlined in those that decided, by event."""

    game: KeptGame
    pieces: tuple[Piece, ...]
    sights: Mapping[int, Mapping[str, Any]]


def packed_from(item: Item, tally: Tally) -> Packed:
    """Give a game of a parcel with what is said of its pictures.

    Raises:
        BadInputError: it is none, or they make no sense.
    """
    game = tally.game_of(item)
    events = {one.number for one in game.events}
    try:
        given, sighted = item.data.get("pictures", []), item.data.get("sights", [])
        if len(given) > _MOST_OF_A_GAME or len(sighted) > _MOST_OF_A_GAME:
            raise BadInputError("there are more pictures of it than of any game")
        pieces = tuple(_piece(item.number, one, events) for one in given)
        sights = {_event(one, events): _sight(one["data"]) for one in sighted}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError("what is said of a picture in it is not whole") from error
    if len({(one.event, one.place) for one in pieces}) < len(pieces):
        raise BadInputError("a picture stands twice in it")
    return Packed(game, pieces, sights)


def _piece(number: int, data: Mapping[str, Any], events: set[int]) -> Piece:
    event, place = _event(data, events), whole_number(data["place"], "place")
    if place > 99 or not isinstance(data["disputed"], bool):
        raise BadInputError("what is said of a picture in it makes no sense")
    kept_ms = wall_time(data["kept_ms"], "kept_ms")
    return Piece(f"pictures/{number}/{event}-{place}.jpg", event, place, _real(data["t_ms"]), kept_ms, data["disputed"])


def _event(data: Mapping[str, Any], events: set[int]) -> int:
    event = whole_number(data["event"], "event", 1)
    if event not in events:
        raise BadInputError("a picture in it belongs to no event")
    return event


def _sight(data: Mapping[str, Any]) -> dict[str, Any]:
    outlines = data["outlines"]
    if not isinstance(outlines, list) or len(outlines) > _MOST_OUTLINES:
        raise BadInputError("what was outlined in a picture in it makes no sense")
    return {
        "t_ms": _real(data["t_ms"]),
        "width": _size(data["width"]),
        "height": _size(data["height"]),
        "outlines": [_outline(one) for one in outlines],
    }


def _outline(data: Mapping[str, Any]) -> dict[str, Any]:
    seat, label, certain, corners = (data[key] for key in ("seat", "label", "certain", "corners"))
    fits = (seat is None or (type(seat) is int and 0 <= seat < 7)) and isinstance(label, str) and len(label) <= 80
    if not fits or not isinstance(certain, bool) or not 3 <= len(corners) <= 64:
        raise BadInputError("what was outlined in a picture in it makes no sense")
    return {"corners": [[_real(x), _real(y)] for x, y in corners], "seat": seat, "label": label, "certain": certain}


def _size(value: object) -> int:
    size = whole_number(value, "width", 1)
    if size > 20_000:
        raise BadInputError("a picture in it is larger than any of ours")
    return size


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise BadInputError("a number in it makes no sense")
    return float(value)
