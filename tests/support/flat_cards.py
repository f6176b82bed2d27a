"""Cards on a table that a camera sees from straight above, one pixel a millimetre or as asked: the plainest picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, Face, load_deck
from vision.marked.layouts import Hypotheses, Layouts
from vision.marked.marks import Marks
from vision.render_face import face_image
from vision.table import Table

Image = NDArray[np.uint8]
Points = NDArray[np.float64]


@cache
def confetti() -> Deck:
    """The deck; tests with hypothesis take it here, for they print every argument of theirs when they fail."""
    return load_deck("confetti")


def flat_table(size_px: tuple[int, int], px_per_mm: float = 1.0) -> Table:
    """A table whose mm are pixels, but for the scale; the origin is the middle of the picture's top-left pixel."""
    camera = np.array([[1000.0, 0, 0], [0, 1000, 0], [0, 0, 1]])
    return Table(camera, np.zeros(5), np.diag([px_per_mm, px_per_mm, 1.0]), size_px, 0.001)


def poses(faces: Sequence[int], turn: Sequence[float], shift_mm: Sequence[tuple[float, float]]) -> Hypotheses:
    """Cards as they lie: faces by index, turned by rad, moved by mm; none of their marks is seen."""
    unseen = np.full((len(faces), 3), -1, np.intp)
    return Hypotheses(
        np.array(faces, np.intp), unseen, np.array(turn), np.array(shift_mm).reshape(-1, 2), np.zeros(len(faces))
    )


def true_marks(layouts: Layouts, cards: Hypotheses, px_per_mm: float = 1.0) -> Marks:
    """The marks of cards, small, medium, big one after the other, as a perfect camera finds them on a flat table."""
    centres = cards.to_table(layouts.centres_mm[cards.faces]).reshape(-1, 2)
    return Marks(
        ground=layouts.side,
        centres_px=centres * px_per_mm,
        centres_mm=centres,
        areas_mm2=layouts.areas_mm2[cards.faces].ravel(),
        px_per_mm=np.full(len(centres), px_per_mm),
        fullness=layouts.fullness[cards.faces].ravel(),
    )


def seen_all(cards: Hypotheses) -> Hypotheses:
    """The same cards with their three marks seen, numbered as `true_marks` does."""
    marks = np.arange(3 * len(cards), dtype=np.intp).reshape(-1, 3)
    return Hypotheses(cards.faces, marks, cards.turn, cards.shift_mm, cards.residual_mm)


def lay(picture: Image, deck: Deck, face: Face, at_px: tuple[float, float], turn: float, px_per_mm: float) -> None:
    """Draw a card with its top-left corner at a pixel, turned clockwise by rad."""
    fine = 3
    drawn = face_image(deck, face, px_per_mm * fine)
    cos, sin = math.cos(turn) / fine, math.sin(turn) / fine
    warp = np.array([[cos, -sin, at_px[0]], [sin, cos, at_px[1]]])
    size = (picture.shape[1], picture.shape[0])
    soft = cv2.GaussianBlur(drawn, (0, 0), fine / 3)
    cover = cv2.warpAffine(np.full(drawn.shape[:2], 255, np.uint8), warp, size)[:, :, None] / 255
    card = cv2.warpAffine(soft, warp, size, borderMode=cv2.BORDER_REPLICATE)
    picture[:] = np.rint(picture * (1 - cover) + card * cover)
