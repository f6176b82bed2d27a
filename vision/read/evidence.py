"""Computes the evidence of faces fitted to one card: log-odds between them, explained print, and covers.

Faces are compared by their patterns of light, dark and tint. Every lamp, camera and gloss changes colours of a whole
card slowly across it, and every camera softens fine print. The scale between, parts of print of some millimetres, keeps
its pattern. So the picture and each face keep that band alone, the face's contrast is fitted to the picture's, and the
residual is the face's error. The size of errors is unknown. By a normal law with an unknown spread the log-odds of one
face against another are half the number of independent places, times the logarithm of the ratio of their squared errors
(Zellner, "An Introduction to Bayesian Inference in Econometrics", 1971, chapter 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.channels import largest, mixed, quantile, squared, thrice
from vision.read.fitting import GREY, Fits, Window, smoothed, window_of


@dataclass(frozen=True)
class PatternParams:
    """Parameters of patterns and their weights; levels are shares of white."""

    tint: float = 1.5  # weight of tint beside brightness, which shadows change
    # cells, and of the card's shorter side: limits of the pattern's band
    fine: float = 1.2
    slow: float = 0.2
    contrast: tuple[float, float] = (0.5, 2.0)  # of the picture, by the face's
    apart: float = 0.2  # of the largest difference between two faces: places with a smaller one hardly count
    patch: int = 9  # cells
    # Of a patch's print, the card's usual one and its noise together. Of 715 right cards of four decks all but one keep
    # below it in all but a fiftieth of their print; of 26 cards of faces that were not taught 12 do.
    most_off: float = 0.55
    # of white, squared; the share of patches that measures the noise
    least_noise: float = 0.001
    quiet: float = 0.25
    # of the card's shorter side, and of the picture, by the face's
    locally: float = 0.17
    local_contrast: tuple[float, float] = (0.2, 3.0)
    least: float = 1e-6  # squared error of a cell, of white: no camera is better


PATTERN = PatternParams()


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
    # of a face's cells, near its usual colour: framed clowns, lizards and SET have 0.6 and more, full-bleed ones 0.3
    least_ground: float = 0.5
    soft: float = 1.2  # cells
    # cells; of the squared error, a cell squared
    patch: int = 7
    stray_cost: float = 0.02
    # of the face, down and across
    strays: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))


EXPLAIN = ExplainParams()


_LIGHT_AND_TINT = np.array([GREY, [0, -PATTERN.tint, PATTERN.tint], [PATTERN.tint, -PATTERN.tint, 0]], np.float32)
_ALL, _LIGHT_AND_TINTS = (slice(0, 3),), (slice(0, 1), slice(1, 3))  # of a pattern's channels
# Independent places of faces that differ in a third of their cells. The number grows as the square root of that share:
# cells that are close repeat one another.
_PLACES, _USUAL = 60.0, 1 / 3


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of faces fitted to one place, and of the picture there, within its visible `window`.

    `shown` (rows, columns, 3) brightness and two tints, `models` (n, rows, columns, 3) of the faces, `seen` (rows,
    columns) the visible cells; `shape` of a whole card's cells.
    """

    shown: Singles
    models: Singles
    seen: Flags
    window: Window
    shape: tuple[int, int]

    @cached_property
    def even_models(self) -> Singles:
        """Return the models with the contrast of the picture, brightness and tint apart."""
        return np.stack([model * _contrast(self.shown, model, _LIGHT_AND_TINTS) for model in self.models])


def patterns_of(fits: Fits, open_cells: Flags | None = None) -> Patterns:
    """Return the patterns of some fits, by the open cells (rows, columns)."""
    seen = fits.seen if open_cells is None else fits.seen & open_cells
    window, (rows, columns) = window_of(seen), seen.shape
    seen, across = seen[window], min(rows, columns)
    models = np.stack([_pattern(model[window], seen, across) for model in fits.models])
    return Patterns(_pattern(fits.shown[window], seen, across), models, seen, window, (rows, columns))


def log_ratios(patterns: Patterns) -> Floats:
    """Return the log-odds (n, n) of each face against each other one, by the cells where the two differ."""
    models, seen = patterns.even_models, patterns.seen
    off = squared(patterns.shown - models)
    count, whole = len(models), patterns.shape[0] * patterns.shape[1]
    odds = np.zeros((count, count))
    if not seen.any():
        return odds
    least = PATTERN.least * float(seen.sum())
    for one in range(count):
        for other in range(one + 1, count):
            apart = squared(models[one] - models[other])
            scale = PATTERN.apart**2 * quantile(apart[seen], 0.99) + PATTERN.least
            weight = seen * (1 - np.exp(-apart / (2 * scale)))
            places = _PLACES / 2 * np.sqrt(float(weight.sum()) / whole / _USUAL)
            ratio = np.log(((weight * off[other]).sum() + least) / ((weight * off[one]).sum() + least))
            odds[one, other], odds[other, one] = places * ratio, -places * ratio
    return odds


