"""Marks that peek out beside a card that was read: another card lies under it, and no score should ignore that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.evidence import Sampler
from vision.marks import Marks
from vision.quads import distance_to_quads, within_quads

Floats = NDArray[np.float64]

_BESIDE_MM = 22.0  # how far from a read card a mark may peek out
_CLEAR_MM = 2.0  # marks nearer to a read card's edge may be that card's own shadow or rim
_ONE_CARD_MM = 55.0
_LEAST_AREA_MM2 = 30.0
_LEAST_FULLNESS = 0.7


@dataclass(frozen=True, eq=False)
class Print:
    """A mark that no card explains: its place (2,) and area on the table, and the side of a card it would lie on."""

    centre_mm: Floats
    area_mm2: float
    side: str


def peeking_cards(sampler: Sampler, marks: Marks, plain: NDArray[np.intp], cards_mm: Floats) -> Floats:
    """(k, 2) places in mm where a mark or a part of one lies on a card's ground, beside the known cards (n, 4, 2).

    `plain` (m,): the marks that stand out as print does.
    """
    chosen = _unexplained(marks, plain, cards_mm)
    if not len(cards_mm) or not len(chosen):
        return np.zeros((0, 2))
    distance = distance_to_quads(marks.centres_mm[chosen], cards_mm).min(1)
    chosen = chosen[(distance > _CLEAR_MM) & (distance < _BESIDE_MM)]
    same_ground = _on_same_ground(sampler, marks.centres_mm[chosen], marks.areas_mm2[chosen], cards_mm, marks.ground)
    return np.asarray(marks.centres_mm[chosen[same_ground]])


def unexplained_prints(marks: Marks, plain: NDArray[np.intp], cards_mm: Floats) -> list[Print]:
    """Give the marks that stand out as print does and lie on none of the cards (n, 4, 2)."""
    chosen = _unexplained(marks, plain, cards_mm)
    return [Print(marks.centres_mm[k], float(marks.areas_mm2[k]), marks.ground) for k in chosen]


def _unexplained(marks: Marks, plain: NDArray[np.intp], cards_mm: Floats) -> NDArray[np.intp]:
    chosen = plain[(marks.areas_mm2[plain] > _LEAST_AREA_MM2) & (marks.fullness[plain] > _LEAST_FULLNESS)]
    return np.asarray(chosen[~within_quads(marks.centres_mm[chosen], cards_mm)])


def _on_same_ground(
    sampler: Sampler, centres_mm: Floats, areas_mm2: Floats, cards_mm: Floats, side: str
) -> NDArray[np.bool_]:
    """Whether the ground round each mark is as light as the nearest known card's rim, and not the table's."""
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    good = np.zeros(len(centres_mm), dtype=bool)
    for k, (centre, area) in enumerate(zip(centres_mm, areas_mm2, strict=True)):
        quad = cards_mm[np.argmin(distance_to_quads(centre[None], cards_mm)[0])]
        inner = quad.mean(0) + 0.93 * (quad - quad.mean(0))
        rim = np.median(sampler.levels(inner)[0].astype(np.float64), axis=0)
        around = sampler.levels(centre + (np.sqrt(area / np.pi) + 1.8) * circle)[0].astype(np.float64)
        off = np.abs(around - rim).max(1) / (rim.max() + 30.0 if side == "white" else 255.0)
        good[k] = (off < 0.12).mean() > 0.5
    return good


def one_a_card(places: Floats) -> Floats:
    """(k, 2) places, in mm, of which those near each other are taken for one card: the first of each such group."""
    firsts: list[Floats] = []
    for place in places:
        if all(np.linalg.norm(first - place) >= _ONE_CARD_MM for first in firsts):
            firsts.append(place)
    return np.array(firsts).reshape(-1, 2)
