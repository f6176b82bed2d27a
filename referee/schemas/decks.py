"""Answers about decks, and about a deck that was taught."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from referee.schemas.base import Corners, JsonAnswer, Mark, Mm


class ListedDeck(JsonAnswer):
    """`ringmaster decks --json`: a line a deck."""

    model_config = ConfigDict(title="Deck")

    deck: str
    game: str | None
    kind: Literal["marks", "prints"]
    faces: int
    card_mm: Mm
    taught: bool


class DeckFace(JsonAnswer):
    """A face of a deck."""

    face: str
    side: str
    marks: list[Mark] | None = None
    attributes: dict[str, str | int | None] | None = None
    count: int | None = None


class ShownDeck(JsonAnswer):
    """`ringmaster decks show --json`: one line."""

    deck: str
    game: str | None
    kind: Literal["marks", "prints"]
    faces: list[DeckFace]
    card_mm: Mm
    taught: bool
    version: str | None = None


class TaughtCard(JsonAnswer):
    """A card from which a face was learned; new: whether the face was new."""

    face: str
    new: bool
    corners_px: Corners


class TaughtUnclear(JsonAnswer):
    """A card from which nothing was learned."""

    corners_px: Corners
    reason: str


class TaughtPicture(JsonAnswer):
    """`ringmaster teach --json`: a line a picture, and a last one for the deck."""

    image: str
    cards: list[TaughtCard]
    unclear: list[TaughtUnclear]


class TaughtFace(JsonAnswer):
    """A face that was learned, and in how many places it was seen."""

    face: str
    attributes: dict[str, str | int | None]
    seen: int
    side: str | None = None
    marks: list[Mark] | None = None


class Nearest(JsonAnswer):
    """The two faces that look most alike, and how much they differ."""

    faces: list[str]
    difference: float


class Weakest(JsonAnswer):
    """The two faces with the least log-odds between them."""

    face: str
    rival: str
    log_odds: float


class Margins(JsonAnswer):
    """Log-odds between the most similar cards."""

    judged: int
    sure: int
    weakest: Weakest


class TaughtDeck(JsonAnswer):
    """`ringmaster teach --json`: the last line."""

    deck: str
    kind: Literal["marks", "prints"]
    card_mm: Mm
    faces: list[TaughtFace]
    alike: list[list[str]]
    true_size: Annotated[bool | None, Field(description="whether lengths are in mm, not only relative")] = None
    nearest: Nearest | None = None
    margins: Margins | None = None
