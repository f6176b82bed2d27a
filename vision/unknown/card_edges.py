"""Looks closely at the four sides of a supposed card: is there an edge all along, and where does it run."""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.unknown.line_segments import meet_sides
from vision.unknown.weighted_lab import LIGHTNESS_WEIGHT, pixels_at

_TRIM = 0.12  # rounded corners take up to an eighth of a side
_GROUND_PX = (0.75, 1.5, 2.25)  # how far inside the searched band the card's ground is looked at
_OUTSIDE_PX = 2.0
_BEYOND_PX = 5.5
_STEP = 2.0
_SMOOTH = np.array([1, 6, 15, 20, 15, 6, 1]) / 64  # along a side
_MIN_RISE = 1.2
_NOISE_FACTOR = 2.5
_CALM = 1.5  # times the usual noise: more is print, on a narrow border
_FULL_RISE = 24.0  # beyond this an edge is as good as any: strong edges nearby must not outvote the card's own
_BLURRED_SUPPORT = 0.8  # a side with less is looked at again as if it were out of focus
_SLOPES = np.linspace(-1.0, 1.0, 7, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class SideFit:
    """What was seen along the sides of n quadrilaterals.

    `quads` (n, 4, 2) with the sides moved onto the edges; `support` (n, 4) the share of each side where an edge was
    seen; `rise` (n, 4) how strongly the colour changes there, in units of the least change that counts;
    `sharpness` (n, 4) the share of each side where the edge is in focus, as a shadow's hardly is;
    `inside`, `outside` and `beyond` (n, 4, 3) the colours on either side of each edge and a little farther out, 8-bit
    Lab with the lightness scaled down;
    `constancy` (n, 4) is 1 where the colour changes in the same way all along a side, 0 where it goes to and fro.
    """

    quads: Singles
    support: Singles
    rise: Singles
    sharpness: Singles
    inside: Singles
    outside: Singles
    beyond: Singles
    constancy: Singles

    def oddness(self) -> Singles:
        """How unlike one card on a table the colours are (n,), from 0 to about 1.

        A strip of table taken for a part of the card gives one side another ground, and a change of colour that
        goes the other way; in a chequered cloth the change goes to and fro along a side.
        """
        ground = np.median(self.inside, axis=1, keepdims=True)
        uneven = np.linalg.norm(self.inside - ground, axis=2).max(axis=1) / 120
        change = self.outside - self.inside
        size = np.linalg.norm(change, axis=2)
        typical = np.median(change, axis=1)
        cosine = np.einsum("nsk,nk->ns", change, typical) / np.maximum(
            size * np.linalg.norm(typical, axis=1)[:, None], 1e-3
        )
        opposed = ((cosine < -0.3) & (size > 6)).sum(axis=1)
        changeable = 1 - self.constancy.mean(axis=1)
        return np.asarray(np.minimum(uneven, 0.6) + 0.25 * opposed + 0.6 * changeable, np.float32)

    def contrast_beyond(self) -> Singles:
        """How far the colour beyond each side (n, 4) is from that inside; a sheet goes on beyond lines ruled on it."""
        near, far = (np.linalg.norm(colour - self.inside, axis=2) for colour in (self.outside, self.beyond))
        return np.asarray(np.minimum(near, far), np.float32)

    def steps(self) -> NDArray[np.bool_]:
        """Which sides (n, 4) have another colour outside than inside; a ruled line has the same on both."""
        return np.asarray(np.linalg.norm(self.outside - self.inside, axis=2) > _STEP)

    def take(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> SideFit:
        """The same for some of the quadrilaterals."""
        return SideFit(*(part[keep] for part in (getattr(self, field.name) for field in fields(self))))

    def joined(self, other: SideFit) -> SideFit:
        """Both together."""
        return SideFit(*(np.concatenate([getattr(fit, part.name) for fit in (self, other)]) for part in fields(self)))


def _index(offset: Singles, reach_px: float, step: float) -> NDArray[np.intp]:
    """Which of the colours across a side lies at an offset from where the side was supposed."""
    return np.asarray(len(_GROUND_PX) + np.rint((offset + reach_px) / step), np.intp)


def _constancy(change: Singles) -> Singles:
    """1 for each side whose colours change (sides, along, 3) in the same way all along, 0 if they go to and fro."""
    size = np.linalg.norm(change, axis=2).mean(axis=1)
    return np.asarray(np.clip((np.linalg.norm(change.mean(axis=1), axis=1) + 3) / (size + 3), 0, 1), np.float32)


def _noise(band: Singles) -> Singles:
    """How restless the ground inside each side is (sides,), from its colours (sides, along, 3, 3).

    Of two neighbouring pairs the calmer one counts: print may reach into the other.
    """
    pairs = np.linalg.norm(np.diff(band, axis=2), axis=3)
    return np.asarray(np.median(pairs, axis=1).min(axis=1), np.float32)


def _nothing() -> SideFit:
    shapes = ((0, 4, 2), (0, 4), (0, 4), (0, 4), (0, 4, 3), (0, 4, 3), (0, 4, 3), (0, 4))
    return SideFit(*(np.zeros(shape, np.float32) for shape in shapes))


def glance(image_lab: NDArray[np.uint8], quads: Singles) -> SideFit:
    """The colours about many quadrilaterals (n, 4, 2) as they are, from a few places along their sides."""
    if len(quads) == 0:
        return _nothing()
    start, side, outward = frames(quads)
    along = np.linspace(_TRIM, 1 - _TRIM, 7, dtype=np.float32)
    lab = sample_lab(image_lab, start, side, outward, along, np.array([-3.0, 3.0], np.float32), True)
    inside, outside = (np.median(lab[:, :, k], axis=1).reshape(-1, 4, 3) for k in (0, 1))
    ones = np.ones((len(quads), 4), np.float32)
    constancy = _constancy(lab[:, :, 1] - lab[:, :, 0]).reshape(-1, 4)
    return SideFit(quads, ones, ones, ones, inside, outside, outside, constancy)


def fit_sides(
    image: NDArray[np.uint8], quads: Singles, reach_px: float, samples: int = 24, is_lab: bool = True
) -> SideFit:
    """Move each side of `quads` (n, 4, 2), clockwise, onto the edge nearest by, at most about `reach_px` away.

    An edge is where the colour, going outward, leaves that of the card's ground at the same place; so shadows that
    cross a card do not matter, nor which way the contrast goes, and of the two edges of a gap between touching cards
    each card takes its own. `image` is (h, w, 3) 8-bit Lab, or BGR if not `is_lab`.
    """
    if len(quads) == 0:
        return _nothing()
    step = max(0.5, reach_px / 12)
    offsets = np.arange(-reach_px, reach_px + step / 2, step, dtype=np.float32)
    along = np.linspace(_TRIM, 1 - _TRIM, samples, dtype=np.float32)
    start, side, outward = frames(quads)
    farther = np.arange(step, max(step, _BEYOND_PX + 1) + step / 2, step, dtype=np.float32)
    all_offsets = np.concatenate([-reach_px - np.array(_GROUND_PX, np.float32)[::-1], offsets, reach_px + farther])
    lab = sample_lab(image, start, side, outward, along, all_offsets, is_lab)
    band = lab[:, :, : len(_GROUND_PX)]
    ground = band.sum(axis=2) - band.max(axis=2) - band.min(axis=2)  # the middle one of three
    away = lab - ground[:, :, None]
    distance = np.sqrt(np.einsum("smok,smok->smo", away, away))
    noise = _noise(band)
    band = distance[:, :, len(_GROUND_PX) : len(_GROUND_PX) + len(offsets)]
    least = np.maximum(_MIN_RISE, _NOISE_FACTOR * noise)
    fitted, support, strength = _best_lines(_outward_rise(band, step, 1.0), least, offsets, along)
    sharpness = support.copy()
    weak = support < _BLURRED_SUPPORT
    if weak.any():
        retried = _best_lines(_outward_rise(band[weak], step, 2.5), least[weak] * 1.5, offsets, along, 2.0)
        better = retried[1] > support[weak]
        index = np.flatnonzero(weak)[better]
        fitted[index], support[index], strength[index] = (part[better] for part in retried)
    weak = support < _BLURRED_SUPPORT
    if weak.any():
        first = len(_GROUND_PX)
        plain = _plain_change(lab[weak, :, first - 1 : first + len(offsets) + 1], step)
        calm = np.minimum(least, np.maximum(_MIN_RISE, _NOISE_FACTOR * _CALM * np.median(noise)))
        retried = _best_lines(plain, calm[weak] * 1.2, offsets, along)
        better = retried[1] > support[weak]
        index = np.flatnonzero(weak)[better]
        fitted[index], support[index], strength[index] = (part[better] for part in retried)
    t = np.array([0.0, 1.0], np.float32)
    ends = start[:, None] + side[:, None] * t[:, None]
    ends = ends + outward[:, None] * (fitted[:, :1] + fitted[:, 1:] * (2 * t - 1))[..., None]
    outside, beyond = (
        lab[np.arange(len(lab)), :, np.clip(_index(fitted[:, 0] + away, reach_px, step), 0, lab.shape[2] - 1)]
        for away in (_OUTSIDE_PX, _BEYOND_PX)
    )
    return SideFit(
        meet_sides(ends.reshape(-1, 4, 2, 2), quads, reach_px),
        support.reshape(-1, 4),
        strength.reshape(-1, 4),
        sharpness.reshape(-1, 4),
        np.asarray(np.median(ground, axis=1).reshape(-1, 4, 3), np.float32),
        np.asarray(np.median(outside, axis=1).reshape(-1, 4, 3), np.float32),
        np.asarray(np.median(beyond, axis=1).reshape(-1, 4, 3), np.float32),
        _constancy(outside - ground).reshape(-1, 4),
    )


def frames(quads: Singles) -> tuple[Singles, Singles, Singles]:
    """Start, direction with length, and outward unit vector of each side, all (4 n, 2)."""
    start = quads.reshape(-1, 2)
    side = np.roll(quads, -1, axis=1).reshape(-1, 2) - start
    length = np.maximum(np.linalg.norm(side, axis=1), 1e-3)
    return start, side, np.stack([side[:, 1], -side[:, 0]], axis=1) / length[:, None]


def sample_lab(
    image: NDArray[np.uint8],
    start: Singles,
    side: Singles,
    outward: Singles,
    along: Singles,
    offsets: Singles,
    is_lab: bool,
    smooth: bool = True,
) -> Singles:
    """Weighted Lab colours (sides, along, offsets, 3) on lines across the sides, `smooth` along the side."""
    margin = len(_SMOOTH) // 2
    rows = np.pad(along, margin, mode="edge")
    points = start[:, None] + side[:, None] * rows[:, None]
    points = (points[:, :, None] + outward[:, None, None] * offsets[:, None]).reshape(-1, len(offsets), 2)
    pixels = pixels_at(image, points.astype(np.float32))
    if not is_lab:
        pixels = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB), np.uint8)
    kernel = _SMOOTH if smooth else np.ones(1)
    lab = np.asarray(cv2.sepFilter2D(pixels, cv2.CV_32F, np.ones(1), kernel), np.float32).reshape(
        len(start), len(rows), len(offsets), 3
    )[:, margin : margin + len(along)]
    lab[..., 0] *= LIGHTNESS_WEIGHT
    return lab


