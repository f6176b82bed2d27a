"""What is fitted of a face on a picture: its light and its corners, how each changes what is seen, and their priors."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Singles
from vision.channels import thrice
from vision.prints.straight import cells

MOVES, LIGHTS = 8, 8
GREY = np.array([0.114, 0.587, 0.299], np.float32)
# Priors, one standard deviation: brightness and its slopes, casts of blue and red where the lamp's colour is known and
# where it is not, veil, saturation, tone curve.
_GAIN, _SLOPE, _CAST, _UNKNOWN_CAST, _VEIL, _SATURATION, _TONE = 0.35, 0.12, 0.04, 0.15, 0.1, 0.15, 0.6
# Of a corner, by the card's size: how far the card lies off its first guess as a whole, and how far out of shape.
_SHIFT, _SHAPE = 0.1, 0.03
CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


def precision_of(aspect: float, *, known_lamp: bool, in_part: bool) -> Floats:
    """(16, 16) of the priors of moves and light."""
    cast = _CAST if known_lamp else _UNKNOWN_CAST
    spread = np.array([_GAIN, _SLOPE, _SLOPE, cast, cast, _VEIL, _SATURATION, _TONE])
    precision = np.diag(np.concatenate([np.zeros(MOVES), 1 / spread**2]))
    precision[:MOVES, :MOVES] = _shape_prior(aspect, in_part=in_part)
    return precision


def model_of(basis: Singles, light: Floats, shape: tuple[int, ...]) -> Singles:
    """(n, rows, columns, 3) what should be seen, by the basis (n, 8, cells * 3) and its factors (n, 8)."""
    return np.asarray(np.matmul(light.astype(np.float32)[:, None], basis).reshape(shape), np.float32)


def light_basis(base: Singles, paper: Singles, share: Floats) -> Singles:
    """(n, 8, cells * 3): gain, its slopes, casts, veil, saturation, tone curve, for arts under the lamp's white (3,).

    A veil has the lamp's colour: it is the lamp that gloss mirrors.
    """
    count = len(base)
    flat = base.reshape(count, -1)
    across, down = ((np.repeat(way, 3) - 0.5).astype(np.float32) * 2 for way in share.T)
    basis = np.zeros((count, LIGHTS, flat.shape[1]), np.float32)
    basis[:, 0], basis[:, 1], basis[:, 2] = flat, flat * across, flat * down
    basis[:, 3, 0::3], basis[:, 4, 2::3] = flat[:, 0::3], flat[:, 2::3]
    basis[:, 5] = np.maximum(np.tile(paper, flat.shape[1] // 3) - flat, 0)
    basis[:, 6] = flat - thrice(base @ GREY).reshape(count, -1)
    basis[:, 7] = flat * (1 - flat)
    return basis


def move_basis(shown: Singles, model: Singles, rows: int, corner_weights: Singles) -> Singles:
    """(n, 8, cells * 3): how what is seen changes as each corner moves by the card's height, with the sign of a fit.

    rows: as many as a whole card has.
    """
    count = len(shown)
    # The mean of both gradients; a corner moves by the card's height, and what is seen there the other way.
    both = (shown + model) * np.float32(-rows / 2)
    slopes = np.empty((count, 2, *both.shape[1:]), np.float32)
    for slope, levels in ((slopes[:, 0].swapaxes(1, 2), both.swapaxes(1, 2)), (slopes[:, 1], both)):
        np.subtract(levels[:, 2:], levels[:, :-2], out=slope[:, 1:-1])
        slope[:, 1:-1] /= 2
        slope[:, 0], slope[:, -1] = levels[:, 1] - levels[:, 0], levels[:, -1] - levels[:, -2]
    basis = slopes.reshape(count, 1, 2, -1) * corner_weights[None, :, None]
    return np.asarray(basis.reshape(count, MOVES, -1), np.float32)


@lru_cache(maxsize=8)
def corner_weights_of(rows: int, columns: int) -> Singles:
    """(4, cells * 3) how much each corner moves a cell, for each of its channels."""
    u, v = np.repeat(cells(rows, columns), 3, axis=0).T
    weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).astype(np.float32)
    weights.setflags(write=False)
    return weights


def _shape_prior(aspect: float, *, in_part: bool) -> Floats:
    """(8, 8) precision of the corners' moves: of a card that is shifted, turned or scaled, and of one out of shape.

    Of a card that is seen in part only a shift is free: a strip says little of how the rest of it lies.
    """
    corners = (CORNERS - 0.5) * [aspect, 1.0]
    radius = np.linalg.norm(corners[0])
    ways = np.stack(
        [
            np.tile([1.0, 0.0], 4),
            np.tile([0.0, 1.0], 4),
            np.stack([-corners[:, 1], corners[:, 0]], axis=1).ravel() / radius,
            corners.ravel() / radius,
        ]
    )
    ways = ways[:2] if in_part else ways
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    whole = ways.T @ ways
    loose = np.diag([1 / _SHIFT**2] * MOVES)
    stiff = np.diag([1 / _SHAPE**2] * MOVES)
    kept = np.eye(MOVES) - whole
    return np.asarray(whole @ loose @ whole + kept @ stiff @ kept, np.float64)
