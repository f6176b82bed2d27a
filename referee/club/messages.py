"""Models of a table's messages: an invalid message is refused with the reason before any write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from referee.errors import BadInputError
from referee.store.database import LAST_MS

Uid = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Kind = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
Number = Annotated[int, Field(ge=0, lt=1 << 31)]
Points = Annotated[int, Field(gt=-(1 << 31), lt=1 << 31)]


def _within(value: object) -> object:
    """Return a wall time within the range of dates: a table's clock may be far off."""
    return min(max(0, value), LAST_MS) if type(value) is int else value


WallMs = Annotated[int, BeforeValidator(_within)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _End(_Strict):
    """The ruling that ends a game, with the fields for the league."""

    winners: list[Number] = []
    points: list[Points] | None = None
    cards: list[Points] | None = None


def _ruling(value: dict[str, Any]) -> dict[str, Any]:
    TypeAdapter(Kind).validate_python(value.get("ruling"), strict=True)
    if value["ruling"] == "end":
        _End.model_validate(value)
    return value


Ruling = Annotated[dict[str, Any], BeforeValidator(lambda value: _ruling(value) if isinstance(value, dict) else value)]


class ClubHeader(_Strict):
    """A game and its players."""

    game: Kind
    players: Annotated[list[str], Field(max_length=20)]
    options: dict[str, Any] = {}


class GameBegun(_Strict):
    """A game began."""

    kind: Literal["game"]
    game: Uid
    header: ClubHeader
    started_ms: WallMs


class EventJudged(_Strict):
    """An event with its rulings."""

    kind: Literal["event"]
    game: Uid
    number: Number
    wall_ms: WallMs
    event: dict[str, Any]
    refused: bool
    rulings: Annotated[list[Ruling], Field(max_length=1000)]


class ClubCorrection(_Strict):
    """A correction, with the rulings (event, place) that it ended and began."""

    kind: Literal["correction"]
    game: Uid
    number: Annotated[int, Field(ge=1, lt=1 << 31)]
    wall_ms: WallMs
    event: Number | None
    data: dict[str, Any] | None
    undoes: Number | None
    gone: Annotated[list[Annotated[list[Number], Field(min_length=2, max_length=2)]], Field(max_length=10_000)]
    new: Annotated[list[list[Any]], Field(max_length=10_000)]

    @model_validator(mode="after")
    def _new_are_rulings(self) -> ClubCorrection:
        _NEW.validate_python([tuple(one) for one in self.new], strict=True)
        return self


class Disputed(_Strict):
    """A player asked to see an event again."""

    kind: Literal["dispute"]
    game: Uid
    event: Number


class Nothing(_Strict):
    """A placeholder for a number in the stream whose game no longer exists at the table."""

    kind: Literal["nothing"]


_NEW: TypeAdapter[list[tuple[int, int, dict[str, Any]]]] = TypeAdapter(list[tuple[Number, Number, Ruling]])
Message = GameBegun | EventJudged | ClubCorrection | Disputed | Nothing
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def message_in(data: Mapping[str, Any]) -> Message:
    """Return the message in a table's data.

    Raises:
        BadInputError: it matches no model.
    """
    try:
        return _MESSAGE.validate_python(dict(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadInputError("error.at", where=".".join(map(str, first["loc"])), why=first["msg"]) from None
