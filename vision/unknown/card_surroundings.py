"""Cards about what is printed on them: edges that lie at the same place beside most of the things found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import SideFit
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import Poses, poses_of, profiles_beside, sides_of
from vision.unknown.card_sizes import at_another
from vision.unknown.edge_ends import end_at_corners, faint_run_on
from vision.unknown.line_segments import meet_sides
from vision.unknown.paper import darker_all_round

Floats = NDArray[np.floating]

_FEWEST, _MOST = 3, 16
_FAR = 1.0  # beyond a side, by the longer one
_INWARD_PX = 8.0
_WIDE = (3, 7)  # places on either side of an edge over which the light is averaged: borders may be narrow
_CLIP = 3.0  # times the usual: one thing nearby must not outweigh all others
_LEAST_SPREAD = 0.2  # weighted lightness
_NORMAL = 1.48  # of the median distance from 0
_SURE = 3.3  # times what chance does
_AS_SURE = 0.5  # as the surest place beyond the same side
_TOP = 0.85  # of a peak: it counts as one place as far down
_KNOWN = 0.6  # of the things found
_NEAREST_PX, _AGAIN_PX = 2.0, 3.5
_HALO_PX = 6.0  # no farther beyond an edge a camera's sharpening brightens a table
_TRIED = 3  # places a side
_ROUNDS = 3
_ASPECT = (1.18, 2.0)
_MOST_LARGER = 4.0  # in area
_MOSTLY = 0.7  # of the things found
_AS_GOOD = 0.9  # as the best
_ALIKE = 0.7  # correlation of what is beside one thing and the others


@dataclass(frozen=True, eq=False)
class _Beside:
    """By how much the light falls outward beside the sides of n things.

    `offsets` (k,) outward in the plane's units; `times` (w, n, 4, k) the usual, for each width of averaging; `known`
    (n, 4, k) where nothing else lies; `turned` (n,) which things were turned by half to look like the others.
    """

    offsets: Floats
    times: Floats
    known: NDArray[np.bool_]
    turned: NDArray[np.bool_]

    def sure(self) -> Floats:
        """How many times what chance would do is seen of all things together, for each width: (w, 4, k)."""
        count = self.known.sum(axis=0)
        total = (self.times * self.known).sum(axis=1) / np.sqrt(np.maximum(count, 1))
        return np.asarray(np.where(count >= _KNOWN * len(self.known), total, 0))

    def alike(self, ends: Floats) -> NDArray[np.bool_]:
        """Which things (n,) have beside them what the others have, as far as `ends` (4,)."""
        near = (self.offsets > 0) & (self.offsets < np.asarray(ends)[:, None] + _AGAIN_PX)
        times = np.where(self.known & near, self.times[-1], 0)
        rest = times.sum(axis=0) - times
        size = np.linalg.norm(times, axis=(1, 2)) * np.linalg.norm(rest, axis=(1, 2))
        return np.asarray((times * rest).sum(axis=(1, 2)) > _ALIKE * size)


def cards_about(image_lab: NDArray[np.uint8], plane: CardPlane, fit: SideFit) -> tuple[CardPlane, NDArray[np.float32]]:
    """The plane with the size of cards that the things found are printed on, and the cards' corners (m, 4, 2).

    `image_lab` is (h, w, 3) 8-bit Lab. None are given unless paper, brighter than the table, ends at the same place
    beyond each of the four sides: grain, shadows and neighbours lie otherwise beside each thing, so that all together
    show edges far fainter than one alone could. Some things may lie the other way up.
    """
    nothing = plane, np.zeros((0, 4, 2), np.float32)
    if len(fit.quads) < _FEWEST or np.median(darker_all_round(fit.beyond, fit.inside)):
        return nothing
    poses = poses_of(plane, fit.quads[:_MOST])
    beside = _look(image_lab, plane, poses, _FAR * plane.size[1])
    places = [_places(beside.offsets, side) for side in beside.sure().max(axis=0)]
    found = []
    for ends in (np.array(ends) for ends in product(*places)):
        short, long, larger = _size(plane, ends)
        card_like = _ASPECT[0] < long / short < _ASPECT[1] and larger < _MOST_LARGER
        if card_like and np.minimum(ends[:2], ends[2:]).max() > _HALO_PX:
            whole, quads, sure = _verified(image_lab, *_grown(plane, poses, ends, beside.turned))
            alike = beside.alike(ends)
            if sure and alike.mean() > _MOSTLY:
                found.append((larger, sure, whole, quads[alike]))
    if not found:
        return nothing
    # What is printed beside a picture may end as plainly as the card, but nearer.
    least = _AS_GOOD * max(sure for _, sure, _, _ in found)
    _, _, whole, quads = max((each for each in found if each[1] > least), key=lambda each: each[0])
    return whole, quads


def _size(plane: CardPlane, ends: Floats) -> tuple[float, float, float]:
    """The shorter and the longer side of things grown by `ends` (4,), and how many times larger they are."""
    top, right, bottom, left = ends.tolist()
    short, long = sorted((plane.size[0] + left + right, plane.size[1] + top + bottom))
    return short, long, short * long / (plane.size[0] * plane.size[1])


def _verified(
    image_lab: NDArray[np.uint8], plane: CardPlane, quads: NDArray[np.float32]
) -> tuple[CardPlane, NDArray[np.float32], float]:
    """Cards (n, 4, 2) moved to where all of their sides together show that paper ends, and how surely: 0 for not.

    All along the sides of cards more is seen than beside the print on them; and edges end at a card's corners.
    """
    goes_on = faint_run_on(image_lab, quads)
    if not np.median(end_at_corners(quads, goes_on, goes_on)):
        return plane, quads, 0.0
    poses = poses_of(plane, quads)
    beside = _look(image_lab, plane, poses, 3 * _INWARD_PX)
    near = np.where(np.abs(beside.offsets) <= _AGAIN_PX, beside.sure(), 0)
    if near.max(axis=(0, 2)).min() < _SURE:
        return plane, quads, 0.0
    # Narrow means tell best where an edge lies, if they see it at all.
    ends = [narrow if narrow.max() > _SURE else wide for narrow, wide in zip(*near, strict=True)]
    moves = np.array([_middle(beside.offsets, side, int(side.argmax())) for side in ends])
    return *_grown(plane, poses, moves, beside.turned), float(near.max(axis=(0, 2)).sum())


def _look(image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, outward: float) -> _Beside:
    """What is beside things, as far as `outward` in the plane's units."""
    offsets, colours = profiles_beside(image_lab, plane, poses, _INWARD_PX, outward)
    known = ~at_another(plane, poses, offsets)
    times = []
    for wide in _WIDE:
        drop = _drop(colours[..., 0], wide)
        spread = _NORMAL * np.median(np.abs(drop), axis=2, keepdims=True)
        times.append(np.clip(drop / np.maximum(spread, _LEAST_SPREAD), -_CLIP, _CLIP))
    turned = _other_way_up(np.where(known, times[-1], 0))
    upright = [np.where(turned[:, None, None], np.roll(each, 2, axis=1), each) for each in (known, *times)]
    return _Beside(offsets, np.stack(upright[1:]), upright[0], turned)


