"""Answers about cards in a picture, and about scores of hands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from referee.schemas.base import Corners, JsonAnswer, Mark, Mm, Px, Seat, Share


class Best(JsonAnswer):
    """The likeliest face of a card that could not be read."""

    face: str
    confidence: Share


class PlacedCard(JsonAnswer):
    """A card with its place."""

    confidence: Share
    corners_px: Corners
    centre_mm: Mm | None
    seat: Seat | None


class MarkedCard(PlacedCard):
    """A card identified by its marks."""

    face: str
    side: str
    marks: list[Mark]


class PrintedCard(PlacedCard):
    """A card identified by its print; a card's back has no face."""

    face: str | None
    side: Literal["front", "back"]
    attributes: dict[str, str | int | None]


class UnknownCard(JsonAnswer):
    """A card of a deck that nobody knows (`--deck none`)."""

    corners_px: Corners
    centre_px: Px
    confidence: Share


class Unclear(JsonAnswer):
    """A card that could not be read, or a place that may hide one."""

    corners_px: Corners
    centre_mm: Mm | None = None
    centre_px: Px | None = None
    reason: str
    best: Best | None


class Read(JsonAnswer):
    """`ringmaster read --json`: a line a picture."""

    image: str
    deck: str
    ms: float
    cards: list[MarkedCard | PrintedCard | UnknownCard]
    unclear: list[Unclear]


class ColourSet(JsonAnswer):
    """A set of one colour; cards: the indices of those that give small, medium, big."""

    colour: str
    cards: Annotated[list[int], Field(min_length=3, max_length=3)]


class ConfettiScore(JsonAnswer):
    """`ringmaster score confetti --json`: a line a hand."""

    sets: int
    cards_needed: int
    unused: int
    over_limit: int
    points: int
    arrangement: list[ColourSet]


class ColorettoScore(JsonAnswer):
    """`ringmaster score coloretto --json`: a line a hand."""

    points: int
    jokers: list[str]
    plus: list[str]
    minus: list[str]


class ConfettiSeat(ConfettiScore):
    """`ringmaster score confetti --image … --json`: a line a seat."""

    seat: Seat
    faces: list[str]
    unclear: int
    reasons: list[str]
    side: str
    side_inferred: bool
    other_side: list[str]


class ColorettoHand(JsonAnswer):
    """Cards of a player."""

    colours: dict[str, int]
    jokers: int
    plus2: int


class ColorettoSeat(ColorettoScore):
    """`ringmaster score coloretto --image … --json`: a line a seat."""

    seat: Seat
    faces: list[str]
    unclear: int
    reasons: list[str]
    hand: ColorettoHand
    not_in_game: list[str]
