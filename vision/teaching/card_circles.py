"""Finds the marks on a card: three discs of three colours and three sizes on an even ground."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.deck import ART_PX_PER_MM

_COUNT = 3
_RIM_MM = 1.2
_CELL_LAB = 8.0  # of colours that are counted as one
_STEP = 14.0  # in Lab: print that differs less from the ground is no mark
_LEAST_GROUND = 0.45  # of the card
_CORE = 3  # px
_STAY_OFF = 2  # px, from other marks and from the card's edge, where an outline is not a mark's own
_OFF, _ROUGH = 0.06, 1.3  # of a radius, and px: a disc's outline is nearer to its circle
_APART = 18.0  # in Lab: colours of one card
_COVERED = 0.85  # of what is printed: explained by the discs
_SEED = 5


@dataclass(frozen=True, eq=False)
class Disc:
    """A disc on a card; its middle (x, y) in mm from the card's top left, and its colour in Lab and in BGR 0 to 1."""

    middle_mm: Floats
    diameter_mm: float
    lab: Floats
    bgr: Floats


@dataclass(frozen=True, eq=False)
class CardDiscs:
    """Three discs, the smallest first, and the ground's BGR 0 to 1."""

    discs: tuple[Disc, ...]
    ground: Floats


def marked_card(card: Singles) -> CardDiscs | None:
    """The discs on a card (h, w, 3), levels 0 to 1 under white light; None for a card that shows anything else."""
    lab = np.asarray(cv2.cvtColor(np.clip(card, 0, 1), cv2.COLOR_BGR2LAB), np.float32)
    rim = round(_RIM_MM * ART_PX_PER_MM)
    inner = np.zeros(card.shape[:2], bool)
    inner[rim:-rim, rim:-rim] = True
    ground = _commonest(lab[inner])
    away = np.linalg.norm(lab - ground, axis=2)
    ink = (away > _STEP) & inner
    if 1 - ink[inner].mean() < _LEAST_GROUND:
        return None
    core = _eroded(ink)
    colours = _three_colours(lab[core])
    if colours is None:
        return None
    nearest = np.linalg.norm(lab[:, :, None] - colours, axis=3).argmin(axis=2)
    cores = [_largest(_eroded(ink & (nearest == k))) for k in range(_COUNT)]
    if not all(one.any() for one in cores):
        return None
    # A pixel at a rim is partly ground and may look like any colour: it is of the mark that it is next to, where it is
    # more ink than ground.
    gaps = np.stack([cv2.distanceTransform((~one).astype(np.uint8), cv2.DIST_L2, 3) for one in cores], axis=2)
    own = np.where(gaps.min(axis=2) < 2 * _CORE, gaps.argmin(axis=2), -1)
    half = np.linalg.norm(colours - ground, axis=1)[own] / 2
    masks = [ink & (own == k) & (away > half) for k in range(_COUNT)]
    discs = []
    for k in range(_COUNT):
        mask = _largest(masks[k])
        others = np.any([masks[j] for j in range(_COUNT) if j != k], axis=0)
        disc = _disc(mask, others)
        if disc is None:
            return None
        middle, diameter = disc
        chosen = cores[k]
        discs.append(Disc(middle, diameter, np.median(lab[chosen], axis=0), np.median(card[chosen], axis=0)))
    discs.sort(key=lambda disc: disc.diameter_mm)
    if not _explained(discs, core):
        return None
    bare = inner & (away < _STEP)
    return CardDiscs(tuple(discs), np.median(card[bare], axis=0))


def _eroded(mask: Flags) -> Flags:
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((_CORE, _CORE), np.uint8)).astype(bool))


def _commonest(lab: Singles) -> Floats:
    """(3,) the Lab of most pixels (n, 3)."""
    cells = np.floor(lab / _CELL_LAB).astype(np.intp)
    cells -= cells.min(axis=0)
    # One number a cell: to sort rows takes half of what a lesson does.
    of = np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))
    return np.asarray(np.median(lab[of == np.bincount(of).argmax()], axis=0), np.float64)


def _three_colours(lab: Singles) -> Floats | None:
    """(3, 3) the colours of print (n, 3); None where there are no three that differ."""
    if len(lab) < _COUNT * _CORE:
        return None
    some = np.ascontiguousarray(lab[:: max(1, len(lab) // 4000)], np.float32)
    cv2.setRNGSeed(_SEED)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    labels = cv2.kmeans(some, _COUNT, np.zeros((len(some), 1), np.int32), criteria, 6, cv2.KMEANS_PP_CENTERS)[1]
    colours = np.array([np.median(some[labels.ravel() == k], axis=0) for k in range(_COUNT)], np.float64)
    gaps = np.linalg.norm(colours[:, None] - colours[None], axis=2)[np.triu_indices(_COUNT, 1)]
    return colours if gaps.min() > _APART else None


def _largest(mask: Flags) -> Flags:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    if count < 2:
        return mask
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()))


def _disc(mask: Flags, others: Flags) -> tuple[Floats, float] | None:
    """Middle and diameter in mm of the disc that a mask shows, as a circle through what is its own outline."""
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    points = np.asarray(max(contours, key=cv2.contourArea), np.float64).reshape(-1, 2)
    height, width = mask.shape
    near = cv2.dilate(others.astype(np.uint8), np.ones((2 * _STAY_OFF + 1,) * 2, np.uint8)).astype(bool)
    edge = round(_RIM_MM * ART_PX_PER_MM) + _STAY_OFF
    x, y = points.T
    free = (x >= edge) & (x < width - edge) & (y >= edge) & (y < height - edge)
    free &= ~near[y.astype(int), x.astype(int)]
    own = points[free]
    if len(own) < _COUNT * 4:
        return None
    for _ in range(3):
        middle, radius = _circle(own)
        off = np.abs(np.linalg.norm(own - middle, axis=1) - radius)
        keep = off <= max(3 * float(np.median(off)), 1.0)
        own = own[keep]
    middle, radius = _circle(own)
    off = np.abs(np.linalg.norm(own - middle, axis=1) - radius)
    if float(np.quantile(off, 0.9)) > max(_OFF * radius, _ROUGH):
        return None
    # A contour runs through the outermost pixels of a mask; its outline is half a pixel farther out.
    return (middle + 0.5) / ART_PX_PER_MM, float(2 * (radius + 0.5) / ART_PX_PER_MM)


def _circle(points: Floats) -> tuple[Floats, float]:
    """The circle (Kasa 1976) that fits points (n, 2) best."""
    origin = points.mean(axis=0)
    x, y = (points - origin).T
    terms = np.column_stack([x, y, np.ones(len(x))])
    a, b, c = np.linalg.lstsq(terms, x * x + y * y, rcond=None)[0]
    return origin + (a / 2, b / 2), float(np.sqrt(max(c + (a * a + b * b) / 4, 1e-6)))


def _explained(discs: list[Disc], core: Flags) -> bool:
    """Return whether hardly anything is printed beside the discs."""
    y, x = np.nonzero(core)
    points = (np.stack([x, y], axis=1) + 0.5) / ART_PX_PER_MM
    within = np.zeros(len(points), bool)
    for disc in discs:
        within |= np.linalg.norm(points - disc.middle_mm, axis=1) < disc.diameter_mm / 2 + 0.5
    return bool(within.mean() > _COVERED)
