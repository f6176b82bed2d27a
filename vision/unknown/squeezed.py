"""Pictures squeezed into a square: collections that networks are taught on keep theirs so, whatever their shape was."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import apart
from vision.unknown.card_edges import SideFit
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.view import WORKING_PX

Floats = NDArray[np.float32]

_SHAPES = (4 / 3, 3 / 4, 16 / 9, 9 / 16)  # width by height, of cameras' pictures
_ALIKE = 0.05  # how far a card may be from the size that it speaks for
_FAR_MORE, _SOME = 1.25, 2.0  # times what agrees on a size, and how much
_SEVERAL = 3  # cards: of one or two any shape can be told
_ONE_WAY = 0.95  # the mean of directions, a quarter turn being a whole one


def shape_as_taken(planes: list[CardPlane], fit: SideFit, quality: Floats, size_wh: tuple[int, int]) -> float | None:
    """Width by height that a square picture may have been squeezed from: far more candidates then have one size.

    `planes` are those that the candidates agree on as they lie in the picture, `quality` (n,) is how much each counts.
    A squeezed card is another parallelogram whichever way it lies, which no tilt of the table explains. But the
    tiles of a floor all lie one way, and squares are cards in another shape of the picture.
    """
    width, height = size_wh
    if width != height:
        return None
    # Marks printed on cards are many, but small; of pairs of cards that look like one there are few.
    least = np.maximum(_FAR_MORE * _agreeing(planes, fit.quads, quality).max(axis=0), (_SOME, 0))
    best = None
    for shape in _SHAPES:
        quads = np.asarray(fit.quads * np.array([shape, 1]), np.float32)
        others = agree_on_planes(quads, quality, (round(width * shape), height))
        found = _agreeing([plane for plane in others if not _lie_one_way(plane, quads)], quads, quality)
        for counts in found / (1, shape):
            if (counts > least).all():
                best, least = shape, counts
    return best


def are_enough(others: int, cards: int) -> bool:
    """Whether so many cards in another shape of the picture bear it out: several, and as many as are told as it is."""
    return others >= max(_SEVERAL, cards)


def _agreeing(planes: list[CardPlane], quads: Floats, quality: Floats) -> Floats:
    """For each plane (n, 2) how much has its size and lies on nothing else, and the area of that in square pixels."""
    found = np.zeros((max(1, len(planes)), 2), np.float32)
    for k, plane in enumerate(planes):
        right = np.flatnonzero(plane.deviation(quads) < _ALIKE)
        right = right[np.argsort(-quality[right], kind="stable")]
        right = right[apart(quads[right])]
        area = [cv2.contourArea(quad) for quad in quads[right]]
        found[k] = quality[right].sum(), (quality[right] * area).sum()
    return found


def _lie_one_way(plane: CardPlane, quads: Floats) -> bool:
    """Whether those of `quads` (n, 4, 2) that have the size on a plane are turned by quarters of a turn only."""
    across = poses_of(plane, quads[plane.deviation(quads) < _ALIKE]).across
    quarters = (across[:, 0] + 1j * across[:, 1]) ** 4
    return bool(np.abs(quarters.mean()) > _ONE_WAY) if len(quarters) else True


def with_shape(image_bgr: NDArray[np.uint8], shape: float) -> tuple[NDArray[np.uint8], Floats]:
    """A square picture (h, h, 3) with another width by height, and by how much either is larger (2,).

    It is no larger than is of use.
    """
    side = len(image_bgr)
    larger = np.array([shape, 1.0]) / min(shape, 1.0)
    larger *= min(1.0, max(WORKING_PX / side, 1.0) / larger.max())
    width, height = np.rint(side * larger).astype(int).tolist()
    stretched = cv2.resize(image_bgr, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(stretched, np.uint8), np.array([width / side, height / side], np.float32)
