"""Decks as data: what is printed on every card, in mm, read from `vision/decks/NAME.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.descriptions import card_size, number, paint, text, why_broken
from vision.errors import BadDeckError

SIZES = ("small", "medium", "big")
CIRCLE = "circle"
"""The shape that needs no outline."""


@dataclass(frozen=True)
class PrintedMark:
    """One printed mark.

    `x_mm`, `y_mm` lead from the card's top-left corner, right and down; `diameter_mm` is that of the circle, or of
    the circle around the shape; `rotation_deg` turns the shape's outline clockwise.
    """

    size: str
    colour: str
    shape: str
    x_mm: float
    y_mm: float
    diameter_mm: float
    rotation_deg: float


@dataclass(frozen=True)
class Face:
    """One printed side of one card; `marks` in the order small, medium, big."""

    id: str
    side: str
    marks: tuple[PrintedMark, ...]


@dataclass(frozen=True, eq=False)
class Deck:
    """A deck's description.

    `palette[side][colour]` and `background[side]` are the print's colours as `#rrggbb`; `outlines[shape]` is an
    (n, 2) array of points in a circle of radius 1, y down (a circle has none).
    """

    name: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    background: dict[str, str]
    palette: dict[str, dict[str, str]]
    outlines: dict[str, NDArray[np.float64]]
    faces: tuple[Face, ...]

    @cached_property
    def by_id(self) -> dict[tuple[str, str], Face]:
        """Faces by (side, id)."""
        return {(face.side, face.id): face for face in self.faces}

    def side(self, side: str) -> tuple[Face, ...]:
        """All faces of one side, in the deck's order."""
        return tuple(face for face in self.faces if face.side == side)


def deck_names() -> list[str]:
    """Names of the decks that come with Ringmaster."""
    files = [file.name for file in resources.files("vision").joinpath("decks").iterdir()]
    return sorted(name.rpartition(".")[0] for name in files if name.endswith((".json", ".deck")))


def deck_file_of(name: str) -> Path | None:
    """Return the deck file of a deck of prints that comes with Ringmaster; None for every other deck."""
    path = Path(str(resources.files("vision").joinpath("decks", f"{name}.deck")))
    return path if name in deck_names() and path.is_file() else None


def load_deck(name: str) -> Deck:
    """Load a deck by its name, or from a description file (a path that ends in `.json`).

    Raises:
        BadDeckError: there is no such deck, or its description is broken.
    """
    try:
        if name.endswith(".json"):
            return parse_deck(json.loads(Path(name).read_text(encoding="utf-8")))
        if name not in deck_names():
            raise BadDeckError(
                "error.there_is_no_deck_called",
                "there is no deck called {name}, only {list}",
                name=repr(name),
                list=" and ".join(deck_names()),
            )
        if deck_file_of(name) is not None:
            raise BadDeckError(
                "error.cards_of_show_pictures_not", "the cards of {name} show pictures, not marks", name=name
            )
        return _bundled(name)
    except OSError as error:
        raise BadDeckError(
            "error.deck.deck_cannot_be_read",
            "the deck {name} cannot be read: {why}",
            name=name,
            why=error.strerror or error,
        ) from error
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError, ValueError) as error:
        if isinstance(error, BadDeckError):
            raise
        raise BadDeckError(
            "error.deck.deck_is_broken", "the deck {name} is broken: {why}", name=name, why=why_broken(error)
        ) from error


@cache
def _bundled(name: str) -> Deck:
    # One and the same deck for every game of an evening: what is worked out for a deck is worked out once.
    return parse_deck(
        json.loads(resources.files("vision").joinpath("decks", f"{name}.json").read_text(encoding="utf-8"))
    )


def parse_deck(data: dict[str, Any]) -> Deck:
    """Return the deck of marks that a description is of.

    Raises:
        KeyError, TypeError, AttributeError, OverflowError, ValueError: the description is broken.
    """
    if not isinstance(data, dict):
        raise ValueError("it is not a description")
    width, height = card_size(data["card_mm"])
    background = {text(side, "background"): paint(ground, "background") for side, ground in data["background"].items()}
    palette = {
        side: {text(colour, "palette"): paint(tone, "palette") for colour, tone in data["palette"][side].items()}
        for side in background
    }
    outlines = {text(shape, "shapes"): _outline(points) for shape, points in data["shapes"].items()}
    deck = Deck(
        name=text(data["deck"], "deck"),
        card_mm=(width, height),
        corner_radius_mm=number(data["corner_radius_mm"], "corner_radius_mm", 0, min(width, height) / 2),
        background=background,
        palette=palette,
        outlines=outlines,
        faces=(),
    )
    # Of a taught deck only those sides are known that lay in sight.
    faces = tuple(_face(deck, side, card) for side in background for card in data["cards"] if side in card)
    if not faces:
        raise ValueError("it has no cards")
    if len({(face.side, face.id) for face in faces}) < len(faces):
        raise ValueError("every card needs an id of its own")
    return replace(deck, faces=faces)


def described(deck: Deck) -> dict[str, Any]:
    """Return the description that `parse_deck` makes this deck of."""
    cards: dict[str, dict[str, Any]] = {}
    for face in deck.faces:
        cards.setdefault(face.id, {"id": face.id})[face.side] = [asdict(mark) for mark in face.marks]
    return {
        "deck": deck.name,
        "card_mm": list(deck.card_mm),
        "corner_radius_mm": deck.corner_radius_mm,
        "background": deck.background,
        "palette": deck.palette,
        "shapes": {shape: outline.tolist() for shape, outline in deck.outlines.items()},
        "cards": list(cards.values()),
    }


def _outline(points: object) -> NDArray[np.float64]:
    outline = np.asarray(points, dtype=np.float64)
    if outline.ndim != 2 or outline.shape[0] < 3 or outline.shape[1] != 2 or not (np.abs(outline) <= 1.5).all():
        raise ValueError("a shape must be three points or more, x and y, in a circle of radius 1")
    return outline


def _face(deck: Deck, side: str, card: dict[str, Any]) -> Face:
    """Return one side of a card as a deck describes it; of the deck all but its faces is known."""
    marks = sorted((_mark(deck, side, mark) for mark in card[side]), key=lambda mark: SIZES.index(mark.size))
    if tuple(mark.size for mark in marks) != SIZES:
        raise ValueError("every side of a card needs a small, a medium and a big mark")
    return Face(text(card["id"], "id"), side, tuple(marks))


def _mark(deck: Deck, side: str, data: dict[str, Any]) -> PrintedMark:
    width, height = deck.card_mm
    mark = PrintedMark(
        **{
            **data,
            "x_mm": number(data["x_mm"], "x_mm", 0, width),
            "y_mm": number(data["y_mm"], "y_mm", 0, height),
            "diameter_mm": number(data["diameter_mm"], "diameter_mm", 1, max(width, height)),
            "rotation_deg": number(data["rotation_deg"], "rotation_deg", -360, 360),
        }
    )
    if mark.size not in SIZES or mark.colour not in deck.palette[side] or mark.shape not in (CIRCLE, *deck.outlines):
        raise ValueError("a mark has a size, a colour or a shape that is not described")
    return mark
