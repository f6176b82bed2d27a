"""Decks that are taught from some pictures and read in others: `python -m tools.bench.taught DIR`.

A deck's folder has `teach/` and `test/` with truth files beside the pictures, and a `deck.json` with its faces'
attributes. For photographs it has one `labels.json`: `teach[]` and `test[]` with `file` and `cards[]` (`face`,
`corners_px`). Their pictures are in `pictures/`, or in the folder that `root` names in a parent folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from referee.accuracy import TrueCard, TruePicture, load_truth, match
from referee.errors import BadInputError
from tools.bench.accuracy import measured
from tools.bench.common import Row, command, say
from vision.deck import MARKS, Deck
from vision.errors import VisionError
from vision.image import load_picture
from vision.teaching.lesson import learn
from vision.teaching.lesson_cards import LaidCards, TeachingPicture, laid_out
from vision.teaching.names import CardName

_LABELS, _DECK = "labels.json", "deck.json"
_NO_MEANING = frozenset({"front", "back", "copies", "marks"})


def measure(folder: Path, half: bool = False, untaught: bool = False, least: float = 0.5) -> Row:
    """Teach the deck in a folder, or all decks in its folders, and read their other pictures.

    half: teach from every second picture only. untaught: remove every second face after the lesson.
    """
    rows = []
    for deck in decks_in(folder):
        try:
            known = _learned(deck, deck.teach[::2] if half else deck.teach)
        except VisionError as error:
            say({"deck": deck.name, "not_taught": str(error)})
            continue
        if untaught:
            known = _every_second(known)
        row = measured([_by_sides(picture, known) for picture in deck.test], known, least)
        say({"deck": deck.name, **asdict(row)})
        rows.append(row)
    n, right, unclear, wrong = (sum(getattr(row, name) for row in rows) for name in ("n", "right", "unclear", "wrong"))
    timed = [row for row in rows if row.p50 is not None and row.p99 is not None]
    if not timed:
        return Row(n, right, unclear, wrong)
    p50, p99 = float(np.median([row.p50 or 0.0 for row in timed])), max(row.p99 or 0.0 for row in timed)
    return Row(n, right, unclear, wrong, p50, p99, "yardsticks")


@dataclass(frozen=True, eq=False)
class DeckToTeach:
    """A deck's name, its faces' attributes, and the pictures."""

    name: str
    meanings: Mapping[str, Mapping[str, str]]
    teach: tuple[TruePicture, ...]
    test: tuple[TruePicture, ...]


def decks_in(folder: Path) -> list[DeckToTeach]:
    """Return the deck in a folder, or all decks in its folders.

    Raises:
        BadInputError: there are none, or a file is broken.
    """
    if not folder.is_dir():
        raise BadInputError(f"there is no folder {folder}")
    found = [_deck_in(one) for one in (folder, *sorted(folder.iterdir())) if is_deck(one)]
    if not found:
        raise BadInputError(f"{folder} holds no deck to teach: neither teach and test nor {_LABELS}")
    return found


def is_deck(folder: Path) -> bool:
    """Return whether a folder holds a deck to teach."""
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
    """Return the truth with sides that the lesson never shows as backs: they cannot be known."""
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
        TrueCard(str(card["face"]), "front", np.array(card["corners_px"], np.float64).reshape(4, 2), 1.0)
        for card in entry["cards"]
    )
    return TruePicture(path, "photograph", cards)


def _learned(deck: DeckToTeach, pictures: Sequence[TruePicture]) -> Deck:
    """Teach a deck from some of its pictures, with the first card of each face named."""
    shown = [TeachingPicture(picture.path.name, partial(load_picture, picture.path)) for picture in pictures]
    laid, size = laid_out(shown, None)
    names: dict[str, CardName] = {}
    for picture, look in zip(pictures, laid, strict=True):
        for at, face in _true_of(picture, look, load_picture(picture.path).reduction):
            names.setdefault(face, CardName(picture.path.name, at, face, deck.meanings.get(face, {})))
    return learn(deck.name, shown, laid, size, tuple(names.values()), may_show_marks=True).deck


def _true_of(picture: TruePicture, look: LaidCards, reduction: int) -> list[tuple[tuple[float, float], str]]:
    """Return the middles, in the file's pixels, of the cards found in a picture, and their faces."""
    quads = (look.quads_px + 0.5) * reduction - 0.5
    pairs = match(list(quads), [card.corners_px for card in picture.cards])
    found = []
    for k, j in pairs.items():
        x, y = quads[k].mean(axis=0).tolist()
        card = picture.cards[j]
        found.append(((x, y), "back" if card.side == "back" else card.face or ""))
    return found


def _by_sides(picture: TruePicture, deck: Deck) -> TruePicture:
    """Return the truth with the sides of a deck of marks, which names the side that the lesson shows."""
    if deck.kind != MARKS:
        return picture
    side = deck.faces[0].side
    return replace(
        picture, cards=tuple(replace(card, side=side) if card.side == "front" else card for card in picture.cards)
    )


def _every_second(deck: Deck) -> Deck:
    gone = {face.id for face in deck.fronts[1::2]}
    alike = tuple(pair for pair in deck.alike if not set(pair) & gone)
    return replace(deck, faces=tuple(face for face in deck.faces if face.id not in gone), alike=alike)


if __name__ == "__main__":
    command(measure)
