"""Fits faces to a picture: the pose of a card, and the light under which a face looks like the picture there.

A pose is fitted to brightness alone, in cells of more than 2 mm: eight moves of the corners and five factors of light,
for all places of a layer at once (Baker and Matthews, "Lucas-Kanade 20 years on", 2004; Malis, "Improving vision-based
control using efficient second-order minimization techniques", 2004, for the mean of both gradients). Eight factors of
coloured light are then fitted to each face at the place. A face appears as
`gain * art + veil * (white - art) + saturation * (art - grey) + tone * art * (1 - art)`. The gain is the lamp's, with a
slope across, one down, and casts of blue and red; the veil is mirrored by gloss; the saturation and the tone curve are
the camera's. All are few and each has a prior, so that the light cannot turn one face into another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles
from vision.channels import largest, squared, thrice
from vision.quads import points_within
from vision.read.rectify import Covers, Pyramid, cells


@dataclass(frozen=True)
class FitParams:
    """Priors and weights of a fit; lengths are shares of a card's height, levels shares of white.

    Spreads are standard deviations, set on the cards of four taught decks.
    """

    noise: float = 0.06  # error of an art that was taught under another lamp with another camera
    loose: tuple[float, ...] = (4.0, 2.0, 1.4, 1.0)  # times the noise, round by round
    independent_cells: float = 15.0  # number of independent cells a card counts as against the priors
    clipped: float = 0.985
    gain: float = 0.35
    slope: float = 0.12
    cast: float = 0.04  # where marker cards show the lamp's colour
    unknown_cast: float = 0.15
    veil: float = 0.1
    saturation: float = 0.15
    tone: float = 0.6
    gains: tuple[float, float] = (0.05, 3.0)
    shift: float = 0.1  # of a corner, with the card as a whole
    shape: float = 0.03  # of a corner, out of the card's shape
    farthest: float = 0.06  # of a corner, in one round
    even: float = 0.25  # width of the smooth light that slopes leave over
    printed: float = 0.1  # contrast of print with its ground
    most_important: float = 6.0  # times the weight of its ground


FIT = FitParams()
GREY = np.array([0.114, 0.587, 0.299], np.float32)
CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
_MOVES, _GREY_LIGHTS, _LIGHTS = 8, 5, 8
_ROOM, _SLIVER = 0.1, 0.1  # of the card: beside its open part; across, of which less is open
_STEPS_A_BLUR = 3.0  # cells to a blur's width: fewer would show

Window = tuple[slice, slice]


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of n faces at one place of a picture.

    `quad` (4, 2) px, their place; `shown` (rows, columns, 3) the picture there, and `models` (n, rows, columns, 3) the
    deck's prediction under the fitted light, in 0..1; `seen` (rows, columns) inside the picture and not under a known
    card; `light` (n, 8): gain, its slopes across and down, casts of blue and red, veil, saturation and tone.
    """

    quad: Floats
    shown: Singles
    models: Singles
    seen: Flags
    light: Floats

    def and_(self, other: Fits) -> Fits:
        """Return these and others at the same place."""
        models = np.concatenate([self.models, other.models])
        return replace(self, models=models, light=np.concatenate([self.light, other.light]))

    def take(self, chosen: NDArray[np.intp]) -> Fits:
        """Return the chosen fits."""
        return replace(self, models=self.models[chosen], light=self.light[chosen])


