"""Pictures and marks printed on cards: round a panel lies bare paper with more print, and a mark is of one colour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import enlarged, outward_of, within_quads
from vision.unknown.card_edges import SideFit
from vision.unknown.card_grounds import printed_share
from vision.unknown.paper import is_darker
from vision.unknown.weighted_lab import as_bgr

_FEWEST = 3
_MOSTLY = 0.7  # of the things found
_NEXT, _FAR, _RINGS = 0.06, 0.5, 16  # beyond a side, by the distance between it and the opposite one
_OUTER = (0.8, 1.5)  # the same, beyond the cards
_ALONG = np.linspace(0.06, 0.94, 24, dtype=np.float32)
_DARKER = 0.85  # than paper: print, and no shadow
_PRINTED, _BARE = 0.06, 0.01  # of what lies beyond a side, and more than of the table; of what lies inside
_INNER = 0.6  # of a thing: its edges are not always where a straight side is put


def are_panels(image_lab: NDArray[np.uint8], fit: SideFit) -> bool:
    """Whether most of what was found is darker than round it, with print beyond one side and none beyond another.

    `image_lab` is (h, w, 3) 8-bit Lab. Ink only takes light away, so beyond a panel the paper is brighter; but so is a
    pale table beyond dark cards. On that nothing is printed, or a pattern that goes on farther out.
    """
    inside, beyond = as_bgr(np.median(fit.inside, axis=1)), as_bgr(np.median(fit.beyond, axis=1))
    dark = is_darker(inside, beyond)
    if dark.sum() < _FEWEST or dark.mean() < _MOSTLY:
        return False
    beside = _printed_beyond(image_lab, fit.quads, beyond, _NEXT, _FAR)
    share = np.sort(beside, axis=1)
    bare_and_printed = (share[:, 0] < _BARE) & (share[:, 3] > _PRINTED)
    if bare_and_printed.mean() <= _MOSTLY or not _at_one_place(fit.quads, beside > _PRINTED):
        return False
    pattern = float(np.median(_printed_beyond(image_lab, fit.quads, beyond, *_OUTER)))
    return bool((bare_and_printed & (share[:, 3] > _PRINTED + pattern)).mean() > _MOSTLY)


def are_marks(image_lab: NDArray[np.uint8], fit: SideFit) -> bool:
    """Whether most of what was found is evenly coloured and darker than round it: so are marks on cards, and no cards.

    `image_lab` is (h, w, 3) 8-bit Lab. On a dark card something is printed.
    """
    if len(fit.quads) == 0:
        return False
    ink = is_darker(as_bgr(fit.inside), as_bgr(fit.beyond)).all(axis=1)
    even = printed_share(image_lab, np.asarray(enlarged(fit.quads, _INNER), np.float32)) < _BARE
    return bool((ink & even).mean() > _MOSTLY)


def _at_one_place(quads: Singles, printed: NDArray[np.bool_]) -> bool:
    """Whether beyond the same sides (n, 4) of most of `quads` (n, 4, 2) something is printed, either way up."""
    length = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    lies = length[:, 0] + length[:, 2] > length[:, 1] + length[:, 3]
    upright = np.where(lies[:, None], np.roll(printed, 1, axis=1), printed)
    places = np.minimum(*(each @ (1 << np.arange(4)) for each in (upright, np.roll(upright, 2, axis=1))))
    return bool(np.bincount(places).max() > _MOSTLY * len(quads))


def _printed_beyond(
    image_lab: NDArray[np.uint8], quads: Singles, paper_bgr: Singles, near: float, far: float
) -> Singles:
    """The share (n, 4) of what lies beyond each side of `quads` (n, 4, 2) that is darker than the paper, (n, 3).

    From `near` to `far`, by the distance between a side and the opposite one.
    """
    line = quads[:, :, None] + (np.roll(quads, -1, axis=1) - quads)[:, :, None] * _ALONG[:, None]
    away = np.linspace(near, far, _RINGS, dtype=np.float32)
    points = np.asarray(line[:, :, None] + outward_of(quads)[:, :, None, None] * away[:, None, None], np.float32)
    x, y = (points[..., k].reshape(-1, _RINGS * len(_ALONG)) for k in (0, 1))
    lab = cv2.remap(image_lab, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    bgr = np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.float32).reshape(*points.shape[:4], 3)
    dark = is_darker(bgr, _DARKER * paper_bgr[:, None, None, None])
    for card in range(len(quads)):
        dark[card] &= ~within_quads(points[card], np.delete(quads, card, axis=0))
    return np.asarray(dark.mean(axis=(2, 3)), np.float32)
