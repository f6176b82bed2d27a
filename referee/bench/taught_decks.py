"""Decks to be taught, with pictures to teach them from and pictures to be read, whose truth is known.

A deck's folder has `teach/` and `test/` with truth files beside the pictures and a `deck.json` that says what its faces
mean, or one `labels.json` for photographs: `teach[]` and `test[]` with `file` and `cards[]` (`face`, `corners_px`),
whose pictures are in `pictures/` or in the folder that its `root` names from some folder above.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.bench.truth import TrueCard, TruePicture, load_truth
from referee.errors import BadInputError

_LABELS, _DECK = "labels.json", "deck.json"
_NO_MEANING = frozenset({"front", "back", "copies", "marks"})
_PHOTOGRAPH = "photograph"


@dataclass(frozen=True, eq=False)
class DeckToTeach:
    """A deck's name, what its faces mean, and the pictures."""

    name: str
    meanings: Mapping[str, Mapping[str, str]]
    teach: tuple[TruePicture, ...]
    test: tuple[TruePicture, ...]


def decks_in(folder: Path) -> list[DeckToTeach]:
    """Give the deck in a folder, or all decks in its folders.

    Raises:
        BadInputError: there are none, or a file there is broken.
    """
    if not folder.is_dir():
        raise BadInputError(f"there is no folder {folder}")
    found = [_deck_in(one) for one in (folder, *sorted(folder.iterdir())) if is_deck(one)]
    if not found:
        raise BadInputError(f"{folder} holds no deck to teach: neither teach and test nor {_LABELS}")
    return found


def is_deck(folder: Path) -> bool:
    """Whether a folder holds a deck to teach."""
    return (folder / _LABELS).is_file() or ((folder / "teach").is_dir() and (folder / "test").is_dir())


def _deck_in(folder: Path) -> DeckToTeach:
    name = folder.resolve().name
    if not (folder / _LABELS).is_file():
        meanings = _meanings(folder / _DECK)
        teach, test = (load_truth(folder / part) for part in ("teach", "test"))
        shown = {card.side for picture in teach for card in picture.cards}
        return DeckToTeach(name, meanings, tuple(teach), tuple(_with_backs(picture, shown) for picture in test))
    file = folder / _LABELS
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        taught, read = (
            tuple(_photograph(folder, str(data.get("root", "")), entry) for entry in data[part])
            for part in ("teach", "test")
        )
    except OSError as error:
        raise BadInputError(f"{file} cannot be read: {error.strerror or error}") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f"the labels in {file} are broken: {type(error).__name__} {error}") from error
    return DeckToTeach(name, {}, taught, read)


def _with_backs(picture: TruePicture, shown: set[str]) -> TruePicture:
    """The same truth with sides that the lesson never shows as backs: nothing of them can be known."""
    cards = tuple(card if card.side in shown else replace(card, side="back") for card in picture.cards)
    return replace(picture, cards=cards)


def _meanings(file: Path) -> dict[str, dict[str, str]]:
    if not file.is_file():
        return {}
    try:
        cards = json.loads(file.read_text(encoding="utf-8"))["cards"]
        return {
            face: {key: str(value) for key, value in card.items() if key not in _NO_MEANING}
            for face, card in cards.items()
        }
    except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInputError(f"the deck in {file} is broken: {type(error).__name__} {error}") from error


def _photograph(folder: Path, root: str, entry: dict[str, Any]) -> TruePicture:
    file = str(entry["file"])
    places = [folder / "pictures" / file, folder / file, *(above / root / file for above in folder.resolve().parents)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise BadInputError(f"the picture {file} is missing beside {folder / _LABELS}")
    cards = tuple(
        TrueCard(str(card["face"]), "front", np.array(card["corners_px"], np.float64).reshape(4, 2), 1.0, ())
        for card in entry["cards"]
    )
    return TruePicture(path, _PHOTOGRAPH, cards)
