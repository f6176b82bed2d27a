"""Finds marks of unread cards beside read cards: each shows a card under a read one, which a score must not ignore."""

from __future__ import annotations

import numpy as np

from vision.arrays import Floats
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler
from vision.quads import distance_to_quads, distances, within_quads

_BESIDE_MM = 22.0  # how far from a read card a mark may be visible
_CLEAR_MM = 2.0  # a mark nearer to a read card's edge may be that card's own shadow or rim
_ONE_CARD_MM = 55.0
_MARKS = 3  # on a card
_LEAST_AREA_MM2, _LEAST_FULLNESS = 30.0, 0.7
_LEAST_OPEN = 0.25  # of the ring round a mark: at least so much is beside the read cards
_RING_MM, _RING = 1.8, 16  # ring round a mark, and its sample points
_SAME, _DIM = 0.12, 30.0  # of the card's level; levels of a dark picture's noise
_INSET = 0.93  # of a card, where its ground is sampled


def peeking_marks(sampler: Sampler, marks: Marks, cards_mm: Floats) -> list[Floats]:
    """Return places (2,) in mm of `marks` on a card's ground beside the read cards (n, 4, 2), one a card.

    Farther away, three marks as near to one another as on a card belong to a face that the deck does not have.
    """
    large = (marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS)
    if not len(cards_mm) or not large.any():
        return []
    centres, radii = marks.centres_mm[large], np.sqrt(marks.areas_mm2[large] / np.pi)
    apart = distance_to_quads(centres, cards_mm)
    card_mm = float(np.linalg.norm(cards_mm[0, 2] - cards_mm[0, 0]))
    near = (distances(centres, centres) < card_mm) & (apart.min(1) > _CLEAR_MM)
    beside = apart.min(1) < _BESIDE_MM
    on_card = np.array(
        [
            bool(off.min() > _CLEAR_MM and (is_beside or group.sum() >= _MARKS))
            and _is_on_ground(sampler, centre, radius, cards_mm[off.argmin()], cards_mm, marks.ground)
            for centre, radius, off, is_beside, group in zip(centres, radii, apart, beside, near, strict=True)
        ]
    )
    found: list[Floats] = []
    for centre in centres[on_card & (beside | ((near & on_card).sum(1) >= _MARKS))]:
        if all(np.linalg.norm(other - centre) >= _ONE_CARD_MM for other in found):
            found.append(centre)
    return found


def _is_on_ground(sampler: Sampler, centre: Floats, radius: float, card: Floats, cards_mm: Floats, ground: str) -> bool:
    """Return whether the ground round a mark is as light as the rim of the card (4, 2) beside it."""
    rim = np.median(sampler.levels(card.mean(0) + _INSET * (card - card.mean(0)))[0].astype(np.float64), axis=0)
    angle = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
    ring = centre + (radius + _RING_MM) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring = ring[~within_quads(ring, cards_mm)]
    if len(ring) < _LEAST_OPEN * _RING:
        return False
    off = np.abs(sampler.levels(ring)[0].astype(np.float64) - rim).max(1)
    return bool((off < _SAME * (rim.max() + _DIM if ground == "white" else 255.0)).mean() > 0.5)