def _drop(light: Floats, wide: int) -> Floats:
    """By how much the light (n, 4, k) falls at each place, as means over so many places on either side of it tell."""
    mean = cv2.blur(light.reshape(-1, light.shape[2]), (wide, 1), borderType=cv2.BORDER_REPLICATE).reshape(light.shape)
    half = wide // 2 + 1
    drop = np.zeros_like(light)
    drop[..., half:-half] = mean[..., : -2 * half] - mean[..., 2 * half :]
    # The light of a lamp falls off evenly.
    return np.asarray(drop - np.median(drop, axis=2, keepdims=True))


def _other_way_up(times: Floats) -> NDArray[np.bool_]:
    """Which of the things (n,) look more like the others if turned by half, from what is beside them (n, 4, k)."""
    turned = np.zeros(len(times), bool)
    around = np.roll(times, 2, axis=1)
    for _ in range(_ROUNDS):
        for k in range(len(times)):
            rest = np.where(turned[:, None, None], around, times).sum(axis=0)
            rest = rest - (around[k] if turned[k] else times[k])
            turned[k] = (around[k] * rest).sum() > (times[k] * rest).sum()
    return turned


def _places(offsets: Floats, sure: Floats) -> list[float]:
    """The outermost places (k,) where paper may end."""
    padded = np.pad(sure, _WIDE[-1])
    highest = np.max([padded[k : k + len(sure)] for k in range(2 * _WIDE[-1] + 1)], axis=0)
    least = max(_SURE, _AS_SURE * float(sure.max()))
    found: list[float] = []
    for at in np.flatnonzero((sure >= highest) & (sure > least) & (offsets > _NEAREST_PX))[::-1].tolist():
        place = _middle(offsets, sure, at)
        if place > _NEAREST_PX and not any(abs(place - other) < _AGAIN_PX for other in found):
            found.append(place)
    return found[:_TRIED]


def _middle(offsets: Floats, sure: Floats, at: int) -> float:
    """The middle of the peak of `sure` (k,) about place `at`."""
    low = high = at
    while low > 0 and sure[low - 1] > _TOP * sure[at]:
        low -= 1
    while high < len(sure) - 1 and sure[high + 1] > _TOP * sure[at]:
        high += 1
    return float(np.average(offsets[low : high + 1], weights=sure[low : high + 1]))


def _grown(
    plane: CardPlane, poses: Poses, ends: Floats, turned: NDArray[np.bool_]
) -> tuple[CardPlane, NDArray[np.float32]]:
    """The plane and quadrilaterals (n, 4, 2) with the sides moved by `ends` (4,), by those opposite if `turned`."""
    normal, along, half, middle = sides_of(plane, poses)
    moved = middle + normal * np.where(turned[:, None], np.roll(ends, 2), ends)[..., None]
    points = moved[:, :, None] + along[:, :, None] * (half[:, None] * np.array([-1, 1]))[None, :, :, None]
    quads = meet_sides(np.asarray(plane.to_picture(points), np.float32), poses.quads(plane), np.inf)
    short, long, _ = _size(plane, ends)
    return plane.resized(short, long), quads
