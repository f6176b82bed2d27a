"""Where a card lies by its frame in a picture, and its frame by the card, as the deck's measures have it."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Floats
from vision.prints.print_deck import PrintDeck


def card_corners(deck: PrintDeck, frame_px: Floats) -> Floats:
    """The corners (4, 2) of the card whose frame (4, 2) is given, in the same order."""
    frame, card = corners_mm(deck)
    return _carried(frame, card, frame_px)


def frame_corners(deck: PrintDeck, card_px: Floats) -> Floats:
    """The corners (4, 2) of the frame of the card whose corners (4, 2) are given, in the same order."""
    frame, card = corners_mm(deck)
    return _carried(card, frame, card_px)


def corners_mm(deck: PrintDeck) -> tuple[Floats, Floats]:
    """The corners of a frame and of its card, (4, 2) each, in mm from the card's top-left corner."""
    x, y, across, down = deck.frame
    width, height = deck.card_mm
    frame = np.array([[x, y], [x + across, y], [x + across, y + down], [x, y + down]])
    return frame, np.array([[0, 0], [width, 0], [width, height], [0, height]])


def _carried(from_mm: Floats, to_mm: Floats, from_px: Floats) -> Floats:
    """Where the corners `to_mm` are in a picture that shows `from_mm` at `from_px`."""
    warp = cv2.getPerspectiveTransform(from_mm.astype(np.float32), from_px.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(to_mm[None].astype(np.float32), warp)[0], np.float64)
