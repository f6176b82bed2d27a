"""The base of the models of a game's events, and the parsing of an event to its model.

The journal keeps an event as it came, with keys that only others read; a model has the keys that the rules read.
A module of its own: pydantic takes 0.1 s to import, and a score of typed hands needs none of it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo

from referee.engine.events import MAX_T_NS, Event
from referee.errors import BadInputError
from referee.jsonlines import shown
from referee.models import Model, complaint, first_fault

M = TypeVar("M")
PLAYERS = "players"
"""Key in a validator's context: the number of players, where that is known."""


def _taken_seat(seat: int, info: ValidationInfo) -> int:
    players = (info.context or {}).get(PLAYERS, seat + 1)
    if seat >= players:
        raise BadInputError("error.engine.nobody_sits_at_seat_last", seat=shown(seat), players=players - 1)
    return seat


Seat = Annotated[int, Field(ge=0, description="counted from 0, clockwise"), AfterValidator(_taken_seat)]
Seats = Annotated[tuple[Seat, ...], Field(strict=False)]
TNs = Annotated[int, Field(ge=0, le=MAX_T_NS, description="the instant that it is about, monotonic clock, ns")]
Ns = Annotated[int, Field(ge=0, description="ns")]


class EventModel(Model):
    """An event of a game; each has a key `event` with its kind."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)

    t_ns: TNs


def parsed(models: TypeAdapter[M], event: Event, players: int, game: str) -> M:
    """Return an event as one of a game's models, a union that `event` discriminates.

    Raises:
        BadInputError: the game knows no such event, the seat is empty, or a value is impossible.
    """
    data: dict[str, Any] = {**event.data, "event": event.kind, "t_ns": event.t_ns}
    try:
        return models.validate_python(data, context={PLAYERS: players})
    except ValidationError as error:
        if first_fault(error)["type"] == "union_tag_invalid":
            raise BadInputError("error.games.knows_no_event", game=game, kind=shown(event.kind)) from None
        raise complaint(error) from None
