"""What a parcel says of a game and its pictures, checked value by value. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from referee.errors import BadInputError
from referee.journal.rows import LAST_MS, KeptGame
from referee.journal.stream import Item
from referee.journal.taking import Tally

_MOST_OF_A_GAME = 20_000
Number = Annotated[int, Field(ge=1)]
Real = Annotated[float, Field(gt=-1e9, lt=1e9)]
Side = Annotated[int, Field(ge=1, le=20_000)]


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Piece(_Checked):
    """A picture of an event, as it stands in the parcel; t_ms: from the event. entry: its name there."""

    event: Number
    place: Annotated[int, Field(ge=0, le=99)]
    t_ms: Real
    kept_ms: Annotated[int, Field(ge=0, le=LAST_MS)]
    disputed: bool
    entry: str = ""


class _Outline(_Checked):
    corners: Annotated[
        list[Annotated[list[Real], Field(min_length=2, max_length=2)]], Field(min_length=3, max_length=64)
    ]
    seat: Annotated[int, Field(ge=0, lt=7)] | None
    label: Annotated[str, Field(max_length=80)]
    certain: bool


class _Sight(_Checked):
    t_ms: Real
    width: Side
    height: Side
    outlines: Annotated[list[_Outline], Field(max_length=400)]


class _Sighted(_Checked):
    event: Number
    data: _Sight


class _Pictures(_Checked):
    pictures: Annotated[list[Piece], Field(max_length=_MOST_OF_A_GAME)] = []
    sights: Annotated[list[_Sighted], Field(max_length=_MOST_OF_A_GAME)] = []


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
    try:
        said = _Pictures.model_validate(item.data)
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise BadInputError("error.journal.what_is_said_of_picture", place=place) from None
    shown = {one.event for one in said.pictures} | {one.event for one in said.sights}
    if not shown <= {one.number for one in game.events}:
        raise BadInputError("error.journal.picture_in_it_belongs_to")
    entries = [f"pictures/{item.number}/{one.event}-{one.place}.jpg" for one in said.pictures]
    if len(set(entries)) < len(entries):
        raise BadInputError("error.journal.picture_stands_twice_in_it")
    pieces = (one.model_copy(update={"entry": entry}) for one, entry in zip(said.pictures, entries, strict=True))
    return Packed(game, tuple(pieces), {one.event: one.data.model_dump() for one in said.sights})