def posed(
    picture: Pyramid, quads: Floats, arts: Singles, weights: Singles, papers: Floats, rounds: int, covers: Covers | None
) -> Floats:
    """Return quads (n, 4, 2) moved to where arts (n, rows, columns, 3) in 0..1 look most like the picture.

    weights: (n, rows, columns) of the cells. papers: (n, 3) BGR 0..1 of white paper there. Cells under `covers` do not
    count, and a partly covered card may only shift.
    """
    rows, columns = arts.shape[1:3]
    aspect, count = columns / rows, len(arts)
    grey = picture.grey
    base = (arts * papers[:, None, None].astype(np.float32)) @ GREY
    shown = _open_sheets(grey, quads, rows, columns, covers)
    window = window_of(np.asarray(~np.isnan(shown).all(0)))
    here = (slice(None), *window)
    share = cells(rows, columns).reshape(rows, columns, 2)[window].reshape(-1, 2)
    base, weights = base[here].reshape(count, -1), weights[here].reshape(count, -1)
    lights = _grey_lights(base, (papers @ GREY).astype(np.float32), share)
    precision = _precision_of_pose(aspect, covers is not None)
    corner_weights = _corner_weights(rows, columns).reshape(4, rows, columns)[:, window[0], window[1]].reshape(4, -1)
    expected = np.zeros((count, _MOVES + _GREY_LIGHTS))
    expected[:, _MOVES] = _first_gains(shown[here], base)
    state = expected.copy()
    for turn in range(rounds):
        sheet = shown[here]
        open_cells = ~np.isnan(sheet)
        filled = np.where(open_cells, sheet, np.float32(0))
        flat = filled.reshape(count, -1)
        model = np.matmul(state[:, None, _MOVES:].astype(np.float32), lights)[:, 0]
        off = np.asarray(flat - model, np.float32)
        unknown = (flat >= FIT.clipped) & (off <= 0)
        off[unknown] = 0
        weight = 3 * _trust(off * off, turn, np.asarray(open_cells.reshape(count, -1) * weights, np.float32))
        weight[unknown] = 0
        moves = _move_basis((filled + model.reshape(filled.shape)) / 2, rows, corner_weights)
        step = _solved(np.concatenate([moves, lights], axis=1), weight, off, precision, expected - state)
        step[:, :_MOVES] = np.clip(step[:, :_MOVES], -FIT.farthest, FIT.farthest)
        quads = points_within(quads, CORNERS + step[:, :_MOVES].reshape(count, 4, 2) / (aspect, 1.0))
        if turn < rounds - 1:
            shown = _open_sheets(grey, quads, rows, columns, covers)
        state[:, _MOVES:] += step[:, _MOVES:]
        state[:, _MOVES] = np.clip(state[:, _MOVES], *FIT.gains)
    return quads


def laid_on(
    picture: Pyramid,
    quad: Floats,
    arts: Singles,
    weights: Singles,
    paper: Floats,
    covers: Covers | None,
    *,
    known_lamp: bool,
) -> Fits:
    """Return arts (n, rows, columns, 3) in 0..1 on a quad (4, 2), each under the light that fits it best.

    weights: (n, rows, columns) of the cells. paper: (3,) BGR of white paper, 0..1. known_lamp: marker cards showed it.
    """
    count, rows, columns = arts.shape[:3]
    shown, seen = _open_sheet(picture, quad, rows, columns, covers)
    window = window_of(seen)
    base = arts * paper.astype(np.float32)
    sheet, open_cells = shown[window], seen[window]
    share = cells(rows, columns).reshape(rows, columns, 2)[window].reshape(-1, 2)
    lights = _lights(base[:, window[0], window[1]], paper.astype(np.float32), share)
    expected = np.zeros((count, _LIGHTS))
    grey = np.where(open_cells, sheet @ GREY, np.nan)
    expected[:, 0] = _first_gains(np.broadcast_to(grey, (count, *grey.shape)), base @ GREY)
    flat = sheet.reshape(1, -1)
    cast = FIT.cast if known_lamp else FIT.unknown_cast
    spread = (FIT.gain, FIT.slope, FIT.slope, cast, cast, FIT.veil, FIT.saturation, FIT.tone)
    precision = np.diag(np.array(spread) ** -2.0)
    important = np.asarray(weights[:, window[0], window[1]].reshape(count, -1) * open_cells.ravel(), np.float32)
    off = flat - np.matmul(expected[:, None].astype(np.float32), lights)[:, 0]
    unknown = (flat >= FIT.clipped) & (off <= 0)
    off[unknown] = 0
    # A second round of this read two more cards of 560, and took a tenth longer.
    squares = np.asarray(squared(off.reshape(count, -1, 3)) / 3, np.float32)
    weight = thrice(_trust(squares, 0, important)).reshape(count, -1)
    weight[unknown] = 0
    light = expected + _solved(lights, weight, off, precision, np.zeros_like(expected))
    light[:, 0] = np.clip(light[:, 0], *FIT.gains)
    return _under(light, quad, shown, seen, window, base, paper)


