"""Groups sightings of cards by their face, and makes one picture of each face.

Two clowns that differ by a hat are alike nearly everywhere; two sightings of one clown differ a little everywhere, by
noise, light and an outline that is off by a pixel. So light is fitted and removed, a shift by a pixel is ignored, and
the worst small window counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.channels import largest
from vision.teaching.names import CardName

SAME = 0.16
"""Difference of the worst window up to which two sightings show one face."""
_LOOKED_AT = 4  # faces that are compared closely with a sighting
_FAR = 0.15  # difference of small sheets of two faces: of 351 pairs of one face none had more than 0.10
_MOST_AVERAGED = 12
_SMALL = 24  # px
_WINDOW = 9  # px of art, 4.5 mm
_RIM = 5  # px in which the table may be visible
_MOST_LIGHT, _MOST_TINT = 1.6, 1.12  # both cards are under white light: a larger factor is print
_GIVE_UP = 0.05  # of a side: largest error of a detected outline
_SQUARE = 0.03


@dataclass(frozen=True, eq=False)
class Sighting:
    """A card in a picture of the lesson: `card` (h, w, 3) levels 0 to 1 under white light, rectified."""

    picture: int
    place: int
    card: Singles


@dataclass(eq=False)
class FaceGroup:
    """Sightings of one face, perhaps with its name.

    `cards` are aligned with the first one; `off` is each one's difference from it.
    """

    sightings: list[Sighting]
    cards: list[Singles]
    name: CardName | None = None
    off: list[float] = field(default_factory=list)

    @property
    def first(self) -> Singles:
        """Return the card with which the others are aligned."""
        return self.cards[0]

    @property
    def first_at(self) -> tuple[int, int]:
        """Return picture and place of the first sighting in the order of the lesson."""
        return min((sighting.picture, sighting.place) for sighting in self.sightings)

    def add(self, sighting: Sighting, card: Singles, off: float) -> None:
        """Add a sighting; `card` is its picture, aligned with the first."""
        self.sightings.append(sighting)
        self.off.append(off)
        if len(self.cards) < _MOST_AVERAGED:
            self.cards.append(card)

    def picture(self) -> Image:
        """Return one picture of the face, (h, w, 3) uint8 BGR, without noise and glare of single sightings."""
        # Of two values the one without glare is right, and glare is bright: so the lower median.
        return levels(np.sort(np.stack(self.cards), axis=0)[(len(self.cards) - 1) // 2])


def joined(sightings: Sequence[Sighting], turns: tuple[int, ...], name: CardName | None = None) -> FaceGroup:
    """Return the group of sightings that show one face, by a person's word."""
    group = FaceGroup(list(sightings[:1]), [sightings[0].card], name)
    for sighting in sightings[1:]:
        card = aligned(group.first, sighting.card, turns)
        group.add(sighting, card, difference(group.first, card))
    return group


def grouped(
    sightings: Sequence[Sighting],
    turns: tuple[int, ...],
    known: Sequence[FaceGroup] = (),
    *,
    skip_doubtful: bool = False,
) -> list[FaceGroup]:
    """Return the faces of all sightings, after the known ones, in the order of their first sighting.

    skip_doubtful: leave out a sighting that may show either of two known faces.
    """
    groups = list(known)
    sheets = [small(group.first) for group in groups]
    for sighting in sightings:
        sheet = small(sighting.card)
        near = sorted((*best_turn(other, sheet, turns), k) for k, other in enumerate(sheets))[:_LOOKED_AT]
        looks = []
        for _, turn, k in (one for one in near if one[0] < _FAR):
            card = aligned(groups[k].first, sighting.card, (turn,))
            looks.append((difference(groups[k].first, card), k, card))
        off, k, card = min(looks, key=lambda look: look[0], default=(1.0, -1, sighting.card))
        if skip_doubtful and sum(off < SAME and k < len(known) for off, k, _ in looks) > 1:
            continue
        if off < SAME:
            groups[k].add(sighting, card, off)
        else:
            groups.append(joined([sighting], turns))
            sheets.append(sheet)
    return groups


def turns_of(card_mm: tuple[float, float]) -> tuple[int, ...]:
    """Return the quarter turns of a card that keep its outline."""
    return (0, 1, 2, 3) if abs(card_mm[0] / card_mm[1] - 1) < _SQUARE else (0, 2)


