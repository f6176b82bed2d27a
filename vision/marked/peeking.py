"""Marks that peek out beside a card that was read: another card lies under it, and no score should ignore that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler
from vision.marked.table_pattern import TablePattern
from vision.quads import distance_to_quads, distances, within_quads

_BESIDE_MM = 22.0  # how far from a read card a mark may peek out
_CLEAR_MM = 2.0  # marks nearer to a read card's edge may be that card's own shadow or rim
_ONE_CARD_MM = 55.0
_MARKS = 3  # on a card
_LEAST_AREA_MM2 = 30.0
_LEAST_FULLNESS = 0.7
_CROSS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
_LEAST_OPEN = 0.25  # of the places round a mark must lie beside the known cards


@dataclass(frozen=True, eq=False)
class Print:
    """A mark that no card explains: its place (2,) and area on the table, and the side of a card it would lie on."""

    centre_mm: Floats
    area_mm2: float
    side: str


@dataclass(frozen=True, eq=False)
class Hint:
    """A card of which a piece shows: a place (2,) on it in mm, and the side that lies up."""

    centre_mm: Floats
    side: str


def unexplained_prints(marks: Marks, plain: NDArray[np.intp], cards_mm: Floats) -> list[Print]:
    """Give the marks that lie on none of the cards (n, 4, 2), of those `plain` (m,) that stand out as print does."""
    chosen = plain[(marks.areas_mm2[plain] > _LEAST_AREA_MM2) & (marks.fullness[plain] > _LEAST_FULLNESS)]
    chosen = chosen[~within_quads(marks.centres_mm[chosen], cards_mm)]
    return [Print(marks.centres_mm[k], float(marks.areas_mm2[k]), marks.ground) for k in chosen]


def peeking_cards(sampler: Sampler, prints: Sequence[Print], cards_mm: Floats, pattern: TablePattern) -> list[Hint]:
    """Give the places where a mark or a part of one lies on a card's ground, beside the known cards (n, 4, 2).

    Farther away three marks that lie as near to one another as on a card, all on such ground, show a card that the deck
    does not have: nobody taught it, or it is another deck's. What lies all over the table, in its `pattern`, is none.
    """
    if not len(cards_mm) or not prints:
        return []
    centres = np.array([mark.centre_mm for mark in prints])
    distance = distance_to_quads(centres, cards_mm).min(1)
    beside = (distance > _CLEAR_MM) & (distance < _BESIDE_MM)
    length = float(np.linalg.norm(cards_mm[0, 2] - cards_mm[0, 0]))
    near = (distances(centres, centres) < length) & (distance > _CLEAR_MM)
    looked_at = beside | (near.sum(1) >= _MARKS)
    on_card = np.array(
        [
            bool(look) and _on_same_ground(sampler, mark, cards_mm) and not _is_pattern(mark, pattern)
            for mark, look in zip(prints, looked_at, strict=True)
        ]
    )
    shown = on_card & (beside | ((near & on_card).sum(1) >= _MARKS))
    return [Hint(mark.centre_mm, mark.side) for mark, is_shown in zip(prints, shown, strict=True) if is_shown]


def _is_pattern(mark: Print, pattern: TablePattern) -> bool:
    places = mark.centre_mm + 0.5 * np.sqrt(mark.area_mm2 / np.pi) * _CROSS
    return pattern.holds(places, mark.area_mm2, dark=mark.side == "white")


def _on_same_ground(sampler: Sampler, mark: Print, cards_mm: Floats) -> bool:
    """Whether the ground round a mark is as light as the nearest known card's rim, and not the table's.

    What a known card shows there says nothing of another: between two cards the table is dark on a light ground, too.
    """
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    quad = cards_mm[np.argmin(distance_to_quads(mark.centre_mm[None], cards_mm)[0])]
    inner = quad.mean(0) + 0.93 * (quad - quad.mean(0))
    rim = np.median(sampler.levels(inner)[0].astype(np.float64), axis=0)
    ring = mark.centre_mm + (np.sqrt(mark.area_mm2 / np.pi) + 1.8) * circle
    ring = ring[~within_quads(ring, cards_mm)]
    if len(ring) < _LEAST_OPEN * len(circle):
        return False
    around = sampler.levels(ring)[0].astype(np.float64)
    off = np.abs(around - rim).max(1) / (rim.max() + 30.0 if mark.side == "white" else 255.0)
    return bool((off < 0.12).mean() > 0.5)


def one_a_card(hints: Sequence[Hint]) -> list[Hint]:
    """Take hints of one side that are near each other for one card: the first of each such group."""
    firsts: list[Hint] = []
    for hint in hints:
        alike = (first for first in firsts if first.side == hint.side)
        if all(np.linalg.norm(first.centre_mm - hint.centre_mm) >= _ONE_CARD_MM for first in alike):
            firsts.append(hint)
    return firsts
