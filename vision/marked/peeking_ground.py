"""Ground of a card that peeks out beside the cards that were told: a card of which no mark may be in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.marked.marks import WorkImage
from vision.marked.peeking import Hint, Print
from vision.marked.table_pattern import TablePattern, filled
from vision.quads import distance_to_quads, distances
from vision.table import Table

_REACH_MM = 100.0  # beyond the card that hides it
_NEAR_MM = 3.5  # nearer than this, ground may be the hiding card's own rim
_THIN_MM = 3.5  # narrower strips are shadows' and blurred edges' as often as cards'
_LEAST_AREA_MM2 = 60.0
_SLACK_MM = 4.0
_LEAST_TOUCH_MM2 = 7.0
_LEAST_EDGE = 0.25  # of the outline that no known card makes: skin and grain have no line so long
_LINE_MM = 1.0
_ANGLES = np.radians(np.arange(0.0, 180.0, 3.0))
_ASIDE_MM = 2.5
_LEAST_STEPS = 0.6
_LEAST_LONE_EDGE_MM = 24.0  # no cup's or sandtimer's rim is straight for so long
_RING = 24
_RING_MM = 1.8
_RIM_MM, _BESIDE_MM = 3.0, 5.0  # within a card's edge, and outside
_PER_SIDE = 16
_LEAST_BESIDE = 2


@dataclass(frozen=True)
class _Likeness:
    """How like the ground of the card above the ground of a card is, and how unlike it what lies beyond its edge is.

    `share` of the level and `grey` levels are allowed. Beyond the edge, the difference must be over `step` of the level
    and `dark` levels: a table's colour differs so much, its grain and a shadow's soft edge less. The edge must be
    straight for `edge_mm`: a shadow has short straight edges as well.
    """

    share: float
    grey: float
    step: float
    dark: float
    edge_mm: float


LIKENESS = {"white": _Likeness(0.1, 4.0, 0.2, 30.0, 12.0), "black": _Likeness(0.0, 10.0, 0.4, 60.0, 30.0)}


@dataclass(frozen=True, eq=False)
class _Ground:
    """A card's ground as the picture shows it: `level` (3,) and how `uneven` (3,) it is, in grey levels."""

    side: str
    level: Floats
    uneven: Floats

    @property
    def slack(self) -> Floats:
        """(3,) grey levels by which another card's ground may differ."""
        likeness = LIKENESS[self.side]
        return np.asarray(np.maximum(likeness.share * self.level + likeness.grey, self.uneven))


@dataclass(frozen=True, eq=False)
class _Scene:
    """`levels` (h, w, 3): the smoothed work image; `known` (h, w): 255 on what is known, `known_mm` (n, 4, 2)."""

    work: WorkImage
    table: Table
    card_mm: tuple[float, float]
    levels: Image
    known: Image
    known_mm: Floats
    pattern: TablePattern

    def to_mm(self, points_work: Floats) -> Floats:
        return self.table.to_mm(self.work.to_picture(points_work))

    def at(self, image: Image, points_mm: Floats) -> Image:
        """What an image of the work scale shows at places on the table; at its border where they lie outside."""
        x, y = np.rint(self.work.to_work(self.table.to_px(points_mm))).astype(int).T
        return np.asarray(image[y.clip(0, image.shape[0] - 1), x.clip(0, image.shape[1] - 1)])


class _Window:
    """The part of a work image in which a card reaching out from `low` to `high` (2,), in work px, would lie."""

    def __init__(self, scene: _Scene, low: Floats, high: Floats, px_per_mm: float) -> None:
        height, width = scene.known.shape[:2]
        left, top = np.maximum(np.floor(low - _REACH_MM * px_per_mm), 0).astype(int)
        right, bottom = np.minimum(np.ceil(high + _REACH_MM * px_per_mm) + 1, (width, height)).astype(int)
        self.px_per_mm = px_per_mm
        self.origin = np.array([left, top], np.float64)
        self.shape = (max(0, bottom - top), max(0, right - left))
        self._where = (slice(top, bottom), slice(left, right))

    def of(self, image: Image) -> Image:
        """The window's part of an image."""
        return image[self._where]


def peeking_ground(
    work: WorkImage,
    table: Table,
    card_mm: tuple[float, float],
    cards_px: Floats,
    sides: Sequence[str],
    others_px: Floats,
    prints: Sequence[Print],
    pattern: TablePattern,
) -> list[Hint]:
    """Give places where a piece of a card shows that is none of the cards (n, 4, 2), whose `sides` these are.

    `others_px` (m, 4, 2): what else is known to lie there, doubtful cards and markers. `prints`: marks that no card
    explains. A piece lies beside a card, and has the ground of the nearest one of its side, or it bears a mark. It is
    no larger than a card, ends at a straight edge, and is none of a `pattern` of the table's. Where table and card are
    of one colour, none is found.
    """
    known_px = np.concatenate([cards_px, others_px])
    quads = work.to_work(known_px)
    known_mm = table.to_mm(known_px.reshape(-1, 2)).reshape(-1, 4, 2)
    levels = np.asarray(cv2.blur(work.bgr, (3, 3)), np.uint8)
    scene = _Scene(work, table, card_mm, levels, filled(levels.shape, quads), known_mm, pattern)
    marked = (hint for mark in prints for hint in _round_a_mark(scene, mark))
    return [*_beside_cards(scene, quads[: len(sides)], sides), *marked]