def singles(card: Image) -> Singles:
    """Return levels from 0 to 1 of levels from 0 to 255."""
    return np.asarray(card, np.float32) / np.float32(255)


def levels(card: Singles) -> Image:
    """Return levels from 0 to 255 of levels from 0 to 1."""
    return np.asarray(np.clip(np.rint(card * 255), 0, 255), np.uint8)


def small(card: Singles) -> Singles:
    """Return a card (h, w, 3) as a small sheet for fast comparison."""
    return np.asarray(cv2.resize(card, (_SMALL, _SMALL), interpolation=cv2.INTER_AREA), np.float32)


def best_turn(one: Singles, other: Singles, turns: tuple[int, ...]) -> tuple[float, int]:
    """Return the difference of two small sheets, apart from brightness, and the best quarter turn of the other."""
    gain = np.clip((one.mean() + 1e-6) / (other.mean() + 1e-6), 1 / _MOST_LIGHT, _MOST_LIGHT)
    return min((float(np.sqrt(np.mean((one - gain * np.rot90(other, turn)) ** 2))), turn) for turn in turns)


def aligned(one: Singles, other: Singles, turns: tuple[int, ...]) -> Singles:
    """Return the other card in its best turn, aligned with the one and under its light, (h, w, 3)."""
    turn = turns[0] if len(turns) == 1 else best_turn(small(one), small(other), turns)[1]
    turned = np.ascontiguousarray(np.rot90(other, turn))
    if turned.shape != one.shape:
        turned = np.asarray(cv2.resize(turned, (one.shape[1], one.shape[0])), np.float32)
    card = _brought_onto(one, turned)
    # Light changes slowly, so its levels over a third of the card are compared.
    here, there = (cv2.GaussianBlur(small(sheet), (0, 0), _SMALL / 3) + 1e-3 for sheet in (one, card))
    tint = here.mean(axis=(0, 1)) / there.mean(axis=(0, 1))
    tint = np.clip(tint / tint.mean(), 1 / _MOST_TINT, _MOST_TINT)
    light = np.clip(here.mean(axis=2) / there.mean(axis=2), 1 / _MOST_LIGHT, _MOST_LIGHT)
    return np.asarray(card * cv2.resize(light, (one.shape[1], one.shape[0]))[..., None] * tint, np.float32)


def difference(one: Singles, other: Singles) -> float:
    """Return the difference of two aligned cards in the worst window, 0 to 1."""
    one, other = (np.asarray(cv2.GaussianBlur(np.clip(c, 0, 1), (3, 3), 0), np.float32) for c in (one, other))
    kernel = np.ones((3, 3), np.uint8)
    beyond = np.maximum(one - cv2.dilate(other, kernel), cv2.erode(other, kernel) - one)
    back = np.maximum(other - cv2.dilate(one, kernel), cv2.erode(one, kernel) - other)
    off = largest(np.maximum(np.maximum(beyond, back), 0))
    about = cv2.boxFilter(off, -1, (_WINDOW, _WINDOW), borderType=cv2.BORDER_REFLECT)
    return float(np.max(about[_RIM:-_RIM, _RIM:-_RIM]))


def _brought_onto(template: Singles, card: Singles) -> Singles:
    """Return a card aligned with a template, both (h, w, 3): outlines are off by a pixel or two.

    Enhanced correlation (Evangelidis and Psarakis 2008), affine; where that fails, the card itself.
    """
    height, width = template.shape[:2]
    warp = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-3)
    try:
        _, found = cv2.findTransformECC(_grey(template), _grey(card), warp, cv2.MOTION_AFFINE, criteria)
    except cv2.error:
        return card
    found = np.asarray(found, np.float32)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = corners @ found[:, :2].T + found[:, 2]
    if not np.isfinite(found).all() or np.abs(moved - corners).max() > _GIVE_UP * max(width, height):
        return card
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    on = cv2.warpAffine(card, found, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(on, np.float32)


def _grey(card: Singles) -> Singles:
    return np.asarray(cv2.cvtColor(np.clip(card, 0, 1), cv2.COLOR_BGR2GRAY), np.float32)
