"""Computes the share of a card's pixels that a fitted face explains, and the covers on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Flags, Singles
from vision.channels import largest, quantile, squared
from vision.read.fitting import Fits


@dataclass(frozen=True)
class ExplainParams:
    """Thresholds of print, agreement and covers; levels are shares of white."""

    least_noise: float = 0.02
    most_a_cell: float = 6.0  # log-odds that one cell may give: a cover is no evidence
    cells_an_independent_one: float = 12.0  # print and noise both reach over several cells: so many count as one
    structure: float = 0.07  # of white: print differs at least so much from its surroundings
    explained: float = 0.09
    rim: float = 0.04  # of a card's shorter side
    # of a card's area, and of its edge by its shorter side
    least_cover: float = 0.04
    least_cut: float = 0.15
    soft: float = 1.2  # cells
    # cells; of the squared error, a cell squared
    patch: int = 7
    stray_cost: float = 0.02
    strays: tuple[
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
    ] = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))  # down, across


EXPLAIN = ExplainParams()


def settled(fits: Fits, which: int) -> Fits:
    """Return one of the fits, its model shifted locally by up to a cell onto the picture.

    Prints are a millimetre off their card's edges, differently on each card, and paper bends. The evidence of a thin
    line's colour must not depend on its place.
    """
    fit = fits.take(np.array([which]))
    shown, model = fit.shown, fit.models[0]
    rows, columns = model.shape[:2]
    best = np.full((rows, columns), np.inf, np.float32)
    chosen = np.zeros((rows, columns), np.intp)
    padded = np.pad(model, ((1, 1), (1, 1), (0, 0)), mode="edge")
    for k, (down, across) in enumerate(EXPLAIN.strays):
        moved = padded[1 + down : 1 + down + rows, 1 + across : 1 + across + columns]
        dearer = 1 + EXPLAIN.stray_cost * (down * down + across * across)
        patches = np.asarray(cv2.blur(squared(shown - moved), (EXPLAIN.patch, EXPLAIN.patch)) * dearer, np.float32)
        better = patches < best
        np.copyto(best, patches, where=better)
        np.copyto(chosen, k, where=better)
    down, across = (ways[chosen] for ways in np.array(EXPLAIN.strays).T)
    row, column = np.indices((rows, columns), sparse=True)
    return replace(fit, models=padded[1 + row + down, 1 + column + across][None])


def explanation_of(fit: Fits) -> tuple[Flags, Flags, Flags]:
    """Return flags (rows, columns) of print, of print on which picture and face agree, and of strange cells."""
    shown, model, seen = fit.shown, fit.models[0], fit.seen
    # A picture is softer or sharper than its deck, and a cell off; paper and noise have grain of their own.
    shown, model = (np.asarray(cv2.GaussianBlur(sheet, (0, 0), EXPLAIN.soft), np.float32) for sheet in (shown, model))
    printed = (_standing_out(shown) | _standing_out(model)) & seen & within_rim(shown.shape[:2])
    contrast = largest(np.abs(model - cv2.blur(model, (9, 9))))
    agrees = largest(np.abs(shown - model)) < EXPLAIN.explained + 0.3 * contrast
    strange = _strange(agrees | ~seen)
    printed &= ~strange
    return printed, printed & agrees, strange


def _strange(agrees: Flags) -> Flags:
    """Return the cells (rows, columns) of a cover: large differences that reach in from the card's edge."""
    rows, columns = agrees.shape
    width = 2 * (min(rows, columns) // 20) + 3
    bad = (cv2.blur((~agrees).astype(np.float32), (width, width)) > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(bad, connectivity=4)
    # A cover cuts a stretch of the card's edge; print that differs from the deck's stays inside.
    edge = np.concatenate([labels[1], labels[-2], labels[1:-1, 1], labels[1:-1, -2]])
    cut = np.bincount(edge, minlength=count)
    large = (stats[:, 4] >= EXPLAIN.least_cover * rows * columns) & (cut >= EXPLAIN.least_cut * min(rows, columns))
    large[0] = False
    return np.asarray(cv2.dilate(large[labels].astype(np.uint8), np.ones((width, width), np.uint8)) > 0)


def lacking(fit: Fits, strange: Flags) -> Flags:
    """Return the strange cells (rows, columns) that show the card's ground where the face has print.

    A cover beside missing print seems to be one with it: a card of one lizard was read as that of two.
    """
    if not strange.any():
        return strange
    ground = np.median(fit.models[0][fit.seen], axis=0)
    shown, model = (
        largest(np.abs(sheet - ground)) < EXPLAIN.explained
        for sheet in (np.asarray(cv2.GaussianBlur(fit.shown, (0, 0), EXPLAIN.soft), np.float32), fit.models[0])
    )
    found = strange & shown & ~model
    return np.asarray(found & (found.mean() >= EXPLAIN.least_cover))


def against_plain(fit: Fits) -> Singles:
    """Return log-odds (rows, columns) of a face against no print: the smoothed picture, and the smoothed face.

    Against the smoothed picture: an empty card has no print. Against the smoothed face: a cloth of the card's colours
    has streaks enough, but not where the face has its print.
    """
    shown, model, seen = fit.shown, fit.models[0], fit.seen
    if not seen.any():
        return np.zeros(seen.shape, np.float32)
    width = max(5, 2 * (min(shown.shape[:2]) // 6) + 1)
    off = squared(shown - model) / 3
    noise = max(EXPLAIN.least_noise, 1.4826 * quantile(off[seen], 0.5) ** 0.5) ** 2
    most = 2 * EXPLAIN.most_a_cell
    nothing = [squared(shown - _smooth_where(sheet, seen, width)) / 3 for sheet in (shown, model)]
    plain = np.minimum(*nothing)
    said = (np.minimum(plain / noise, most) - np.minimum(off / noise, most)) / 2
    return np.asarray(
        np.where(seen & within_rim(shown.shape[:2]), said, 0) / EXPLAIN.cells_an_independent_one, np.float32
    )


def _smooth_where(sheet: Singles, seen: Flags, width: int) -> Singles:
    """Return a sheet (rows, columns, 3) smoothed; unseen cells do not count in their surroundings."""
    if seen.all():
        return np.asarray(cv2.blur(sheet, (width, width)), np.float32)
    weight = seen.astype(np.float32)
    whole = np.maximum(cv2.blur(weight, (width, width)), 1e-3)[..., None]
    return np.asarray(cv2.blur(sheet * weight[..., None], (width, width)) / whole, np.float32)


def within_rim(shape: tuple[int, ...]) -> Flags:
    """Return all cells except those at the edge, where all cards look alike."""
    rim = max(1, round(EXPLAIN.rim * min(shape)))
    flags = np.zeros(shape, bool)
    flags[rim:-rim, rim:-rim] = True
    return flags


def _standing_out(sheet: Singles) -> Flags:
    width = max(5, 2 * (min(sheet.shape[:2]) // 8) + 1)
    return np.asarray(largest(np.abs(sheet - cv2.blur(sheet, (width, width)))) > EXPLAIN.structure)