def _beside_cards(scene: _Scene, quads: Floats, sides: Sequence[str]) -> Iterator[Hint]:
    """Give the middle of each piece beside one of the cards at `quads` (n, 4, 2), in work px."""
    areas_px = np.array([cv2.contourArea(quad.astype(np.float32)) for quad in quads])
    scales = np.sqrt(areas_px / (scene.card_mm[0] * scene.card_mm[1]))
    rims = scene.levels[_along(quads, -_RIM_MM * scales, scene.levels.shape)].astype(np.float64)
    levels = np.median(rims, axis=1)
    uneven = 3 * np.median(np.abs(rims - levels[:, None]), axis=1)
    outside = _along(quads, _BESIDE_MM * scales, scene.levels.shape)
    beside, open_table = scene.levels[outside].astype(np.float64), scene.known[outside] == 0
    apart = distances(quads.mean(1), quads.mean(1))
    for side in sorted(set(sides)):
        nearest = np.where(np.array(sides) == side, apart, np.inf).argmin(1)
        grounds = [_Ground(side, levels[k], uneven[k]) for k in nearest]
        slack = np.array([ground.slack for ground in grounds])
        alike = (np.abs(beside - levels[nearest][:, None]) <= slack[:, None]).all(-1) & open_table
        # Most cards lie on a table that does not look like a card: that much is quickly seen.
        for number in np.flatnonzero(np.count_nonzero(alike, axis=1) >= _LEAST_BESIDE):
            quad = quads[number]
            window = _Window(scene, quad.min(0), quad.max(0), float(scales[number]))
            near = filled(window.shape, [quad - window.origin])
            near = np.asarray(cv2.dilate(near, _disc(1 + round(_NEAR_MM * window.px_per_mm))), np.uint8)
            yield from _pieces(scene, window, grounds[number], near, LIKENESS[side].edge_mm)


