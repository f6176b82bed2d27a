"""Decks as data: faces with art, attributes and counts; built-in decks are in `vision/decks/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image

SIZES = ("small", "medium", "big")
CIRCLE = "circle"
"""The shape that needs no outline."""
ROOM = "room"
MARKS, PRINTS = "marks", "prints"
"""Kinds of decks: faces described by marks, and faces known by their art alone."""

ART_PX_PER_MM = 2.0
"""The scale of taught pictures of faces: no camera over a table sees print finer than half a millimetre."""
_TALL_MM = 90.0
_SQUARE = 0.02  # of a side: a smaller difference counts as a square
NO_ART: Image = np.zeros((0, 0, 3), np.uint8)


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


@dataclass(frozen=True, eq=False)
class Face:
    """One side of a card.

    `side` is `front`, `back`, or one of the deck's two playable sides (`white`, `black`). `attributes` are the game's
    words for it (`colour` and `mood`, `kind`, ...), empty if unnamed; those of a face of marks are the colour of each
    size. `art` (h, w, 3) uint8 BGR is the whole rectified card, edge to edge, under white light as far as that is
    known; `NO_ART` for a face of marks, which `render_face` draws. `count` is the number of such cards in the deck,
    None if unknown. `marks` are in the order small, medium, big.
    """

    id: str
    side: str
    attributes: Mapping[str, str]
    art: Image = field(default_factory=lambda: NO_ART)
    count: int | None = None
    marks: tuple[PrintedMark, ...] = ()


def marked_face(name: str, side: str, marks: tuple[PrintedMark, ...]) -> Face:
    """Return a face of marks, of which a deck has one."""
    return Face(name, side, {mark.size: mark.colour for mark in marks}, count=1, marks=marks)


@dataclass(frozen=True, eq=False)
class Deck:
    """A deck's description.

    `card_mm` is (width, height) of the cards with the art upright; where the deck was taught without a measure, only
    their ratio counts. `game` is its game, None for any. `alike` are pairs of ids that cannot be separated from the
    distance at which the deck was taught. `has_true_size` is False where the size of the cards was unknown while they
    were taught. `key_attributes` names the attributes by which a game distinguishes cards. Faces with the same values
    need not be distinguished. A face with none of them has a meaning of its own; so has every face where no attribute
    is named.

    Of a deck of marks `palette[side][colour]` and `background[side]` are the print's colours as `#rrggbb`;
    `outlines[shape]` is an (n, 2) array of points in a circle of radius 1, y down (a circle has none).
    """

    name: str
    card_mm: tuple[float, float]
    faces: tuple[Face, ...]
    game: str | None = None
    corner_radius_mm: float = 3.0
    alike: tuple[tuple[str, str], ...] = ()
    has_true_size: bool = True
    key_attributes: tuple[str, ...] = ()
    background: Mapping[str, str] = field(default_factory=dict)
    palette: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    outlines: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Return `MARKS` or `PRINTS`."""
        return MARKS if self.palette else PRINTS

    @cached_property
    def _faces(self) -> dict[tuple[str, str], Face]:
        return {(face.side, face.id): face for face in self.faces}

    def face(self, name: str, side: str = "front") -> Face:
        """Return a face by its name.

        Raises:
            KeyError: the deck has no such face.
        """
        return self._faces[side, name]

    def side(self, side: str) -> tuple[Face, ...]:
        """Return all faces of one side, in the deck's order."""
        return tuple(face for face in self.faces if face.side == side)

    @cached_property
    def meanings(self) -> NDArray[np.intp]:
        """Return the meaning (faces,) of each face in the game, as numbers: equal ones need not be distinguished."""
        numbers: dict[object, int] = {}
        meant: list[int] = []
        for face in self.faces:
            values = tuple(face.attributes.get(key) for key in self.key_attributes)
            meant.append(numbers.setdefault(values if any(values) else (face.side, face.id), len(numbers)))
        return np.array(meant, np.intp)

    @cached_property
    def is_counted(self) -> bool:
        """Return whether the number of each of its cards is known: then no face is missing."""
        return all(face.count is not None for face in self.faces)

    @cached_property
    def is_complete(self) -> bool:
        """Return whether no face seems to be missing: all combinations of the attributes' values occur.

        A card of an untaught face looks like a taught one in odd light. A colour without any taught face leaves no gap.
        """
        if self.is_counted:
            return True
        alike: dict[frozenset[str], list[Mapping[str, str]]] = {}
        for face in self.fronts:
            alike.setdefault(frozenset(face.attributes), []).append(face.attributes)
        if not alike or frozenset() in alike:
            return False
        # Ranks and suits may name all cards of a deck of which some also have a meaning in a game.
        shared = frozenset.intersection(*alike)
        everywhere = [face.attributes for face in self.fronts]
        # Nobody calls a clown happy where all are.
        if any(len({one[key] for one in everywhere}) == 1 for key in shared):
            return False
        named = {tuple(one[key] for key in sorted(shared)) for one in everywhere}
        if len(named) == len(everywhere) and _is_product(shared, everywhere):
            return True
        return all(_is_product(keys, ones) for keys, ones in alike.items())

    @property
    def size_mm(self) -> tuple[float, float]:
        """Return width and height of a card; without a known size as if it had the usual height."""
        width, height = self.card_mm
        stretch = 1.0 if self.has_true_size else _TALL_MM / height
        return width * stretch, height * stretch

    @property
    def turns(self) -> tuple[int, ...]:
        """Return the quarter turns that a card may have where only its outline is known."""
        return (0, 1, 2, 3) if abs(self.card_mm[0] / self.card_mm[1] - 1) < _SQUARE else (0, 2)

    def art_first(self, quads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return corners (n, 4, 2) whose first side is a short one, from the corner where the art's top begins."""
        return quads if self.card_mm[0] <= self.card_mm[1] else np.roll(quads, 1, axis=1)

    @cached_property
    def back(self) -> Face | None:
        """Return the art of the back, None where unknown."""
        return next((face for face in self.faces if face.side == "back"), None)

    @cached_property
    def fronts(self) -> tuple[Face, ...]:
        """Return all faces that name a card."""
        return tuple(face for face in self.faces if face.side != "back")


def _is_product(keys: frozenset[str], each: list[Mapping[str, str]]) -> bool:
    """Return whether each value of an attribute comes with each value of every other one."""
    seen = {tuple(one[key] for key in sorted(keys)) for one in each}
    return len(seen) == prod(len({one[key] for one in each}) for key in keys)


def program_attributes(attributes: Mapping[str, str]) -> dict[str, str | int]:
    """Return the attributes for programs: the room of a row is a number."""
    return {key: int(value) if key == ROOM and value.isdecimal() else value for key, value in attributes.items()}


def deck_names() -> list[str]:
    """Names of the decks that come with Ringmaster."""
    files = [file.name for file in resources.files("vision").joinpath("decks").iterdir()]
    return sorted(name.rpartition(".")[0] for name in files if name.endswith((".json", ".deck")))


@cache
def load_deck(name: str) -> Deck:
    """Return a deck that comes with Ringmaster, the same one each time: whatever is computed for it stays known."""
    from vision.deck_file import parse_deck, read_deck_file

    decks = Path(str(resources.files("vision").joinpath("decks")))
    if (decks / f"{name}.deck").is_file():
        return read_deck_file(decks / f"{name}.deck")
    return parse_deck(json.loads((decks / f"{name}.json").read_text(encoding="utf-8")))
