"""Straight lines that most faces of a deck print along a side of the card: they tell where it lies where no edge shows.

White on white has no edge; a frame, a rule or the panel of a picture beside it has one.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Flags
from vision.channels import largest
from vision.prints.print_deck import Print, PrintDeck

_ROUNDED_MM, _ENDS_MM = 8.0, 3.0  # by what an edge between rounded corners may be shorter, and a printed line differ
_LEAST_WITHIN_MM, _MOST_WITHIN = 1.0, 0.4  # how far from the side, the most by the card's size
_ALONG, _STEP = 0.5, 0.06  # the least of the side that a line runs along, and how strong it is, of white
_SMEARED = 3  # rows of an art over which an edge may be spread
_ALIKE_MM, _MOST_LINES = 1.0, 4  # lines of several faces at the same place; of those, along one side


@dataclass(frozen=True)
class SideLine:
    """A straight line that most faces of a deck show along one of their sides, or the side itself.

    `within_mm` is how far from the side it runs, `length_mm` how long it is and `middle_mm` how far its middle is from
    the side's, clockwise; `slack_mm` by how much longer or shorter the edge that is seen may be.
    """

    within_mm: float
    length_mm: float
    middle_mm: float
    slack_mm: float


DeckLines = tuple[tuple[SideLine, ...], tuple[SideLine, ...]]
"""Those along the shorter sides of a deck's cards, and along the longer ones; the sides themselves come first."""


def lines_of(deck: PrintDeck) -> DeckLines:
    """Find the lines that most faces of a deck show along their sides."""
    width, height = deck.card_mm
    told = []
    for turns, long in (((0, 2), width), ((1, 3), height)):
        side = SideLine(0.0, long - _ROUNDED_MM / 2, 0.0, _ROUNDED_MM)
        told.append((side, *(line for turn in turns for line in _shared(deck, turn, long))))
    return (told[0], told[1]) if width <= height else (told[1], told[0])


def _shared(deck: PrintDeck, turn: int, long_mm: float) -> list[SideLine]:
    """Lines that more than half of the faces show along one side: the upper one after so many quarters."""
    found = sorted(
        (line for face in deck.fronts for line in _printed(face, turn, long_mm)), key=lambda line: line.within_mm
    )
    shared: list[SideLine] = []
    while found and len(shared) < _MOST_LINES:
        within = np.array([line.within_mm for line in found])
        first, last = np.searchsorted(within, within - _ALIKE_MM), np.searchsorted(within, within + _ALIKE_MM, "right")
        most = int(np.argmax(last - first))
        near = found[first[most] : last[most]]
        if 2 * len(near) <= len(deck.fronts):
            break
        at, length, middle = np.median([(one.within_mm, one.length_mm, one.middle_mm) for one in near], axis=0).tolist()
        shared.append(SideLine(at, length, middle, _ENDS_MM))
        found = [one for one in found if abs(one.within_mm - at) > 2 * _ALIKE_MM]
    return shared


def _printed(face: Print, turn: int, long_mm: float) -> list[SideLine]:
    """The lines along the upper side of a face that was turned by so many quarters."""
    turned = np.rot90(face.art, turn)
    px_per_mm = turned.shape[1] / long_mm
    deep = np.ascontiguousarray(turned[: round(_MOST_WITHIN * len(turned))]).astype(np.float32) / 255
    steps = largest(np.abs(deep[1:] - deep[:-1]))
    along = np.asarray(cv2.dilate(steps, np.ones((_SMEARED, 1), np.uint8)) > _STEP)
    found: list[SideLine] = []
    row = round(_LEAST_WITHIN_MM * px_per_mm)
    dense = along.mean(axis=1) >= _ALONG
    while row < len(along):
        start, end = _longest_run(along[row]) if dense[row] else (0, 0)
        if end - start < _ALONG * along.shape[1]:
            row += 1
            continue
        at = row + int(np.argmax(steps[row : row + _SMEARED, start:end].sum(axis=1)))
        middle = (start + end) / 2 / px_per_mm - long_mm / 2
        found.append(SideLine((at + 1) / px_per_mm, (end - start) / px_per_mm, middle, _ENDS_MM))
        row = at + max(2, round(_ALIKE_MM * px_per_mm))
    return found


def _longest_run(flags: Flags) -> tuple[int, int]:
    """Where the longest run of flags (n,) begins and ends."""
    changes = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    if not len(changes):
        return 0, 0
    runs = changes.reshape(-1, 2)
    start, end = runs[np.argmax(runs[:, 1] - runs[:, 0])]
    return int(start), int(end)
