"""The events of Confetti."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PlainValidator, TypeAdapter, WithJsonSchema, model_validator

from referee.engine.event_models import EventModel, Seat
from referee.errors import BadInputError
from referee.games.confetti.score import COLOURS, MAX_CARDS, Card, parse_cards

_THREE = {"items": {"enum": list(COLOURS)}, "minItems": 3, "maxItems": 3, "description": "small, medium, big"}
Cards = Annotated[
    tuple[Card, ...],
    PlainValidator(parse_cards),
    WithJsonSchema({"type": "array", "items": {"type": "array", **_THREE}, "maxItems": MAX_CARDS}),
]


class TimerFlipped(EventModel):
    """The sandtimer was turned, which begins a round (C4)."""

    event: Literal["timer_flipped"] = "timer_flipped"


class TimerRanOut(EventModel):
    """The last grain fell (C4)."""

    event: Literal["timer_ran_out"] = "timer_ran_out"


class Contested(EventModel):
    """Two players held one card (C9)."""

    event: Literal["contested"] = "contested"


class Count(EventModel):
    """A request to count the hands."""

    event: Literal["count"] = "count"
    ask: bool = False
    """Whether the players are asked for unseen hands."""


class Stopped(EventModel):
    """The players end the game by agreement."""

    event: Literal["stop"] = "stop"


class HandShown(EventModel):
    """The cards before a seat."""

    event: Literal["hand"] = "hand"
    seat: Seat
    cards: Cards


class HandsGone(EventModel):
    """Hands were put away before they were counted."""

    event: Literal["hands_gone"] = "hands_gone"
    seats: Annotated[tuple[Seat, ...], Field(strict=False, min_length=1)]
    last_seen: Annotated[tuple[Cards | None, ...], Field(strict=False)]
    """In the order of `seats`: the last complete hand, or null."""

    @model_validator(mode="after")
    def _one_each(self) -> HandsGone:
        if len(self.seats) != len(self.last_seen):
            raise BadInputError("error.games.seats_must_list_seats_and")
        return self


class Challenged(EventModel):
    """A challenge of a seat's score, which is to be shown again (C11)."""

    event: Literal["challenge"] = "challenge"
    seat: Seat


Action = TimerFlipped | TimerRanOut | Contested | Count | Stopped | HandShown | HandsGone | Challenged
EVENTS: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="event")])
