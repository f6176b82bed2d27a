"""Decks whose faces are pictures: art in a folder, and what each face means, read from `vision/decks/NAME.json`.

An edition with other colours, counts or art is another description and another folder. What reading asks of the art is
a picture in a frame: everything printed lies within `frame_mm`, dark or coloured along its rim, on a white card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, deck_file_of, deck_names, load_deck
from vision.descriptions import MOST_CARD_MM, card_size, number, paint, text, why_broken
from vision.errors import BadDeckError

Image = NDArray[np.uint8]
_MOST_OF_A_FACE = 1000


@dataclass(frozen=True, eq=False)
class PictureFace:
    """One picture of a deck: its id, what it means (`colour` and `mood` in Piccolino), and how many cards show it."""

    id: str
    attributes: Mapping[str, str]
    count: int


@dataclass(frozen=True, eq=False)
class PictureDeck:
    """A deck's description.

    `frame_mm` is the box (x, y, width, height) from the card's top-left that the printed picture fills; `folder`
    holds ID.svg (for printing) and ID.png (for reading) of every face and of the `back`; `palette` gives the
    attribute `colour`'s paints as `#rrggbb`.
    """

    name: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    frame_mm: tuple[float, float, float, float]
    palette: Mapping[str, str]
    faces: tuple[PictureFace, ...]
    back: str
    folder: Path

    @cached_property
    def by_id(self) -> dict[str, PictureFace]:
        """Faces by id."""
        return {face.id: face for face in self.faces}

    @property
    def cards(self) -> tuple[PictureFace, ...]:
        """The face of every single card, in the deck's order."""
        return tuple(face for face in self.faces for _ in range(face.count))

    def picture(self, face_id: str) -> Image:
        """Give the art of a face or of the back, (h, w, 3) uint8 BGR; its edges are the card's edges.

        Raises:
            BadDeckError: the picture is missing or broken.
        """
        path = self.folder / f"{face_id}.png"
        try:
            data = np.frombuffer(path.read_bytes(), np.uint8)
        except OSError as error:
            raise BadDeckError(f"the deck {self.name} lacks its picture {face_id}.png") from error
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
        if image is None:
            raise BadDeckError(f"the picture {face_id}.png of the deck {self.name} is broken")
        return np.asarray(image, np.uint8)


def load_any_deck(name: str) -> Deck | PictureDeck:
    """Load a deck of marks or of pictures by its name, or from a description file (a path that ends in `.json`).

    Raises:
        BadDeckError: there is no such deck, or its description is broken.
    """
    return load_picture_deck(name) if "art" in _described(name) else load_deck(name)


def load_picture_deck(name: str) -> PictureDeck:
    """Load a deck of pictures.

    Raises:
        BadDeckError: there is no such deck, its faces are no pictures, or its description is broken.
    """
    data = _described(name)
    if "art" not in data:
        raise BadDeckError(f"the deck {name} has no pictures")
    try:
        return _parsed(data, _path(name).parent)
    except (KeyError, TypeError, AttributeError, OverflowError, ValueError) as error:
        raise BadDeckError(f"the deck {name} is broken: {why_broken(error)}") from error


def _path(name: str) -> Path:
    if name.endswith(".json"):
        return Path(name)
    if deck_file_of(name) is not None:
        raise BadDeckError(f"the cards of {name} show no clowns")
    if name not in deck_names():
        raise BadDeckError(f"there is no deck called {name!r}, only {' and '.join(deck_names())}")
    return Path(str(resources.files("vision").joinpath("decks", f"{name}.json")))


def _described(name: str) -> dict[str, Any]:
    path = _path(name)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadDeckError(f"the deck {name} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadDeckError(f"the deck {name} is broken: it is not JSON") from error
    if not isinstance(data, dict):
        raise BadDeckError(f"the deck {name} is broken: it is not a description")
    return data


def _parsed(data: dict[str, Any], beside: Path) -> PictureDeck:
    width, height = card_size(data["card_mm"])
    x, y, across, down = (number(side, "frame_mm", 0, MOST_CARD_MM) for side in data["frame_mm"])
    if not (x > 0 < y and across > 0 < down and x + across < width and y + down < height):
        raise ValueError("the frame must lie within the card")
    faces = tuple(
        PictureFace(
            text(face["face"], "face"),
            {text(k, "attributes"): text(v, "attributes") for k, v in face["attributes"].items()},
            int(number(face["count"], "count", 0, _MOST_OF_A_FACE)),
        )
        for face in data["faces"]
    )
    if not faces or len({face.id for face in faces}) < len(faces):
        raise ValueError("every face needs an id of its own")
    return PictureDeck(
        name=text(data["deck"], "deck"),
        card_mm=(width, height),
        corner_radius_mm=number(data["corner_radius_mm"], "corner_radius_mm", 0, min(width, height) / 2),
        frame_mm=(x, y, across, down),
        palette={text(colour, "palette"): paint(tone, "palette") for colour, tone in data["palette"].items()},
        faces=faces,
        back=text(data["back"], "back"),
        folder=beside / str(data["art"]),
    )
