"""Judges readings of decks of pictures against the truth: tops of piles and loose cards, read right or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import CLASSES, HIDDEN, visibility_class
from referee.bench.match import match_outlines
from referee.bench.truth import TrueCard, TruePicture
from vision.pictured.picture_deck import PictureDeck
from vision.pictured.picture_reader import PictureCard, PictureReader, PictureReading

Image = NDArray[np.uint8]

_CLIPPED = 250
_MOST_BLEACHED = 0.5  # of the print that tells a card from another one
_PRINTED, _APART = 192, 64  # grey levels: what print is darker than, and by how much it tells two pictures apart
_PX_PER_MM = 4  # at which a picture's cards are compared with the art


@dataclass(frozen=True, eq=False)
class PicturesVerdict:
    """What became of one picture: (group, outcome, card, reading) for each true card, and what was read besides."""

    picture: TruePicture
    cards: tuple[tuple[str, str, TrueCard, PictureCard | None], ...]
    false: tuple[PictureCard, ...]


def judge_pictures(
    pictures: Iterable[TruePicture], load: Callable[[TruePicture], Image], reader: PictureReader
) -> Iterator[tuple[Image, PicturesVerdict]]:
    """Read and judge one picture after the other, each by its own markers."""
    for picture in pictures:
        image = load(picture)
        yield image, judge_reading(picture, image, reader.read(image), reader.deck)


def judge_reading(picture: TruePicture, image: Image, reading: PictureReading, deck: PictureDeck) -> PicturesVerdict:
    """Judge one reading; a true card's face is its id up to the first dot, for equal cards differ in what follows.

    Cards that show less than half and were not read are left out: in piles they lie beneath.
    """
    found = [*reading.cards, *reading.unclear]
    true = sorted((card for card in picture.cards if card.visible >= HIDDEN), key=lambda card: -card.visible)
    open_to_see = [card for card in true if card.visible >= 0.5]
    pairs = match_outlines([card.corners_px for card in found], [card.corners_px for card in open_to_see])
    read_of = {j: found[i] for i, j in pairs.items()}
    left = [card for i, card in enumerate(found) if i not in pairs]
    beneath = match_outlines([card.corners_px for card in left], [card.corners_px for card in true])
    judged = [
        (_group(card, image, deck), _outcome(card, read_of.get(j)), card, read_of.get(j))
        for j, card in enumerate(open_to_see)
    ]
    judged += [(CLASSES[2], _outcome(true[j], left[i]), true[j], left[i]) for i, j in beneath.items()]
    false = tuple(card for i, card in enumerate(left) if i not in beneath and card.reason is None)
    return PicturesVerdict(picture, tuple(judged), false)


def _outcome(card: TrueCard, read: PictureCard | None) -> str:
    if read is None:
        return "missed"
    if read.reason is not None:
        return "unclear"
    return "exact" if true_face(card) == (read.face and read.face.id) else "wrong"


def true_face(card: TrueCard) -> str | None:
    """Name the face that a true card shows; None for a back."""
    return None if card.side == "back" else (card.face or "").split(".")[0]


def _group(card: TrueCard, image: Image, deck: PictureDeck) -> str:
    return "bleached" if is_bleached(card, image, deck) else visibility_class(card.visible)


def is_bleached(card: TrueCard, image: Image, deck: PictureDeck) -> bool:
    """Whether light has made white more than half of the print that tells the card from some other one of its deck.

    That is: where the card's own art is darker than white and differs from another picture's, all three channels are
    clipped (>= 250). It asks nothing of any reader but the card's true place; what is white in print counts for
    nothing, because it clips in any picture that is well exposed.
    """
    prints = _prints(deck)
    own = prints.get(true_face(card) or deck.back)
    if own is None:
        return False
    height, width = own.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(card.corners_px.astype(np.float32), corners)
    clipped = cv2.warpPerspective(image.min(axis=2), warp, (width, height)) >= _CLIPPED
    printed = own.min(axis=2) < _PRINTED
    if not (clipped & printed).any():
        return False
    tells = [printed & (cv2.absdiff(own, other).max(axis=2) > _APART) for other in prints.values() if other is not own]
    return any(part.any() and float(clipped[part].mean()) > _MOST_BLEACHED for part in tells)


@cache
def _prints(deck: PictureDeck) -> dict[str, Image]:
    """All pictures of a deck and its back, by their names, at one size."""
    width, height = (round(side * _PX_PER_MM) for side in deck.card_mm)
    names = [*deck.by_id, deck.back]
    resized = (cv2.resize(deck.picture(name), (width, height), interpolation=cv2.INTER_AREA) for name in names)
    return {name: np.asarray(picture, np.uint8) for name, picture in zip(names, resized, strict=True)}


def draw_failures(folder: Path, image: Image, verdict: PicturesVerdict) -> None:
    """Cut every failure of cards at least half visible out of its picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (group, outcome, card, read) in enumerate(verdict.cards):
        if outcome == "exact" or (group == CLASSES[2] and outcome != "wrong"):
            continue
        low = np.maximum(np.floor(card.corners_px.min(axis=0)).astype(int) - 30, 0)
        high = np.ceil(card.corners_px.max(axis=0)).astype(int) + 30
        as_read = "" if read is None or read.face is None else f"-as-{read.face.id}"
        name = f"{verdict.picture.path.stem}-{number:02}-{outcome}-{card.face}{as_read}.png"
        cv2.imwrite(str(folder / name), image[low[1] : high[1], low[0] : high[0]])
