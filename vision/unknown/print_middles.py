"""How far what is printed on cards lies from their middles: in most decks print looks the same when turned about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import points_within
from vision.unknown.card_grounds import even_grounds
from vision.unknown.weighted_lab import weighted_at

Floats = NDArray[np.float32]

IN_MIDDLE = 0.045  # of a card's width, from its middle to that of its print
_PLACES = np.linspace(0.06, 0.94, 45)  # along either side: what lies beside the card is not looked at
_PRINT = 12.0  # weighted 8-bit Lab: what differs from a card's ground by more is print
_AT_ONCE = 64
_BARE = 0.01  # of a card's places, if less is printed


def off_middles(smooth_lab: NDArray[np.uint8], quads: Floats, aspect: float) -> Floats:
    """How far the middle of all print on cards is from their own (n,), by their width; infinite for bare ones.

    `smooth_lab` is (h, w, 3) 8-bit Lab without grain, `quads` (n, 4, 2) begin with a shorter side, `aspect` is length
    by width.
    """
    # Some at a time, for there may be hundreds.
    blocks = [quads[start : start + _AT_ONCE] for start in range(0, len(quads), _AT_ONCE)]
    return np.concatenate([np.zeros(0, np.float32), *(_off_middles(smooth_lab, block, aspect) for block in blocks)])


def _off_middles(smooth_lab: NDArray[np.uint8], quads: Floats, aspect: float) -> Floats:
    _, corners = even_grounds(smooth_lab, quads, aspect)
    x, y = (each.ravel() for each in np.meshgrid(_PLACES, _PLACES))
    ground = np.einsum("nkc,km->nmc", corners, np.stack([(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y]))
    places = np.stack([x, y], axis=1)
    colours = weighted_at(smooth_lab, np.asarray(points_within(quads, places[None]), np.float32))
    printed = np.linalg.norm(colours - ground, axis=2) > _PRINT
    middle = printed @ ((places - 0.5) * [1, aspect]) / np.maximum(printed.sum(axis=1), 1)[:, None]
    return np.asarray(np.where(printed.mean(axis=1) < _BARE, np.inf, np.linalg.norm(middle, axis=1)), np.float32)