def finer(picture: Pyramid, fits: Fits, arts: Singles, paper: Floats, covers: Covers | None) -> Fits:
    """Return the same fits with more cells: few give poses and light; fine ones distinguish faces.

    `arts` (n, rows, columns, 3) are those that were fitted there, finer.
    """
    rows, columns = arts.shape[1:3]
    shown, seen = _open_sheet(picture, fits.quad, rows, columns, covers)
    return _under(fits.light, fits.quad, shown, seen, window_of(seen), arts * paper.astype(np.float32), paper)


def _under(
    light: Floats, quad: Floats, shown: Singles, seen: Flags, window: Window, base: Singles, paper: Floats
) -> Fits:
    """Return fits of arts (n, rows, columns, 3), by a part of their cells.

    paper: (3,) the lamp's white. light: (n, 8).
    """
    rows, columns = seen.shape
    u, v = (2 * way - 1 for way in np.moveaxis(cells(rows, columns).reshape(rows, columns, 2)[window], -1, 0))
    part = np.ascontiguousarray(base[:, window[0], window[1]])
    gain, across, down, blue, red, veil, saturation, tone = light.T
    # All but the slopes and the tone curve mixes the channels alike everywhere.
    mix = np.zeros((len(light), 3, 4))
    mix[:, :, :3] = np.eye(3) * (gain + saturation + tone - veil)[:, None, None] - saturation[:, None, None] * GREY
    mix[:, 0, 0] += blue
    mix[:, 2, 2] += red
    mix[:, :, 3] = veil[:, None] * paper
    mixtures = [cv2.transform(art, way) for art, way in zip(part, mix.astype(np.float32), strict=True)]
    models = np.asarray(np.stack(mixtures), np.float32)
    slopes = (across[:, None, None] * u + down[:, None, None] * v).astype(np.float32)
    models += part * (slopes[..., None] - tone.astype(np.float32)[:, None, None, None] * part)
    within = np.zeros_like(seen)
    within[window] = True
    seen = seen & within
    whole = np.zeros(base.shape, np.float32)
    whole[:, window[0], window[1]] = _even(shown[window], models, seen[window], min(rows, columns))
    return Fits(quad, shown, whole, seen, light)


def importance(art: Singles) -> Singles:
    """Return weights (rows, columns) with which print counts as much as its ground."""
    ground = np.median(art[::2, ::2].reshape(-1, 3), axis=0)
    printed = largest(np.abs(art - ground)) > FIT.printed
    share = float(printed.mean())
    more = min(max((1 - share) / max(share, 1e-3), 1.0), FIT.most_important)
    return np.where(printed, more, 1.0).astype(np.float32)


def window_of(seen: Flags) -> Window:
    """Return the window of a sheet (rows, columns) with enough seen cells, with room to move.

    A card a little aside in a column shows a sliver all along, which would take as many cells as a whole card.
    """
    rows, columns = (np.flatnonzero(seen.mean(axis=axis) >= _SLIVER) for axis in (1, 0))
    if not len(rows) or not len(columns):
        return slice(None), slice(None)
    room = round(_ROOM * max(seen.shape))
    down, across = (slice(max(0, int(some[0]) - room), int(some[-1]) + room + 1) for some in (rows, columns))
    return down, across


def _open_sheet(
    picture: Pyramid, quad: Floats, rows: int, columns: int, covers: Covers | None
) -> tuple[Singles, Flags]:
    """Return the picture (rows, columns, 3), 0 under covers and outside it, and flags of the seen cells."""
    sheet = _open_sheets(picture, quad[None], rows, columns, covers)[0]
    seen = ~np.isnan(sheet[..., 0])
    if not seen.all():
        sheet[~seen] = 0
    return sheet, seen


