"""Lays a face onto the picture: moves the card's corners and the light until what the deck shows is what is seen.

What is seen of a face is `gain * art + veil * (white - art) + saturation * (art - grey) + tone * art * (1 - art)`: the
gain, with a slope across, one down and casts of blue and red, is the lamp's; the veil is what gloss mirrors; the
saturation and the tone curve are the camera's. All are few and each has a prior, so that the light cannot turn one face
into another; with the eight moves of the corners it is one least squares problem, solved again a few times with what
does not look like the face left out more strictly each time (Baker and Matthews, "Lucas-Kanade 20 years on", 2004;
Malis, "Improving vision-based control using efficient second-order minimization techniques", 2004, for the mean of
both gradients).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.channels import largest, squared, thrice
from vision.prints.straight import Covers, Pyramid, cells
from vision.quads import points_within

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

MOVES, _LIGHTS = 8, 8
_GREY = np.array([0.114, 0.587, 0.299], np.float32)
# Priors, one standard deviation: brightness and its slopes, casts of blue and red where the lamp's colour is known and
# where it is not, veil, saturation, tone curve.
_GAIN, _SLOPE, _CAST, _UNKNOWN_CAST, _VEIL, _SATURATION, _TONE = 0.35, 0.12, 0.04, 0.15, 0.1, 0.15, 0.6
# Of a corner, by the card's size: how far the card lies off its first guess as a whole, and how far out of shape.
_SHIFT, _SHAPE = 0.1, 0.03
_NOISE = 0.06  # of white: what an art is off by that was taught under another lamp with another camera
_LOOSE = (4.0, 2.0, 1.4, 1.0)  # times the noise, round by round
_INDEPENDENT_CELLS = 15.0  # how many independent cells a card counts as against the priors
_CLIPPED = 0.985
_FARTHEST = 0.06  # of the card's height, in one round
_GAINS = (0.05, 3.0)
_CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
_EVEN = 0.25  # of the card: how wide the smooth light is
_STEPS_A_BLUR = 3.0  # cells that stand for a blur's width: fewer would show


@dataclass(frozen=True, eq=False)
class Fits:
    """Faces laid onto a picture, n of them.

    `quads` (n, 4, 2) px, where they came to lie; `shown` and `models` (n, rows, columns, 3) what is seen there and what
    the deck says should be seen under the fitted light, in 0..1; `seen` (n, rows, columns) where the picture goes on
    and no known card lies; `light` (n, 8) are the factors of `_light_basis`, in its order.
    """

    quads: Floats
    shown: Singles
    models: Singles
    seen: NDArray[np.bool_]
    light: Floats

    def take(self, chosen: NDArray[np.intp]) -> Fits:
        """Some of them."""
        return Fits(self.quads[chosen], self.shown[chosen], self.models[chosen], self.seen[chosen], self.light[chosen])


def fitted(
    picture: Pyramid,
    quads: Floats,
    arts: Singles,
    white: Floats | None,
    rounds: int,
    covers: Covers | None = None,
    *,
    known_lamp: bool,
) -> Fits:
    """Lay arts (n, rows, columns, 3) in 0..1 onto quads (n, 4, 2), which are near; `white` (3,) BGR of paper, 0..1.

    What lies under `covers` tells nothing. known_lamp: marker cards told the white.
    """
    count, rows, columns = arts.shape[:3]
    share, aspect = cells(rows, columns), columns / rows
    paper = (np.ones(3) if white is None else np.asarray(white)).astype(np.float32)
    base = arts * paper
    lights, importance, corner_weights = _light_basis(base, paper, share), _importance(base), _weights(rows, columns)
    quads = np.array(quads, np.float64)
    shown = open_sheets(picture, quads, rows, columns, covers)
    expected = np.zeros((count, MOVES + _LIGHTS))
    expected[:, MOVES] = _first_gain(shown, base)
    precision = _precision(aspect, known_lamp=known_lamp, in_part=covers is not None)
    state = expected.copy()
    for turn in range(rounds + 1):
        filled, open_cells = _filled(shown)
        model = _model(lights, state[:, MOVES:], arts.shape)
        clipped = (filled >= _CLIPPED) & (model >= filled)
        off = filled - model
        off[clipped] = 0
        weight = _trust(off, _LOOSE[min(turn, len(_LOOSE) - 1)] * _NOISE, open_cells * importance)
        weight = thrice(weight).reshape(count, -1)
        weight[clipped.reshape(count, -1)] = 0
        # The last round settles the light alone, on the cells as they came to lie.
        first = 0 if turn < rounds else MOVES
        basis = lights if first else np.concatenate([_move_basis(filled, model, corner_weights), lights], axis=1)
        weighted = basis * weight[:, None]
        normal = (weighted @ basis.transpose(0, 2, 1)).astype(np.float64) + precision[first:, first:]
        pull = (weighted @ off.reshape(count, -1, 1))[..., 0]
        pull = pull + (expected - state)[:, first:] @ precision[first:, first:]
        step = np.linalg.solve(normal, pull[..., None])[..., 0]
        if turn < rounds:
            step[:, :MOVES] = np.clip(step[:, :MOVES], -_FARTHEST, _FARTHEST)
            moved = step[:, :MOVES].reshape(count, 4, 2) / (aspect, 1.0)
            quads = points_within(quads, _CORNERS + moved)
            shown = open_sheets(picture, quads, rows, columns, covers)
        state[:, first:] += step
        state[:, MOVES] = np.clip(state[:, MOVES], *_GAINS)
    return _fits(quads, shown, lights, state[:, MOVES:])


def finer(picture: Pyramid, fits: Fits, arts: Singles, white: Floats | None, covers: Covers | None = None) -> Fits:
    """The same fits with more cells: where faces lie, and their light, is told by few; what tells them apart is fine.

    `arts` (n, rows, columns, 3) are those that were laid there, finer.
    """
    rows, columns = arts.shape[1:3]
    paper = (np.ones(3) if white is None else np.asarray(white)).astype(np.float32)
    shown = open_sheets(picture, fits.quads, rows, columns, covers)
    return _fits(fits.quads, shown, _light_basis(arts * paper, paper, cells(rows, columns)), fits.light)


def _fits(quads: Floats, shown: Singles, lights: Singles, light: Floats) -> Fits:
    filled, seen = _filled(shown)
    model = _even(filled, _model(lights, light, shown.shape), seen)
    return Fits(quads, filled, model, seen, light)


def open_sheets(picture: Pyramid, quads: Floats, rows: int, columns: int, covers: Covers | None) -> Singles:
    """(n, rows, columns, 3) what is seen, NaN where something lies over it or the picture has ended."""
    if len(quads) > 1 and (quads == quads[0]).all():
        return np.repeat(open_sheets(picture, quads[:1], rows, columns, covers), len(quads), 0)
    shown = picture.straight(quads, rows, columns)
    if covers is not None and len(covers.quads):
        shown += thrice(np.where(covers.over(quads, rows, columns), np.float32(np.nan), np.float32(0)))
    return shown


def _first_gain(shown: Singles, base: Singles) -> Floats:
    """(n,) a guess at the brightness, by the middle of what is seen and of what is due."""
    count = len(shown)
    flat = (shown[:, ::2, ::2] @ _GREY).reshape(count, -1)
    open_cells = [levels[~np.isnan(levels)] for levels in flat]
    # Of a card that is wholly covered nothing is known.
    seen = np.array([np.median(levels) if len(levels) else 1.0 for levels in open_cells])
    due = np.median((base[:, ::2, ::2] @ _GREY).reshape(count, -1), axis=1)
    return np.asarray(np.clip(seen / np.maximum(due, 0.02), 0.15, 2.5), np.float64)


def _precision(aspect: float, *, known_lamp: bool, in_part: bool) -> Floats:
    """(16, 16) of the priors of moves and light."""
    cast = _CAST if known_lamp else _UNKNOWN_CAST
    spread = np.array([_GAIN, _SLOPE, _SLOPE, cast, cast, _VEIL, _SATURATION, _TONE])
    precision = np.diag(np.concatenate([np.zeros(MOVES), 1 / spread**2]))
    precision[:MOVES, :MOVES] = _shape_prior(aspect, in_part=in_part)
    return precision


def _trust(off: Singles, loose: float, important: Singles) -> Singles:
    """(n, rows, columns) weights of cells: what does not look like the face at all has hardly any."""
    weight = important * (loose * loose / (loose * loose + squared(off) / 3)) ** 2
    whole = np.maximum(weight.sum((1, 2), keepdims=True), 1e-6)
    return np.asarray(weight / whole * (_INDEPENDENT_CELLS / (3 * _NOISE**2)), np.float32)


def _filled(shown: Singles) -> tuple[Singles, NDArray[np.bool_]]:
    """The sheets with nothing where nothing is seen, and where something is."""
    seen = ~np.isnan(shown[..., 0])
    if seen.all():
        return shown, seen
    filled = shown.copy()
    cv2.patchNaNs(filled.reshape(1, -1))
    return filled, seen


def _importance(base: Singles) -> Singles:
    """(n, rows, columns) weights with which print counts as much as the ground that it stands on."""
    count = len(base)
    ground = np.median(base[:, ::2, ::2].reshape(count, -1, 3), axis=1)[:, None, None]
    printed = largest(np.abs(base - ground)) > 0.1
    share = printed.mean((1, 2), keepdims=True)
    more = np.clip((1 - share) / np.maximum(share, 1e-3), 1.0, 6.0)
    return np.where(printed, more, 1.0).astype(np.float32)


def _even(shown: Singles, model: Singles, seen: NDArray[np.bool_]) -> Singles:
    """The models as bright as what is seen, place by place: what is left of shadows that no slope follows."""
    count, rows, columns = model.shape[:3]
    off = squared(shown - model) / 3
    loose = (2 * _NOISE) ** 2
    weight = seen * (loose / (loose + off)) ** 2 + 1e-3
    bright = model @ _GREY
    weighted = (weight * bright).astype(np.float32)
    over, under = weighted * (shown @ _GREY), weighted * bright
    for k in range(count):
        both = smoothed(np.asarray(cv2.merge([over[k], under[k]])), _EVEN * min(rows, columns) / 2) + np.float32(0.003)
        model[k] = cv2.multiply(model[k], thrice(np.clip(both[..., 0] / both[..., 1], 0.5, 1.6)))
    return model


def smoothed(sheet: Singles, width: float) -> Singles:
    """A sheet (rows, columns, channels) blurred by so many cells, on as few cells as such a blur leaves anything of."""
    step = max(1, int(width / _STEPS_A_BLUR))
    rows, columns = sheet.shape[:2]
    size = (-(-columns // step), -(-rows // step))
    small = sheet if step == 1 else cv2.resize(sheet, size, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), width * size[0] / columns)
    return np.asarray(blurred if step == 1 else cv2.resize(blurred, (columns, rows)), np.float32)


def _model(basis: Singles, light: Floats, shape: tuple[int, ...]) -> Singles:
    return np.asarray(np.matmul(light.astype(np.float32)[:, None], basis).reshape(shape), np.float32)


def _light_basis(base: Singles, paper: Singles, share: Floats) -> Singles:
    """(n, 8, cells * 3): gain, its slopes, casts, veil, saturation, tone curve, for arts under the lamp's white (3,).

    A veil has the lamp's colour: it is the lamp that gloss mirrors.
    """
    count = len(base)
    flat = base.reshape(count, -1)
    across, down = ((np.repeat(way, 3) - 0.5).astype(np.float32) * 2 for way in share.T)
    basis = np.zeros((count, _LIGHTS, flat.shape[1]), np.float32)
    basis[:, 0], basis[:, 1], basis[:, 2] = flat, flat * across, flat * down
    basis[:, 3, 0::3], basis[:, 4, 2::3] = flat[:, 0::3], flat[:, 2::3]
    basis[:, 5] = np.maximum(np.tile(paper, flat.shape[1] // 3) - flat, 0)
    basis[:, 6] = flat - thrice(base @ _GREY).reshape(count, -1)
    basis[:, 7] = flat * (1 - flat)
    return basis


def _move_basis(shown: Singles, model: Singles, corner_weights: Singles) -> Singles:
    """(n, 8, cells * 3): how what is seen changes as each corner moves by the card's height, with the sign of a fit."""
    count, rows, _ = shown.shape[:3]
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
def _weights(rows: int, columns: int) -> Singles:
    """(4, cells * 3) how much each corner moves a cell, for each of its channels."""
    u, v = np.repeat(cells(rows, columns), 3, axis=0).T
    weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).astype(np.float32)
    weights.setflags(write=False)
    return weights


def _shape_prior(aspect: float, *, in_part: bool) -> Floats:
    """(8, 8) precision of the corners' moves: of a card that is shifted, turned or scaled, and of one out of shape.

    Of a card that is seen in part only a shift is free: a strip says little of how the rest of it lies.
    """
    corners = (_CORNERS - 0.5) * [aspect, 1.0]
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


def arts_of(faces: list[NDArray[np.uint8]], turns: list[int], rows: int, columns: int) -> Singles:
    """(n, rows, columns, 3) art in 0..1, each turned by its quarters and scaled to so many cells."""
    arts = np.empty((len(faces), rows, columns, 3), np.float32)
    for k, (face, turn) in enumerate(zip(faces, turns, strict=True)):
        art = np.rot90(face, turn)
        arts[k] = cv2.resize(art, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return arts
