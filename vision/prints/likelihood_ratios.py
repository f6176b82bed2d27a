"""Weighs faces that were laid onto one card against each other, by the pattern of light, dark and tint that each shows.

Every lamp, camera and gloss changes colours of a whole card slowly across it, and every camera softens fine print; what
lies between, parts of print of some millimetres, keeps its pattern. So both what is seen and what a face would show are
left with that alone, the face's contrast is put to what is seen, and what is left over is the face's error. How large
errors are, nobody knows; by a normal law with an unknown spread the log-odds of one face against
another are half the number of independent places, times the logarithm of the ratio of their squared errors (Zellner,
"An Introduction to Bayesian Inference in Econometrics", 1971, chapter 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.channels import mixed, squared, thrice
from vision.prints.fitting import Fits, smoothed, window_of

_LUMINANCE = np.array([0.114, 0.587, 0.299], np.float32)
_TINT = 1.5  # how much tint counts beside brightness, which shadows change
_LIGHT_AND_TINT = np.array([_LUMINANCE, [0, -_TINT, _TINT], [_TINT, -_TINT, 0]], np.float32)
_FINE, _SLOW = 1.2, 0.2  # cells, and of the card's shorter side: the pattern lies between
_CONTRAST = (0.5, 2.0)  # of what is seen, by the face's
_ALL, _LIGHT_AND_TINTS = (slice(0, 3),), (slice(0, 1), slice(1, 3))  # of a pattern's channels
_APART = 0.2  # of the largest difference between two faces: places where they differ by less hardly tell
_PATCH = 9  # cells
# Of a patch's print, the card's usual one and its noise together. Of 715 right cards of four decks all but one keep
# below it in all but a fiftieth of their print; of 26 cards of faces that were not taught 12 do.
_MOST_OFF = 0.55
_LEAST_NOISE, _QUIET = 0.001, 0.25  # of white, squared; the share of patches by which the rest is told
_LOCALLY, _LOCAL_CONTRAST = 0.17, (0.2, 3.0)  # of the card's shorter side, and of what is seen, by the face's
_LEAST = 1e-6  # squared error of a cell, of white: no camera is better
# Faces that differ in a third of their cells differ in so many independent places. The number grows as the square root
# of that share: cells that lie close repeat one another.
_PLACES, _USUAL = 60.0, 1 / 3


def log_ratios(fits: Fits, open_cells: Flags) -> Floats:
    """(n, n) log-odds of each face against each other one, by the open cells (rows, columns) where the two differ."""
    count = len(fits.quads)
    seen = fits.seen & open_cells
    whole = seen[0].size
    models, off, seen = _compared(fits, seen)
    odds = np.zeros((count, count))
    for one in range(count):
        for other in range(one + 1, count):
            both = seen[one] & seen[other]
            if not both.any():
                continue
            apart = squared(models[one] - models[other])
            scale = _APART**2 * float(np.quantile(apart[both], 0.99)) + _LEAST
            weight = both * (1 - np.exp(-apart / (2 * scale)))
            places = _PLACES / 2 * np.sqrt(float(weight.sum()) / whole / _USUAL)
            least = _LEAST * float(both.sum())
            ratio = np.log(((weight * off[other]).sum() + least) / ((weight * off[one]).sum() + least))
            odds[one, other], odds[other, one] = places * ratio, -places * ratio
    return odds


def errors(fits: Fits) -> Floats:
    """(n,) how much the pattern of each face is off, a cell, squared."""
    _, off, seen = _compared(fits, fits.seen)
    return np.array([float(one[cells].mean()) if cells.any() else np.inf for one, cells in zip(off, seen, strict=True)])


def likeness(fits: Fits, which: int) -> float:
    """How much of the pattern that is seen one face explains: 1 all of it, 0 or less nothing."""
    seen = fits.seen[which]
    if not seen.any():
        return 0.0
    whole = float(squared(_pattern(fits.shown[which], seen, min(seen.shape))[seen]).mean())
    return 1 - float(errors(fits.take(np.array([which])))[0]) / max(whole, _LEAST)


def misprints(fits: Fits, which: int, open_cells: Flags) -> Flags:
    """(rows, columns) where one face has other print than is seen, by patches of what is open.

    A face that was never taught may differ by a hat: the card as a whole fits well then, one patch of it does not.
    """
    seen = fits.seen[which] & open_cells
    shown, model = (_pattern(sheet[which], seen, min(seen.shape)) for sheet in (fits.shown, fits.models))
    # One contrast for all: another ink is another print.
    model *= _contrast(shown, model, _ALL)
    off = cv2.blur(squared(shown - model), (_PATCH, _PATCH))
    due = (squared(shown) + squared(model)) / 2
    usual = float(due.sum()) / max(1, int(seen.sum()))
    # A camera's noise in a dim room is off everywhere; another print is off in some places.
    noise = _LEAST_NOISE + (float(np.quantile(off[seen], _QUIET)) if seen.any() else 0.0)
    return np.asarray((off > _MOST_OFF * (cv2.blur(due, (_PATCH, _PATCH)) + usual + noise)) & seen)


def unexplained(fits: Fits, which: int, open_cells: Flags) -> float:
    """How much of the light and dark that is seen one face does not explain, however strong it is place by place.

    Spades pass for clubs by where their marks are and by most of their shape: no patch tells, all of them together do.
    The share, 0..1, is of what stands out of the noise.
    """
    seen = fits.seen[which] & open_cells
    if not seen.any():
        return 1.0
    shown, model = (_pattern(sheet[which], seen, min(seen.shape))[..., 0] for sheet in (fits.shown, fits.models))
    # Gloss takes contrast from a part of a card.
    both = smoothed(np.dstack([shown * model, model * model]), _LOCALLY * min(seen.shape))
    off = np.square(shown - np.clip(both[..., 0] / (both[..., 1] + _LEAST), *_LOCAL_CONTRAST) * model)
    # Noise is off everywhere, another shape in some places.
    noise = float(np.quantile(cv2.blur(off, (_PATCH, _PATCH))[seen], _QUIET)) * int(seen.sum())
    return (float(off[seen].sum()) - noise) / max(_LEAST, float(np.square(shown)[seen].sum()) - noise)


def _compared(fits: Fits, seen: Flags) -> tuple[Singles, Singles, Flags]:
    """The patterns (n, rows, columns, 3) faces should show, how far off each is, squared, and where anything is seen.

    All of the part of the sheets (n, rows, columns) in which anything is.
    """
    window, across = window_of(seen), min(seen.shape[1:])
    seen = seen[window]
    alone = slice(0, 1 if (fits.quads == fits.quads[0]).all() else None)
    # Faces that are held against one place see the same there.
    shown = np.stack(
        [_pattern(sheet, cells, across) for sheet, cells in zip(fits.shown[window][alone], seen[alone], strict=True)]
    )
    shown = np.broadcast_to(shown, (len(seen), *shown.shape[1:]))
    models = np.stack([_pattern(sheet, cells, across) for sheet, cells in zip(fits.models[window], seen, strict=True)])
    for k in range(len(models)):
        models[k] *= _contrast(shown[k], models[k], _LIGHT_AND_TINTS)
    return models, squared(shown - models), seen


def _pattern(sheet: Singles, seen: Flags, across: int) -> Singles:
    """A sheet (rows, columns, 3) BGR as brightness and two tints, without what changes slowly and what is finest.

    What is not seen counts for nothing in its surroundings. across: cells of a whole card's shorter side.
    """
    colours = mixed(sheet, _LIGHT_AND_TINT)
    slow = _SLOW * across
    if seen.all():
        return _softened(colours) - smoothed(colours, slow)
    counts = seen.astype(np.float32)
    weight = thrice(counts)
    known = np.asarray(cv2.multiply(colours, weight), np.float32)
    fine, smooth = (
        cv2.divide(blur(known), thrice(np.maximum(blur(counts), 1e-3)))
        for blur in (_softened, partial(smoothed, width=slow))
    )
    return np.asarray(cv2.multiply(cv2.subtract(fine, smooth), weight), np.float32)


def _softened(sheet: Singles) -> Singles:
    return np.asarray(cv2.GaussianBlur(sheet, (0, 0), _FINE), np.float32)


def _contrast(shown: Singles, model: Singles, parts: Sequence[slice]) -> Singles:
    """(3,) by how much a face's pattern must be strengthened, each of its parts, to be nearest to what is seen.

    Both are nothing where nothing is seen. Cameras make colours more vivid the darker a room is.
    """
    both, own = (np.array(cv2.sumElems(cv2.multiply(other, model))[:3]) for other in (shown, model))
    contrast = np.empty(3, np.float32)
    for part in parts:
        contrast[part] = np.clip(both[part].sum() / max(float(own[part].sum()), 1e-9), *_CONTRAST)
    return contrast
