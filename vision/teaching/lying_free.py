"""Whether cards lie by themselves: where paper goes on beyond a card's edge, another one touches it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import distance_to_quads, points_within

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_ALONG = np.linspace(0.08, 0.92, 22)
# Of the card's width, beyond its edge: the near ones show the gap between cards that lie close, and do not touch.
_BEYOND = (0.02, 0.03, 0.04, 0.06, 0.11, 0.16)
_AWAY = 0.06
_WITHIN = 0.04
_ALIKE, _UNLIKE = 12.0, 25.0  # in Lab: paper and paper; paper and table
_STRETCH = 6  # points along a side
_PAIR, _SIDES, _CONTRAST, _BESIDE = 2, 3, 15.0, 0.08


def crowded(image_bgr: Image, quads: Floats, aspect: float) -> NDArray[np.bool_]:
    """(n,) which of the cards (n, 4, 2), of this length by their width, another one touches."""
    if not len(quads):
        return np.zeros(0, bool)
    soft = np.asarray(cv2.cvtColor(cv2.GaussianBlur(image_bgr, (0, 0), 1.5), cv2.COLOR_BGR2LAB), np.uint8)
    within = np.stack([_along(soft, quads, -_WITHIN, aspect)], axis=2)
    beyond = np.stack([_along(soft, quads, step, aspect) for step in _BEYOND], axis=2)
    table = np.nanmedian(beyond.reshape(-1, 3), axis=0)
    paper = (np.linalg.norm(beyond - within, axis=-1) < _ALIKE) & (np.linalg.norm(beyond - table, axis=-1) > _UNLIKE)
    goes_on = paper.all(axis=2)  # (n, sides, along)
    windows = np.lib.stride_tricks.sliding_window_view(goes_on, _STRETCH, axis=2)
    return np.asarray(np.asarray(windows.all(axis=-1)).reshape(len(quads), -1).any(axis=1))


def phantoms(image_bgr: Image, quads: Floats, aspect: float) -> NDArray[np.bool_]:
    """(n,) which of the quadrilaterals (n, 4, 2) borrow a side of a card beside them, and are table all over."""
    if len(quads) < _PAIR:
        return np.zeros(len(quads), bool)
    soft = np.asarray(cv2.cvtColor(cv2.GaussianBlur(image_bgr, (0, 0), 1.5), cv2.COLOR_BGR2LAB), np.uint8)
    within, beyond = (_along(soft, quads, step, aspect).mean(axis=2) for step in (-_WITHIN, _AWAY))
    contrast = np.linalg.norm(within - beyond, axis=-1)
    plain = (np.nan_to_num(contrast) > _CONTRAST).sum(axis=1) < _SIDES
    width = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    gaps = np.stack([distance_to_quads(quad, np.delete(quads, k, axis=0)).min() for k, quad in enumerate(quads)])
    return np.asarray(plain & (gaps < _BESIDE * width))


def _along(lab: Image, quads: Floats, step: float, aspect: float) -> Floats:
    """(n, 4, along, 3) what lies along each side so far beyond it, by the card's width; NaN beyond the picture."""
    down = step / aspect
    sides = [
        np.stack([_ALONG, np.full_like(_ALONG, -down)], axis=1),
        np.stack([np.full_like(_ALONG, 1 + step), _ALONG], axis=1),
        np.stack([_ALONG, np.full_like(_ALONG, 1 + down)], axis=1),
        np.stack([np.full_like(_ALONG, -step), _ALONG], axis=1),
    ]
    shares = np.concatenate(sides)[None]
    points = points_within(quads, shares).astype(np.float32).reshape(len(quads), -1, 2)
    seen = cv2.remap(lab, points[..., 0], points[..., 1], cv2.INTER_NEAREST).astype(np.float64)
    outside = (points < 0).any(-1) | (points[..., 0] > lab.shape[1] - 1) | (points[..., 1] > lab.shape[0] - 1)
    seen[outside] = np.nan
    return np.asarray(seen.reshape(len(quads), 4, len(_ALONG), 3))
