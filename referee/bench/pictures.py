"""Judges readings of decks of pictures against the truth: tops of piles and loose cards, read right or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import CLASSES, HIDDEN, visibility_class
from referee.bench.match import match_outlines
from referee.bench.truth import TrueCard, TruePicture
from vision.pictured.picture_reader import PictureCard, PictureReader, PictureReading

Image = NDArray[np.uint8]

_CLIPPED = 250
_BLEACHED = 0.75  # of a card's pixels: the art itself is white on less than half


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
        yield image, judge_reading(picture, image, reader.read(image))


def judge_reading(picture: TruePicture, image: Image, reading: PictureReading) -> PicturesVerdict:
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
        (_group(card, image), _outcome(card, read_of.get(j)), card, read_of.get(j))
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


def _group(card: TrueCard, image: Image) -> str:
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(card.corners_px).astype(np.int32), 1)
    pixels = image[mask > 0]
    bleached = len(pixels) and float((pixels.min(axis=1) >= _CLIPPED).mean()) > _BLEACHED
    return "bleached" if bleached else visibility_class(card.visible)


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
