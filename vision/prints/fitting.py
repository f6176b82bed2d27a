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

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.channels import largest, squared, thrice
from vision.prints.fit_terms import (
    CORNERS,
    GREY,
    LIGHTS,
    MOVES,
    corner_weights_of,
    light_basis,
    model_of,
    move_basis,
    precision_of,
)
from vision.prints.straight import Covers, Pyramid, cells
from vision.quads import points_within

_NOISE = 0.06  # of white: what an art is off by that was taught under another lamp with another camera
_LOOSE = (4.0, 2.0, 1.4, 1.0)  # times the noise, round by round
_INDEPENDENT_CELLS = 15.0  # how many independent cells a card counts as against the priors
_CLIPPED = 0.985
_FARTHEST = 0.06  # of the card's height, in one round
_GAINS = (0.05, 3.0)
_EVEN = 0.25  # of the card: how wide the smooth light is
_ROOM, _SLIVER = 0.1, 0.1  # of the card: beside what is open of it; across, of which less is open
_STEPS_A_BLUR = 3.0  # cells that stand for a blur's width: fewer would show


Window = tuple[slice, ...]


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

    def and_(self, other: Fits) -> Fits:
        """These, and others with as many cells."""
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return Fits(*(np.concatenate(pair) for pair in pairs))

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
    aspect = columns / rows
    paper = (np.ones(3) if white is None else np.asarray(white)).astype(np.float32)
    base = arts * paper
    quads = np.array(quads, np.float64)
    shown = open_sheets(picture, quads, rows, columns, covers)
    expected = np.zeros((count, MOVES + LIGHTS))
    expected[:, MOVES] = _first_gain(shown, base)
    precision = precision_of(aspect, known_lamp=known_lamp, in_part=covers is not None)
    state = expected.copy()
    window = window_of(~np.isnan(shown[..., 0]))
    lights, importance, corner_weights = (
        _lights_in(window, base, paper),
        _importance(base)[window],
        corner_weights_of(rows, columns).reshape(4, rows, columns, 3)[window].reshape(4, -1),
    )
    for turn in range(rounds + 1):
        filled, open_cells = _filled(shown[window])
        model = model_of(lights, state[:, MOVES:], filled.shape)
        clipped = (filled >= _CLIPPED) & (model >= filled)
        off = filled - model
        off[clipped] = 0
        weight = _trust(off, _LOOSE[min(turn, len(_LOOSE) - 1)] * _NOISE, open_cells * importance)
        weight = thrice(weight).reshape(count, -1)
        weight[clipped.reshape(count, -1)] = 0
        # The last round settles the light alone, on the cells as they came to lie.
        first = 0 if turn < rounds else MOVES
        basis = lights if first else np.concatenate([move_basis(filled, model, rows, corner_weights), lights], axis=1)
        weighted = basis * weight[:, None]
        normal = (weighted @ basis.transpose(0, 2, 1)).astype(np.float64) + precision[first:, first:]
        pull = (weighted @ off.reshape(count, -1, 1))[..., 0]
        pull = pull + (expected - state)[:, first:] @ precision[first:, first:]
        step = np.linalg.solve(normal, pull[..., None])[..., 0]
        if turn < rounds:
            step[:, :MOVES] = np.clip(step[:, :MOVES], -_FARTHEST, _FARTHEST)
            moved = step[:, :MOVES].reshape(count, 4, 2) / (aspect, 1.0)
            quads = points_within(quads, CORNERS + moved)
            shown = open_sheets(picture, quads, rows, columns, covers)
        state[:, first:] += step
        state[:, MOVES] = np.clip(state[:, MOVES], *_GAINS)
    return _fits(quads, shown, window, lights, state[:, MOVES:])


def finer(picture: Pyramid, fits: Fits, arts: Singles, white: Floats | None, covers: Covers | None = None) -> Fits:
    """The same fits with more cells: where faces lie, and their light, is told by few; what tells them apart is fine.

    `arts` (n, rows, columns, 3) are those that were laid there, finer.
    """
    rows, columns = arts.shape[1:3]
    paper = (np.ones(3) if white is None else np.asarray(white)).astype(np.float32)
    shown = open_sheets(picture, fits.quads, rows, columns, covers)
    window = window_of(~np.isnan(shown[..., 0]))
    return _fits(fits.quads, shown, window, _lights_in(window, arts * paper, paper), fits.light)


def _fits(quads: Floats, shown: Singles, window: Window, lights: Singles, light: Floats) -> Fits:
    filled, seen = _filled(shown)
    part, within = filled[window], np.zeros_like(seen)
    within[window] = True
    seen &= within
    models = np.zeros(shown.shape, np.float32)
    models[window] = _even(part, model_of(lights, light, part.shape), seen[window], min(shown.shape[1:3]))
    return Fits(quads, filled, models, seen, light)


def _lights_in(window: Window, base: Singles, paper: Singles) -> Singles:
    """The light's basis for arts (n, rows, columns, 3) under the lamp's white (3,), in a part of them."""
    rows, columns = base.shape[1:3]
    return light_basis(base[window], paper, cells(rows, columns).reshape(rows, columns, 2)[window[1:]].reshape(-1, 2))


def window_of(seen: NDArray[np.bool_]) -> Window:
    """Where enough is seen in sheets (n, rows, columns), with room to move: of a strip the rest is nothing.

    A card that lies a little aside in a column shows a sliver all along: as many cells to weigh as a whole card has.
    """
    anywhere: NDArray[np.bool_] = np.any(seen, axis=0)
    rows, columns = (np.flatnonzero(anywhere.mean(axis=axis) >= _SLIVER) for axis in (1, 0))
    if not len(rows) or not len(columns):
        return np.s_[:, :, :]
    room = round(_ROOM * max(anywhere.shape))
    spans = (slice(max(0, int(some[0]) - room), int(some[-1]) + room + 1) for some in (rows, columns))
    return (slice(None), *spans)


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
    flat = (shown[:, ::2, ::2] @ GREY).reshape(count, -1)
    open_cells = [levels[~np.isnan(levels)] for levels in flat]
    # Of a card that is wholly covered nothing is known.
    seen = np.array([np.median(levels) if len(levels) else 1.0 for levels in open_cells])
    due = np.median((base[:, ::2, ::2] @ GREY).reshape(count, -1), axis=1)
    return np.asarray(np.clip(seen / np.maximum(due, 0.02), 0.15, 2.5), np.float64)


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


def _even(shown: Singles, model: Singles, seen: NDArray[np.bool_], across: int) -> Singles:
    """The models as bright as what is seen, place by place: what is left of shadows that no slope follows.

    across: cells of a whole card's shorter side.
    """
    count = len(model)
    off = squared(shown - model) / 3
    loose = (2 * _NOISE) ** 2
    weight = seen * (loose / (loose + off)) ** 2 + 1e-3
    bright = model @ GREY
    weighted = (weight * bright).astype(np.float32)
    over, under = weighted * (shown @ GREY), weighted * bright
    for k in range(count):
        both = smoothed(np.asarray(cv2.merge([over[k], under[k]])), _EVEN * across / 2) + np.float32(0.003)
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


def arts_of(faces: list[NDArray[np.uint8]], turns: list[int], rows: int, columns: int) -> Singles:
    """(n, rows, columns, 3) art in 0..1, each turned by its quarters and scaled to so many cells."""
    arts = np.empty((len(faces), rows, columns, 3), np.float32)
    for k, (face, turn) in enumerate(zip(faces, turns, strict=True)):
        art = np.rot90(face, turn)
        arts[k] = cv2.resize(art, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return arts