def _open_sheets(picture: Pyramid, quads: Floats, rows: int, columns: int, covers: Covers | None) -> Singles:
    """Return the picture (n, rows, columns, ...), NaN under covers and outside it."""
    shown = picture.straight(quads, rows, columns)
    if covers is not None and len(covers.quads):
        shown[covers.over(quads, rows, columns)] = np.nan
    return shown


def _first_gains(shown: Singles, base: Singles) -> Floats:
    """Return a first guess (n,) of the brightness, by the medians of the picture (n, rows, columns) and of the face."""
    due = np.median(base.reshape(len(base), -1)[:, ::3], axis=1)
    # Nothing is known of a card that is wholly covered.
    seen = [levels[~np.isnan(levels)] for levels in shown.reshape(len(shown), -1)[:, ::3]]
    middle = np.array([np.median(levels) if len(levels) else 1.0 for levels in seen])
    return np.asarray(np.clip(middle / np.maximum(due, 0.02), 0.15, 2.5), np.float64)


def _grey_lights(base: Singles, paper: Singles, share: Floats) -> Singles:
    """Return the basis (n, 5, cells): gain, its slopes, veil, tone curve, for arts (n, cells) under white (n,)."""
    across, down = (share.T * 2 - 1).astype(np.float32)
    return np.stack([base, base * across, base * down, np.maximum(paper[:, None] - base, 0), base * (1 - base)], axis=1)