def errors(patterns: Patterns) -> Floats:
    """Return the mean squared error (n,) a cell of each face's pattern."""
    if not patterns.seen.any():
        return np.full(len(patterns.models), np.inf)
    off = squared(patterns.shown - patterns.even_models)
    return np.asarray(off[:, patterns.seen].mean(axis=1), np.float64)


def likeness(patterns: Patterns) -> Floats:
    """Return the share (n,) of the visible pattern that each face explains: 1 all of it, 0 or less nothing."""
    if not patterns.seen.any():
        return np.zeros(len(patterns.models))
    whole = float(squared(patterns.shown)[patterns.seen].mean())
    return np.asarray(1 - errors(patterns) / max(whole, PATTERN.least))


def misprints(patterns: Patterns, which: int, open_cells: Flags) -> Flags:
    """Return the open cells (rows, columns), by patches, where the picture has other print than one face.

    An untaught face may differ by a hat: the card as a whole fits well then, but one patch does not.
    """
    seen = patterns.seen & open_cells[patterns.window]
    weight = seen.astype(np.float32)[..., None]
    shown, model = patterns.shown * weight, patterns.models[which] * weight
    # One contrast for all: another ink is another print.
    model *= _contrast(shown, model, _ALL)
    off = cv2.blur(squared(shown - model), (PATTERN.patch, PATTERN.patch))
    due = (squared(shown) + squared(model)) / 2
    usual = float(due.sum()) / max(1, int(seen.sum()))
    # A camera's noise in a dim room is off everywhere; another print is off in some places.
    noise = PATTERN.least_noise + (quantile(off[seen], PATTERN.quiet) if seen.any() else 0.0)
    odd = np.zeros(patterns.shape, bool)
    odd[patterns.window] = (
        off > PATTERN.most_off * (cv2.blur(due, (PATTERN.patch, PATTERN.patch)) + usual + noise)
    ) & seen
    return odd


def unexplained(patterns: Patterns, which: int, open_cells: Flags) -> float:
    """Return the share of the visible contrast that a face does not explain, whatever its strength place by place.

    Spades resemble clubs in the place and most of the shape of their marks: only all patches together separate them.
    The share, 0..1, is of the contrast above the noise.
    """
    seen = patterns.seen & open_cells[patterns.window]
    if not seen.any():
        return 1.0
    shown, model = (sheet[..., 0] * seen for sheet in (patterns.shown, patterns.models[which]))
    # Gloss takes contrast from a part of a card.
    both = smoothed(np.dstack([shown * model, model * model]), PATTERN.locally * min(patterns.shape))
    off = np.square(shown - np.clip(both[..., 0] / (both[..., 1] + PATTERN.least), *PATTERN.local_contrast) * model)
    # Noise is off everywhere, another shape in some places.
    noise = quantile(np.asarray(cv2.blur(off, (PATTERN.patch, PATTERN.patch)), np.float32)[seen], PATTERN.quiet) * int(
        seen.sum()
    )
    return (float(off[seen].sum()) - noise) / max(PATTERN.least, float(np.square(shown)[seen].sum()) - noise)


def _pattern(sheet: Singles, seen: Flags, across: int) -> Singles:
    """Return a sheet (rows, columns, 3) BGR as brightness and two tints, without its slow changes and finest detail.

    Hidden cells do not count in their surroundings. across: cells of a whole card's shorter side.
    """
    colours = mixed(sheet, _LIGHT_AND_TINT)
    slow = PATTERN.slow * across
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
    return np.asarray(cv2.GaussianBlur(sheet, (0, 0), PATTERN.fine), np.float32)


def _contrast(shown: Singles, model: Singles, parts: Sequence[slice]) -> Singles:
    """Return the factors (3,) by which a face's pattern, each of its parts, comes nearest to the picture's.

    Both are 0 in unseen cells. Cameras make colours more vivid the darker a room is.
    """
    both, own = (np.array(cv2.sumElems(cv2.multiply(other, model))[:3]) for other in (shown, model))
    contrast = np.empty(3, np.float32)
    for part in parts:
        contrast[part] = np.clip(both[part].sum() / max(float(own[part].sum()), 1e-9), *PATTERN.contrast)
    return contrast


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

    A cover beside missing print seems to be one with it: a card of one lizard was read as that of two. Print all over
    a card leaves no ground: fingers on clowns printed to the edge had some of its tones.
    """
    if not strange.any():
        return strange
    ground = np.median(fit.models[0][fit.seen], axis=0)
    shown, model = (
        largest(np.abs(sheet - ground)) < EXPLAIN.explained
        for sheet in (np.asarray(cv2.GaussianBlur(fit.shown, (0, 0), EXPLAIN.soft), np.float32), fit.models[0])
    )
    found = strange & shown & ~model
    is_ground = model[fit.seen].mean() >= EXPLAIN.least_ground
    return np.asarray(found & bool(is_ground and found.mean() >= EXPLAIN.least_cover))


def over_no_print(fit: Fits) -> Singles:
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
    least = np.minimum(*nothing)
    odds = (np.minimum(least / noise, most) - np.minimum(off / noise, most)) / 2
    return np.asarray(
        np.where(seen & within_rim(shown.shape[:2]), odds, 0) / EXPLAIN.cells_an_independent_one, np.float32
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