def _outward_rise(distance: Singles, step: float, half_px: float) -> Singles:
    """How much the distance from the ground grows within `half_px` either way, never negative; the same shape."""
    half = max(1, round(half_px / step))
    padded = np.pad(distance, ((0, 0), (0, 0), (half, half)), mode="edge")
    return np.asarray(np.maximum(padded[:, :, 2 * half :] - padded[:, :, : -2 * half], 0), np.float32)


def _plain_change(lab: Singles, step: float) -> Singles:
    """How much the colours (sides, along, 1 + offsets + 1, 3) change across each offset, either way: (.., offsets).

    On a narrow border the colour just inside an edge is hardly seen; then any change must do.
    """
    half = max(1, round(1.0 / step))
    padded = np.pad(lab, ((0, 0), (0, 0), (half - 1, half - 1), (0, 0)), mode="edge")
    return np.asarray(np.linalg.norm(padded[:, :, 2 * half :] - padded[:, :, : -2 * half], axis=3), np.float32)


def _best_lines(
    rise: Singles, least: Singles, offsets: Singles, along: Singles, slack: float = 1.0
) -> tuple[Singles, Singles, Singles]:
    """The line along each side on which most of the rise lies, its support and strength; see `_settle`."""
    centre, slope = _vote(np.minimum(rise, _FULL_RISE), offsets, -float(offsets[0]))
    return _settle(rise, least, offsets, along, centre, slope, slack)