def _lights(base: Singles, paper: Singles, share: Floats) -> Singles:
    """Return the basis (n, 8, cells * 3): gain, its slopes, casts, veil, saturation, tone curve, under white (3,).

    A veil has the lamp's colour: gloss mirrors the lamp.
    """
    count = len(base)
    flat = base.reshape(count, -1)
    across, down = ((np.repeat(way, 3) - 0.5).astype(np.float32) * 2 for way in share.T)
    basis = np.zeros((count, _LIGHTS, flat.shape[1]), np.float32)
    basis[:, 0], basis[:, 1], basis[:, 2] = flat, flat * across, flat * down
    basis[:, 3, 0::3], basis[:, 4, 2::3] = flat[:, 0::3], flat[:, 2::3]
    basis[:, 5] = np.maximum(np.tile(paper, flat.shape[1] // 3) - flat, 0)
    basis[:, 6] = flat - thrice(base @ GREY).reshape(count, -1)
    basis[:, 7] = flat * (1 - flat)
    return basis


def _trust(off: Singles, turn: int, important: Singles) -> Singles:
    """Return weights (n, cells) by squared errors: cells unlike the face have hardly any."""
    loose = (FIT.loose[min(turn, len(FIT.loose) - 1)] * FIT.noise) ** 2
    weight = important * (loose / (loose + off)) ** 2
    whole = np.maximum(weight.sum(1, keepdims=True), 1e-6)
    return np.asarray(weight / whole * (FIT.independent_cells / (3 * FIT.noise**2)), np.float32)


def _solved(basis: Singles, weight: Singles, off: Singles, precision: Floats, back: Floats) -> Floats:
    """Return the step (n, k) of weighted least squares with the prior; `back` (n, k) leads to the prior's mean."""
    weighted = basis * weight[:, None]
    normal = np.matmul(weighted, basis.transpose(0, 2, 1)).astype(np.float64) + precision
    pull = np.matmul(weighted, off[..., None])[..., 0] + back @ precision
    return np.asarray(np.linalg.solve(normal, pull[..., None])[..., 0])


def _move_basis(both: Singles, rows: int, corner_weights: Singles) -> Singles:
    """Return the change (n, 8, cells) of the picture as each corner moves by the card's height, with the sign of a fit.

    both: (n, rows, columns) the mean of picture and model; `rows`: of a whole card.
    """
    slopes = np.empty((len(both), 2, *both.shape[1:]), np.float32)
    # As a corner moves, the picture there moves the other way.
    for slope, levels in ((slopes[:, 0].swapaxes(1, 2), both.swapaxes(1, 2)), (slopes[:, 1], both)):
        np.subtract(levels[:, :-2], levels[:, 2:], out=slope[:, 1:-1])
        slope[:, 1:-1] /= 2
        slope[:, 0], slope[:, -1] = levels[:, 0] - levels[:, 1], levels[:, -2] - levels[:, -1]
    basis = slopes.reshape(len(both), 1, 2, -1) * (corner_weights * np.float32(rows))[None, :, None]
    return np.asarray(basis.reshape(len(both), _MOVES, -1), np.float32)


@lru_cache(maxsize=8)
def _corner_weights(rows: int, columns: int) -> Singles:
    """Return how much each corner moves a cell (4, cells)."""
    u, v = cells(rows, columns).T
    weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).astype(np.float32)
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=16)
def _precision_of_pose(aspect: float, in_part: bool) -> Floats:
    """Return the precision (13, 13) of moves and light: of a card shifted, turned or scaled, and of one out of shape.

    A partly visible card may only shift: a strip says little of the rest of its pose.
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
    kept = np.eye(_MOVES) - whole
    spread = np.array((FIT.gain, FIT.slope, FIT.slope, FIT.veil, FIT.tone))
    precision = np.diag(np.concatenate([np.zeros(_MOVES), spread**-2.0]))
    precision[:_MOVES, :_MOVES] = whole / FIT.shift**2 + kept / FIT.shape**2
    return precision


def _even(shown: Singles, models: Singles, seen: Flags, across: int) -> Singles:
    """Return the models as bright as the picture, place by place: shadows that no slope follows.

    across: cells of a whole card's shorter side.
    """
    loose = (2 * FIT.noise) ** 2
    grey = shown @ GREY
    for model in models:
        off = squared(shown - model) / 3
        bright = model @ GREY
        weighted = (seen * np.square(loose / (loose + off)) + np.float32(1e-3)) * bright
        both = smoothed(cv2.merge([weighted * grey, weighted * bright]), FIT.even * across / 2) + np.float32(0.003)
        model *= np.clip(both[..., :1] / both[..., 1:], 0.5, 1.6)
    return models


def smoothed(sheet: Singles | cv2.typing.MatLike, width: float) -> Singles:
    """Return a sheet (rows, columns, channels) blurred by `width` cells, on as few cells as such a blur needs."""
    step = max(1, int(width / _STEPS_A_BLUR))
    rows, columns = sheet.shape[:2]
    size = (-(-columns // step), -(-rows // step))
    small = sheet if step == 1 else cv2.resize(sheet, size, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), width * size[0] / columns)
    return np.asarray(blurred if step == 1 else cv2.resize(blurred, (columns, rows)), np.float32)


class Arts:
    """The faces of a deck at one scale, in each turn that its shape allows."""

    def __init__(self, pictures: Sequence[NDArray[np.uint8]], rows: int, columns: int) -> None:
        self._pictures, self._size = pictures, (columns, rows)
        self._made: dict[tuple[int, int], tuple[Singles, Singles]] = {}
        self.shape = rows, columns

    def of(self, faces: NDArray[np.intp], turns: NDArray[np.intp]) -> tuple[Singles, Singles]:
        """Return art (n, rows, columns, 3) in 0..1, turned by quarters, and its weights (n, rows, columns)."""
        looks = zip(faces.tolist(), turns.tolist(), strict=True)
        found = [[np.rot90(sheet, turn) for sheet in self._face(face, turn % 2)] for face, turn in looks]
        arts, weights = zip(*found, strict=True)
        return np.stack(arts), np.stack(weights)

    def _face(self, face: int, across: int) -> tuple[Singles, Singles]:
        if (face, across) not in self._made:
            size = self._size[::-1] if across else self._size
            small = cv2.resize(self._pictures[face], size, interpolation=cv2.INTER_AREA)
            art = np.asarray(small, np.float32) / np.float32(255)
            self._made[face, across] = art, importance(art)
        return self._made[face, across]
