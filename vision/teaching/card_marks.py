"""Describes a lesson's faces by marks: where on each card its three discs are, how large, and of which colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image, Singles
from vision.deck import ART_PX_PER_MM, CIRCLE, SIZES, Deck, Face, PrintedMark, load_deck, marked_face
from vision.errors import BadLessonError
from vision.render_face import bgr
from vision.teaching.faces import FaceGroup
from vision.teaching.lesson_cards import CardSize
from vision.teaching.names import CardName
from vision.teaching.taught_prints import face_ids

_MOSTLY, _ENOUGH = 0.7, 8  # share of the faces that show three discs; faces that are looked at
_RIM_MM = 1.2
_EVEN = 14.0  # in Lab: more between neighbours is an edge, and more between print and ground is a mark
_MOST_INK = 0.5  # of the card
_APART = 18.0  # in Lab: colours of one card
_CORE = 3  # px
_OFF, _ROUGH = 0.06, 1.3  # of a radius, and px: a disc's outline is nearer to its circle
_LEAST_OUTLINE = 12  # px
_COVERED = 0.85  # of the print: explained by the discs
_SEED = 5

_SAME_MM = 4.0  # between the middles of a mark on two sightings of one card
_ONE_SIZE = 0.08  # relative difference of marks of one size that are printed alike
_CORNER_SHARE = 0.056
_DARK = 90  # a grey level
_SAME = 16.0  # least difference of two colours of one deck, see `_by_hue`
_LIGHTNESS, _FULL, _BEYOND = 0.3, 40.0, 0.25
_CLEAR = _SAME / 2  # by which the second best colours of a card fit worse
_FEW = 0.03  # of the discs: fewer are no colour, but were seen in a bad light


@dataclass(frozen=True, eq=False)
class CardDiscs:
    """Three discs, the smallest first: `middles_mm` (3, 2) from the card's top left, `diameters_mm` (3,).

    `colours` (4, 3) are theirs and the ground's, BGR 0 to 255.
    """

    middles_mm: Floats
    diameters_mm: Floats
    colours: Floats

    @property
    def side(self) -> str:
        """Return the side of the deck that has this ground."""
        return "black" if self.colours[3].mean() < _DARK else "white"


def shows_marks(cards: Iterable[Image]) -> bool:
    """Return whether most cards (h, w, 3) uint8 BGR, of the first ones, show three discs and nothing else."""
    return float(np.mean([discs_on(card) is not None for card in islice(cards, _ENOUGH)])) >= _MOSTLY


def discs_on(card: Image) -> CardDiscs | None:
    """Return the discs on a card (h, w, 3) uint8 BGR under white light; None for a card that shows anything else."""
    lab = np.asarray(cv2.cvtColor(np.asarray(card / 255, np.float32), cv2.COLOR_BGR2LAB), np.float32)
    square = np.ones((_CORE, _CORE), np.uint8)
    inner = np.zeros(card.shape[:2], bool)
    rim = round(_RIM_MM * ART_PX_PER_MM)
    inner[rim:-rim, rim:-rim] = True
    even = inner & (cv2.morphologyEx(lab, cv2.MORPH_GRADIENT, square).max(axis=2) < _EVEN)
    if not even.any():
        return None
    ground = np.median(lab[even], axis=0)
    away = np.linalg.norm(lab - ground, axis=2)
    inks = even & (away > _EVEN)
    colours = _three_colours(lab[inks])
    if colours is None or inks[even].mean() > _MOST_INK:
        return None
    nearest = np.linalg.norm(lab[:, :, None] - colours, axis=3).argmin(axis=2)
    cores = [_largest(inks & (nearest == k)) for k in range(len(SIZES))]
    # A pixel at a rim is partly ground and may look like any colour: it belongs to the nearest mark, where it is more
    # ink than ground.
    gaps = np.stack([cv2.distanceTransform((~core).astype(np.uint8), cv2.DIST_L2, 3) for core in cores], axis=2)
    own = gaps.argmin(axis=2)
    half = np.linalg.norm(colours - ground, axis=1)[own] / 2
    ink = inner & (gaps.min(axis=2) < 2 * _CORE) & (away > half)
    masks = [ink & (own == k) for k in range(len(SIZES))]
    within, printed = np.zeros(int(inks.sum()), bool), np.argwhere(inks)[:, ::-1]
    discs = []
    for mask, core in zip(masks, cores, strict=True):
        disc = _disc(mask, inner & ~ink | mask)
        if disc is None:
            return None
        middle, radius = disc
        within |= np.linalg.norm(printed - middle, axis=1) < radius + 1
        discs.append((radius, (middle + 0.5) / ART_PX_PER_MM, np.median(card[core], axis=0)))
    if within.mean() < _COVERED:
        return None
    radii, middles, paints = zip(*sorted(discs, key=lambda disc: disc[0]), strict=True)
    paints = (*paints, np.median(card[even & ~inks], axis=0))
    return CardDiscs(np.array(middles), 2 * np.array(radii) / ART_PX_PER_MM, np.array(paints))


def _three_colours(lab: Singles) -> Floats | None:
    """Return the three colours (3, 3) of print (n, 3); None where there are no three that differ."""
    some = np.ascontiguousarray(lab[:: max(1, len(lab) // 4000)])
    if len(some) < _LEAST_OUTLINE:
        return None
    cv2.setRNGSeed(_SEED)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    labels = cv2.kmeans(some, 3, np.zeros((len(some), 1), np.int32), criteria, 6, cv2.KMEANS_PP_CENTERS)[1].ravel()
    colours = np.array([np.median(some[labels == k], axis=0) for k in range(3)], np.float64)
    apart = np.linalg.norm(colours - np.roll(colours, 1, axis=0), axis=1)
    return colours if apart.min() > _APART else None


def _largest(mask: Flags) -> Flags:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())) if len(stats) > 1 else mask


def _disc(mask: Flags, known: Flags) -> tuple[Floats, float] | None:
    """Return middle and radius in px of the disc that a mask shows, by its outline within what is `known`."""
    inside = cv2.erode(mask.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)))
    outline = mask & (inside == 0) & (cv2.erode(known.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)
    points = np.argwhere(outline)[:, ::-1].astype(np.float64)
    for _ in range(4):
        if len(points) < _LEAST_OUTLINE:
            return None
        # The circle that fits best (Kasa 1976).
        origin = points.mean(axis=0)
        x, y = (points - origin).T
        a, b, c = np.linalg.lstsq(np.column_stack([x, y, np.ones(len(x))]), x * x + y * y, rcond=None)[0]
        middle, radius = origin + (a / 2, b / 2), float(np.sqrt(max(c + (a * a + b * b) / 4, 1e-6)))
        off = np.abs(np.linalg.norm(points - middle, axis=1) - radius)
        spread = float(np.quantile(off, 0.9))
        points = points[off <= max(3 * float(np.median(off)), 1.0)]
    # An outline runs through the outermost pixels of a mask; the disc reaches half a pixel farther.
    return None if spread > max(_OFF * radius, _ROUGH) else (middle, radius + 0.5)


def deck_of_marks(name: str, size: CardSize, groups: Sequence[FaceGroup]) -> tuple[Deck, list[FaceGroup]]:
    """Return the deck of marks whose faces are groups of sightings, with the groups of its faces.

    Groups without three discs of certain colours are left out, and groups with the same discs are joined.

    Raises:
        BadLessonError: no group shows discs, there are too many colours, or a face has two names.
    """
    shown = [(discs, group) for group in groups if (discs := discs_on(group.picture())) is not None]
    background, palette = {}, {}
    made: list[tuple[FaceGroup, Face]] = []
    for side in sorted({discs.side for discs, _ in shown}):
        own = [one for one in shown if one[0].side == side]
        paints = np.array([discs.colours for discs, _ in own])
        names = _colours_of(paints[:, :3], side)
        background[side] = _hex(paints[:, 3])
        palette[side] = {one: _hex(paints[:, :3][names == one]) for one in sorted({*names.ravel().tolist()} - {""})}
        diameters = np.array([discs.diameters_mm for discs, _ in own])
        usual = np.median(diameters, axis=0)
        printed_alike = np.mean(np.abs(diameters / usual - 1) < _ONE_SIZE, axis=0) > 0.8
        diameters = np.where(printed_alike, usual, diameters)
        for (discs, group), colours, across in zip(own, names.tolist(), diameters, strict=True):
            if "" in colours:
                continue
            places = np.c_[discs.middles_mm, across].round(2).tolist()
            marks = zip(SIZES, colours, places, strict=True)
            face = marked_face(
                "", side, tuple(PrintedMark(of, colour, CIRCLE, x, y, wide, 0.0) for of, colour, (x, y, wide) in marks)
            )
            same = next((other for other, known in made if _have_same_marks(known, face, size.mm)), None)
            if same is None:
                made.append((group, face))
            else:
                same.sightings += group.sightings
                same.name = _one_name(same.name, group.name)
    if not made:
        raise BadLessonError(
            "error.lesson.no_card_in_these_pictures",
            "no card in these pictures shows three discs of three colours and sizes",
        )
    made.sort(key=lambda one: one[0].first_at)
    groups = [group for group, _ in made]
    faces = tuple(replace(face, id=named) for named, (_, face) in zip(face_ids(groups), made, strict=True))
    radius = round(min(size.mm) * _CORNER_SHARE, 1)
    return Deck(name, size.mm, faces, "confetti", radius, background=background, palette=palette), groups


def _have_same_marks(one: Face, other: Face, card_mm: tuple[float, float]) -> bool:
    at, there = (np.array([(mark.x_mm, mark.y_mm) for mark in face.marks]) for face in (one, other))
    off = min(float(np.linalg.norm(at - turned, axis=1).max()) for turned in (there, card_mm - there))
    return (one.side, one.attributes) == (other.side, other.attributes) and off < _SAME_MM


def _one_name(one: CardName | None, other: CardName | None) -> CardName | None:
    if one is not None and other is not None and one.face != other.face:
        raise BadLessonError(
            "error.lesson.are_two_names_for_cards",
            "{list} are two names for cards with the same marks",
            list=" and ".join(sorted([one.face, other.face])),
        )
    return one or other


def _hex(seen: Floats) -> str:
    """Return the median of colours (n, 3), BGR 0 to 255, as `#rrggbb`."""
    blue, green, red = np.rint(np.median(seen, axis=0)).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def _colours_of(paints: Floats, side: str) -> NDArray[np.str_]:
    """Return the names (n, 3) of the colours of cards' discs, in BGR (n, 3, 3); "" for a card that is in doubt.

    Raises:
        BadLessonError: they have more colours than Confetti.
    """
    seen = _by_hue(paints.reshape(-1, 3))
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    like = (apart < _SAME / 2).sum(axis=1)
    starts: list[int] = []
    for k in np.argsort(-like, kind="stable").tolist():
        if like[k] > max(1, round(_FEW * len(seen))) * bool(starts) and (apart[k, starts] > _SAME).all():
            starts.append(k)
    palette = load_deck("confetti").palette[side]
    names = sorted(palette)
    if len(starts) < len(SIZES):
        return np.full(paints.shape[:2], "")
    if len(starts) > len(names):
        raise BadLessonError(
            "error.lesson.these_cards_have_marks_of",
            "these cards have marks of more than {number} colours: Confetti has {list}",
            number=len(names),
            list=", ".join(names),
        )
    # The names suit the colours best as a whole: one edition's violet is another's purple.
    known = _by_hue(np.array([bgr(palette[name]) for name in names]))
    gaps = np.linalg.norm(seen[starts, None] - known[None], axis=2)
    best = min(permutations(range(len(names)), len(starts)), key=lambda order: gaps[range(len(starts)), order].sum())
    # A card has three different colours: so glare on one disc does not change its name.
    ways = np.array(list(permutations(range(len(starts)), len(SIZES))))
    off = apart[:, starts].reshape(-1, len(SIZES), len(starts))[:, range(len(SIZES)), ways].sum(axis=2)
    found = np.array([names[n] for n in best])[ways[off.argmin(axis=1)]]
    first, second = np.partition(off, 1, axis=1)[:, :2].T
    found[second - first < _CLEAR] = ""
    return np.asarray(found)


def _by_hue(paints: Floats) -> Floats:
    """Return paints (n, 3), BGR 0 to 255, in Lab with hue counting most: a lamp hardly changes an ink's hue."""
    lab = cv2.cvtColor(np.asarray(paints[None] / 255, np.float32), cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    chroma = np.linalg.norm(lab[:, 1:], axis=1, keepdims=True)
    counted = np.where(chroma > _FULL, _FULL + _BEYOND * (chroma - _FULL), chroma)
    return np.concatenate([lab[:, :1] * _LIGHTNESS, lab[:, 1:] * counted / np.maximum(chroma, 1e-6)], axis=1)