def _along(quads: Floats, out_px: Floats, shape: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns (n, 4·_PER_SIDE) of places along the sides of quads (n, 4, 2), each `out_px` (n,) outside."""
    along = np.roll(quads, -1, axis=1) - quads
    normals = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    starts = quads + normals * out_px[:, None, None]
    share = (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE
    points = starts[:, :, None] + share[:, None] * along[:, :, None]
    x, y = np.rint(points.reshape(len(quads), 4 * _PER_SIDE, 2)).astype(np.intp).transpose(2, 0, 1)
    return y.clip(0, shape[0] - 1), x.clip(0, shape[1] - 1)


def _round_a_mark(scene: _Scene, mark: Print) -> Iterator[Hint]:
    """Give the middle of each piece that a mark lies on."""
    centre = scene.work.to_work(scene.table.to_px(mark.centre_mm[None]))
    px_per_mm = float(scene.table.px_per_mm(scene.work.to_picture(centre))[0]) * scene.work.scale
    radius_mm = float(np.sqrt(mark.area_mm2 / np.pi))
    angle = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
    ring = mark.centre_mm + (radius_mm + _RING_MM) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    around = scene.at(scene.levels, ring).astype(np.float64)
    # Where a finger hides a part of the ring, the rest of it still is ground: the lightest of it, or the darkest.
    order = np.argsort(around.sum(1))
    ground = around[order[-_RING // 3 :] if mark.side == "white" else order[: _RING // 3]]
    window = _Window(scene, centre[0], centre[0], px_per_mm)
    beside = np.zeros(window.shape, np.uint8)
    middle = np.rint(centre[0] - window.origin).astype(int)
    cv2.circle(beside, (int(middle[0]), int(middle[1])), round((radius_mm + _NEAR_MM) * px_per_mm), (255,), cv2.FILLED)
    found = _Ground(mark.side, np.median(ground, axis=0), np.zeros(3))
    yield from _pieces(scene, window, found, beside, max(LIKENESS[mark.side].edge_mm, _LEAST_LONE_EDGE_MM))


def _pieces(scene: _Scene, window: _Window, ground: _Ground, beside: Image, edge_mm: float) -> Iterator[Hint]:
    """Give the middle of each piece of ground in a window that lies on `beside`, (h, w) 0/255, as well.

    `edge_mm`: for so long, its edge must be straight.
    """
    px_per_mm, likeness = window.px_per_mm, LIKENESS[ground.side]
    mask = cv2.inRange(window.of(scene.levels), ground.level - ground.slack, ground.level + ground.slack)
    mask = np.asarray(cv2.subtract(mask, cv2.dilate(window.of(scene.known), _disc(1))), np.uint8)
    # Mostly nothing does.
    if cv2.countNonZero(cv2.bitwise_and(mask, beside)) < _LEAST_TOUCH_MM2 * px_per_mm**2:
        return
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(round(_THIN_MM * px_per_mm / 2))), np.uint8)
    count, found = cv2.connectedComponents(mask, connectivity=4, ltype=cv2.CV_32S)
    labels = np.asarray(found, np.int32)
    touching = np.bincount(labels[beside > 0], minlength=count) / px_per_mm**2
    for number in np.flatnonzero(touching[1:] >= _LEAST_TOUCH_MM2) + 1:
        whole = np.asarray(labels == number, np.uint8)
        x, y, across, down = cv2.boundingRect(whole)
        piece = whole[y : y + down, x : x + across]
        at_border = x == 0 or y == 0 or x + across == mask.shape[1] or y + down == mask.shape[0]
        area = cv2.countNonZero(piece)
        if at_border or area < _LEAST_AREA_MM2 * px_per_mm**2:
            continue
        outline, middle = _outline(scene, piece, window.origin + (x, y))
        if _as_small_as_a_card(outline, scene.card_mm) and _ends_at_an_edge(scene, outline, middle, likeness, edge_mm):
            places = scene.to_mm(window.origin + (x, y) + np.argwhere(piece)[:, ::-1])
            if not scene.pattern.holds(places, area / px_per_mm**2, dark=ground.side == "black"):
                yield Hint(middle, ground.side)


def _outline(scene: _Scene, piece: Image, origin: Floats) -> tuple[Floats, Floats]:
    """(n, 2) outline of a piece and (2,) its middle, in mm."""
    contours, _ = cv2.findContours(piece, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=len)[:, 0].astype(np.float64) + origin
    middle = np.argwhere(piece).mean(0)[::-1] + origin
    return scene.to_mm(outline), scene.to_mm(middle[None])[0]


def _as_small_as_a_card(outline_mm: Floats, card_mm: tuple[float, float]) -> bool:
    (_, _), sides, _ = cv2.minAreaRect(outline_mm.astype(np.float32))
    return min(sides) < min(card_mm) + _SLACK_MM and max(sides) < np.hypot(*card_mm) + _SLACK_MM


def _ends_at_an_edge(scene: _Scene, outline_mm: Floats, middle_mm: Floats, likeness: _Likeness, edge_mm: float) -> bool:
    """Tell whether the longest straight line of the outline, clear of known cards, is the edge of something light."""
    lengths = np.linalg.norm(np.diff(outline_mm, axis=0, append=outline_mm[:1]), axis=1)
    low, high = outline_mm.min(0) - _NEAR_MM, outline_mm.max(0) + _NEAR_MM
    near = ((scene.known_mm.max(1) > low) & (scene.known_mm.min(1) < high)).all(1)
    free = distance_to_quads(outline_mm, scene.known_mm[near]).min(1, initial=np.inf) > _NEAR_MM
    outline, lengths = outline_mm[free], lengths[free]
    if lengths.sum() < edge_mm:
        return False
    normals = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
    offsets = np.floor((outline - middle_mm) @ normals / _LINE_MM).astype(int)
    lowest = int(offsets.min())
    bins = int(offsets.max()) - lowest + 2
    cells = offsets.T - lowest + bins * np.arange(len(_ANGLES))[:, None]
    held = np.bincount(cells.ravel(), np.tile(lengths, len(_ANGLES)), bins * len(_ANGLES)).reshape(-1, bins)
    held = held[:, :-1] + held[:, 1:]  # a line may lie on the border of two bins
    angle, offset = np.unravel_index(held.argmax(), held.shape)
    if held[angle, offset] < max(edge_mm, _LEAST_EDGE * lengths.sum()):
        return False
    line = outline[(offsets[:, angle] - lowest == offset) | (offsets[:, angle] - lowest == offset + 1)]
    outward = normals[:, angle] * np.sign(offset + lowest + 0.5)
    inside, outside = (
        scene.at(scene.levels, line + way * outward).astype(np.float64) for way in (-_ASIDE_MM, _ASIDE_MM)
    )
    step = np.abs(outside - inside).max(-1) / (inside.max(-1) + likeness.dark)
    return bool((step > likeness.step).mean() > _LEAST_STEPS)


def _disc(radius_px: int) -> cv2.typing.MatLike:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius_px + 1, 2 * radius_px + 1))
