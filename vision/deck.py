"""Decks as data: what is printed on every card, in mm, read from `vision/decks/NAME.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.errors import BadDeckError

SIZES = ("small", "medium", "big")


@dataclass(frozen=True)
class Mark:
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
    marks: tuple[Mark, ...]


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
    return sorted(name.removesuffix(".json") for name in files if name.endswith(".json"))


def load_deck(name: str) -> Deck:
    """Load a deck by its name, or from a description file (a path that ends in `.json`).

    Raises:
        BadDeckError: there is no such deck, or its description is broken.
    """
    try:
        if name.endswith(".json"):
            return _parse(json.loads(Path(name).read_text(encoding="utf-8")))
        if name not in deck_names():
            raise BadDeckError(f"there is no deck called {name!r}; there is {', '.join(deck_names())}")
        return _bundled(name)
    except OSError as error:
        raise BadDeckError(f"the deck {name} cannot be read: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, BadDeckError):
            raise
        raise BadDeckError(f"the deck {name} is broken: {type(error).__name__} {error}") from error


@cache
def _bundled(name: str) -> Deck:
    # One and the same deck for every game of an evening: what is worked out for a deck is worked out once.
    return _parse(json.loads(resources.files("vision").joinpath("decks", f"{name}.json").read_text(encoding="utf-8")))


def _parse(data: dict[str, Any]) -> Deck:
    if "art" in data:
        raise BadDeckError(f"the cards of {data['deck']} show pictures, not marks")
    sides = list(data["background"])
    faces = tuple(
        Face(card["id"], side, tuple(sorted((Mark(**mark) for mark in card[side]), key=lambda m: SIZES.index(m.size))))
        for side in sides
        for card in data["cards"]
    )
    width, height = data["card_mm"]
    return Deck(
        name=data["deck"],
        card_mm=(float(width), float(height)),
        corner_radius_mm=float(data["corner_radius_mm"]),
        background=dict(data["background"]),
        palette={side: dict(colours) for side, colours in data["palette"].items()},
        outlines={shape: np.asarray(points, dtype=np.float64) for shape, points in data["shapes"].items()},
        faces=faces,
    )