def _vote(rise: Singles, offsets: Singles, reach_px: float) -> tuple[Singles, Singles]:
    """The straight line, as offset at the middle and half the difference of its ends (sides,), that most agree on."""
    sides, samples, n = rise.shape
    tilt = np.linspace(-1, 1, samples, dtype=np.float32)
    step = float(offsets[1] - offsets[0])
    blurred = rise.copy()
    blurred[:, :, 1:-1] = (rise[:, :, :-2] + 2 * rise[:, :, 1:-1] + rise[:, :, 2:]) / 4
    best = np.full(sides, -1.0, np.float32)
    centre, slope = np.zeros(sides, np.float32), np.zeros(sides, np.float32)
    nearness = 1 - 0.15 * np.abs(offsets) / reach_px
    for k in _SLOPES * 0.6 * reach_px:
        shift = np.rint(tilt * k / step).astype(int)
        index = np.arange(n)[None, :] + shift[:, None]
        inside = (index >= 0) & (index < n)
        picked = blurred[:, np.arange(samples)[:, None], np.clip(index, 0, n - 1)] * inside
        score = picked.mean(axis=1) * nearness
        top = score.argmax(axis=1)
        value = score[np.arange(sides), top]
        better = value > best
        best = np.where(better, value, best)
        centre = np.where(better, offsets[top], centre)
        slope = np.where(better, k, slope)
    return centre.astype(np.float32), slope.astype(np.float32)


