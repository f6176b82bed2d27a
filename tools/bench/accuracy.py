"""Accuracy on a folder of pictures with truth, for any deck: `python -m tools.bench.accuracy DIR --deck NAME`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time

import cv2
import numpy as np

from referee.accuracy import GROUPS, PictureOutcome, TruePicture, judge, known_faces, load_truth
from referee.decks.lookup import find_deck
from referee.output import along
from referee.speed import yardstick
from tools.bench.common import Row, command, say, timed
from vision.arrays import Image
from vision.deck import Deck
from vision.image import load_image
from vision.reading import reader_of

_COLOURS = {"wrong": (230, 40, 230), "unclear": (0, 150, 255), "missed": (40, 40, 230)}


def measure(folder: Path, deck: str = "confetti", least: float = 0.5, failures: str = "") -> Row:
    """Read the pictures and count; cards with less than `least` visible count only if they are wrong.

    failures: a folder for each picture with a card that is not right, drawn.
    """
    known = None if deck == "none" else find_deck(deck)
    return measured(load_truth(folder), known, least, Path(failures) if failures else None)


def measured(pictures: Sequence[TruePicture], deck: Deck | None, least: float, failures: Path | None = None) -> Row:
    """Read pictures and count."""
    reader, known = reader_of(deck), known_faces(deck)
    verdicts, times = [], []
    for picture in along(pictures, len(pictures)):
        image = load_image(picture.path)
        start = process_time()
        reading = reader.read(image)
        middle = process_time()
        yardstick(image)
        times.append((middle - start) / (process_time() - middle))
        verdict = judge(picture, reading, known)
        verdicts.append(verdict)
        line = verdict.as_json()
        if line["not_right"] or line["false"]:
            say(line)
            if failures is not None:
                _draw(failures, image, verdict)
    return counted(verdicts, least, times)


def counted(verdicts: Iterable[PictureOutcome], least: float, times: Iterable[float] = ()) -> Row:
    """Count cards; a card read at an empty place is wrong."""
    asked = [
        outcome
        for verdict in verdicts
        for group, outcome, card, _ in verdict.cards
        if card.visible >= least or group == GROUPS[3] or outcome == "wrong"
    ]
    false = sum(len(verdict.false) for verdict in verdicts)
    right, unclear, wrong = (asked.count(outcome) for outcome in ("right", "unclear", "wrong"))
    return Row(len(asked), right, unclear, wrong + false, **timed(times, "yardsticks"))


def _draw(folder: Path, image: Image, verdict: PictureOutcome) -> None:
    drawn = image.copy()
    outlines = [(card.corners_px, outcome) for _, outcome, card, _ in verdict.cards if outcome != "right"]
    for corners, outcome in [*outlines, *((read.corners_px, "wrong") for read in verdict.false)]:
        cv2.polylines(drawn, [np.rint(corners).astype(np.int32)], True, _COLOURS[outcome], 2, cv2.LINE_AA)
        x, y = (int(value) for value in corners.mean(axis=0))
        cv2.putText(drawn, outcome, (x - 30, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, _COLOURS[outcome], 2, cv2.LINE_AA)
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{verdict.picture.path.stem}-failed.jpg"), drawn)


if __name__ == "__main__":
    command(measure)
