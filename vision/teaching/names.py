"""Names for faces, each given by a point on a card that shows the face."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.descriptions import number, text, why_broken
from vision.errors import BadLessonError
from vision.quads import within_quads
from vision.reading import Card

_MOST_BYTES, _MOST_NAMES = 4 * 2**20, 5000
_FARTHEST_PX = 1e6
BACK = "back"
_NO_NAMES = frozenset(".:\\")


@dataclass(frozen=True)
class CardName:
    """A person's statement: the card at this point (in the file's pixels) of this picture shows this face."""

    image: str
    at_px: tuple[float, float]
    face: str
    attributes: Mapping[str, str]


def load_names(path: Path) -> tuple[CardName, ...]:
    """Return the names in a file.

    Raises:
        BadLessonError: the file is missing, is not a list of names, or contradicts itself about a face.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadLessonError(
                "error.lesson.is_larger_than_any_list", "{path} is larger than any list of names", path=path
            )
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, list) or len(data) > _MOST_NAMES:
            raise ValueError("it is no list of names")
        names = tuple(_name(entry) for entry in data)
    except OSError as error:
        raise BadLessonError(
            "error.lesson.names_in_cannot_be_read",
            "the names in {path} cannot be read: {why}",
            path=path,
            why=error.strerror or error,
        ) from error
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError, ValueError) as error:
        if isinstance(error, BadLessonError):
            raise
        broken = "it is not JSON" if isinstance(error, json.JSONDecodeError) else why_broken(error)
        raise BadLessonError(
            "error.lesson.names_in_are_broken", "the names in {path} are broken: {why}", path=path, why=broken
        ) from error
    meant: dict[str, Mapping[str, str]] = {}
    for name in names:
        if meant.setdefault(name.face, name.attributes) != name.attributes:
            raise BadLessonError(
                "error.lesson.says_two_different_things_of",
                "{path} says two different things of {face}",
                path=path,
                face=name.face,
            )
    return names


def check_images(names: Sequence[CardName], images: Sequence[str]) -> None:
    """Check that all names belong to the given pictures.

    Raises:
        BadLessonError: one does not.
    """
    for name in names:
        if name.image not in images:
            raise BadLessonError(
                "error.lesson.names_speak_of_which_is",
                "the names speak of {image}, which is none of the pictures",
                image=name.image,
            )


def named_cards(names: Sequence[CardName], image: str, cards: Sequence[Card]) -> dict[int, CardName]:
    """Return the names of a picture's cards, in the file's pixels, by the number of the card.

    Raises:
        BadLessonError: a name points beside every card, or a card has two names.
    """
    found: dict[int, CardName] = {}
    for name in names:
        if name.image != image:
            continue
        point = np.array([[name.at_px]])
        under = [k for k, card in enumerate(cards) if within_quads(point, card.corners_px[None]).any()]
        x, y = name.at_px
        if not under:
            raise BadLessonError(
                "error.lesson.name_points_beside_every_card",
                "the name {face} points beside every card that was found in {image} ({x}, {y})",
                face=name.face,
                image=image,
                x=f"{x:g}",
                y=f"{y:g}",
            )
        for k in under:
            if found.setdefault(k, name).face != name.face:
                raise BadLessonError(
                    "error.lesson.one_card_in_is_called",
                    "one card in {image} is called {face} and {other} ({x}, {y})",
                    image=image,
                    face=found[k].face,
                    other=name.face,
                    x=f"{x:g}",
                    y=f"{y:g}",
                )
    return found


def _name(data: dict[str, Any]) -> CardName:
    image = data["image"]
    if not isinstance(image, str) or not image:
        raise ValueError('"image" must be the name of a picture')
    x, y = (number(value, "at_px", -_FARTHEST_PX, _FARTHEST_PX) for value in data["at_px"])
    face = text(data["face"], "face")
    if _NO_NAMES & set(face) or face != face.strip():
        raise ValueError('"face" must be a short text without dots, colons and slashes')
    attributes = {
        text(key, "attributes"): text(str(value) if type(value) is int else value, "attributes")
        for key, value in data.get("attributes", {}).items()
    }
    return CardName(image, (x, y), face, attributes)