def _settle(
    rise: Singles, least: Singles, offsets: Singles, along: Singles, centre: Singles, slope: Singles, slack: float
) -> tuple[Singles, Singles, Singles]:
    """Fit lines (sides, 2: offset at the middle, half the ends' difference), support and strength (sides,)."""
    tilt = (2 * along - 1).astype(np.float32)
    line = np.stack([centre, slope], axis=1)
    design = np.stack([np.ones_like(tilt), tilt], axis=1)
    seen = np.zeros(rise.shape[:2], bool)
    strongest = np.zeros(rise.shape[:2], np.float32)
    for window in (1.75 * slack, 1.25 * slack):
        expected = line[:, :1] + line[:, 1:] * tilt
        weight = rise * (np.abs(offsets - expected[:, :, None]) <= window)
        strongest = weight.max(axis=2)
        seen = strongest >= least[:, None]
        total = weight.sum(axis=2)
        position = (weight * offsets).sum(axis=2) / np.maximum(total, 1e-6)
        # A plain half plane of doubt keeps the fit solvable where next to nothing was seen.
        w = seen * np.minimum(strongest, _FULL_RISE) + 1e-3
        residual = np.abs(position - expected)
        w = w / (1 + (residual / 0.5) ** 2)
        normal = np.einsum("sm,mi,mj->sij", w, design, design) + 1e-4 * np.eye(2)
        right = np.einsum("sm,mi,sm->si", w, design, np.where(seen, position, expected))
        line = np.linalg.solve(normal, right[..., None])[..., 0]
    strength = (strongest * seen).sum(axis=1) / np.maximum(seen.sum(axis=1), 1) / least
    return line.astype(np.float32), seen.mean(axis=1).astype(np.float32), strength.astype(np.float32)
