"""Answers about rulings and past games."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from referee.schemas.base import CardColours, JsonAnswer, Seat


class ReplayLine(BaseModel):
    """`ringmaster replay --json`: a line a ruling, with these keys and those that go with its kind."""

    model_config = ConfigDict(extra="allow", strict=True, title="Ruling")

    ruling: Literal[
        "also_rang",
        "arrangement",
        "cards_move",
        "end",
        "foul",
        "hand",
        "ignored",
        "missed",
        "out",
        "remark",
        "ring",
        "round",
        "round_end",
        "time",
        "too_early",
        "unclear",
    ]
    t_ns: Annotated[int, Field(description="the instant that it is about, ns")]
    seat: Seat | None = None
    seats: list[Seat] | None = None
    reason: str | None = None
    valid: bool | None = None
    colour: str | None = None
    frame_t_ns: Annotated[int | None, Field(description="of a recording: the frame that a ring was judged on")] = None
    lag_ms: float | None = None
    phone: Annotated[
        dict[str, float] | None,
        Field(description="of a ring on a phone: `back_ms` it is dated before it came, of `most_ms`"),
    ] = None
    count: int | None = None
    from_: Annotated[int | Literal["piles"] | None, Field(alias="from")] = None
    to: Seat | None = None
    number: int | None = None
    limit: int | None = None
    sets: int | None = None
    cards_needed: int | None = None
    unused: int | None = None
    over_limit: int | None = None
    kept: Annotated[int | None, Field(description="all point cards so far")] = None
    points: int | list[int] | None = None
    winners: list[Seat] | None = None
    cards: list[int] | list[CardColours] | None = None
    row: Annotated[int | None, Field(description="counted from 0")] = None
    starts: Seat | None = None
    hands: list[dict[str, Any]] | None = None
    last_seen: Annotated[
        list[list[CardColours] | None] | None,
        Field(description="by `seats`: the cards of hands that were put away uncounted"),
    ] = None


class PastGame(JsonAnswer):
    """`ringmaster history --json`: a line a game, the last played first."""

    id: str
    game: str
    players: list[str]
    points: Annotated[list[int], Field(description="by seat; none of a game that was not played to its end")]
    winners: list[Seat]
    started: Annotated[str, Field(description="ISO 8601")]
    ended: str | None
    evening: Annotated[str, Field(description="the evening that it belongs to")]
    fault: Annotated[str, Field(description="what of it cannot be read as it was kept, or nothing")]
