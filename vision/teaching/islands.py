"""Cards as islands of what is not table: whatever is printed on them, up to their edges or not.

Edges tell cards whose outline is plainer than their print; on full-bleed art of many colours it is not. But where
marker cards tell the table's plane, the table can be looked at from above, what lies round the cards shows what it
looks like, and a card that lies by itself is a rectangle of something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.markers import Marker
from vision.table import Table

Image = NDArray[np.uint8]
Flags = NDArray[np.uint8]
Floats = NDArray[np.float64]

_MOST_PX_PER_MM, _MOST_SIDE_PX = 2.0, 2000
_BEYOND_MM = 90.0  # cards lie beyond the markers, too
_RIM_MM = 26.0  # round all that is looked at lies table
_MARKER_MM = 68.0  # a marker card's side, with a millimetre round it
_STEP = 8  # levels of Lab that count as one colour
_PARTS, _IN_PARTS, _OF_A_PART = 48, 0.12, 0.0008  # of the rim: a colour of the table shows in many
_SOFT_MM = 0.9  # a camera's noise, and a table's finest grain
_CLOSED_MM, _OPENED_MM = 3.0, 5.0
_LEAST_MM, _MOST_MM = 25.0, 220.0  # a card's sides
_FULL = 0.86  # of a rectangle about it: round corners and a soft edge take some
_ALONG = (0.15, 0.85)  # of a side: there its line is fitted
_OUTWARDS_MM, _OFFSET_MM, _EDGE_MM = (-2.5, 4.5), 0.2, 0.6  # where edges are looked for, from the island's own
_ASKEW = 0.05  # cosine of an angle, and how much longer one of two sides may be
_AS_MUCH, _WIDE_MM = 0.85, 1.5
_MOST_CHANGE = 60.0  # levels of Lab: a plain edge all along beats a sharp one here and there
_EIGHTH = 8


@dataclass(frozen=True, eq=False)
class Islands:
    """What lies on the table, in the picture's pixels: cards (n, 4, 2), and (m, 4, 2) about what is no card."""

    cards_px: Floats
    others_px: Floats


def islands(image_bgr: Image, table: Table, markers: Sequence[Marker]) -> Islands:
    """What lies on a table (h, w, 3) uint8 BGR and is not table; marker cards are left out."""
    view = _seen_from_above(image_bgr, table, markers)
    if view is None:
        return Islands(np.zeros((0, 4, 2)), np.zeros((0, 4, 2)))
    sheet, inside, to_mm = view
    whole = inside.copy()
    px_per_mm = 1 / to_mm[0, 0]
    for marker in markers:
        corners = table.to_mm(marker.corners_px)
        middle = corners.mean(axis=0)
        grown = middle + (corners - middle) * (_MARKER_MM / np.linalg.norm(corners[1] - corners[0]))
        cv2.fillConvexPoly(inside, np.rint((grown - to_mm[:2, 2]) * px_per_mm).astype(np.int32), 0)
    lying = _not_table(sheet, inside, whole, px_per_mm)
    contours, _ = cv2.findContours(lying, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cards: list[Floats] = []
    others: list[Floats] = []
    lab = np.asarray(cv2.cvtColor(cv2.GaussianBlur(sheet, (3, 3), 0), cv2.COLOR_BGR2LAB), np.float32)
    for contour in contours:
        box = cv2.minAreaRect(contour)
        sides = np.array(sorted(box[1])) / px_per_mm
        if sides[0] < _LEAST_MM / 2:
            continue
        area = cv2.contourArea(contour)
        quad = _corners(contour[:, 0].astype(np.float64), cv2.boxPoints(box).astype(np.float64))
        quad = None if quad is None else _rectangle(_at_edges(lab, quad, px_per_mm), quad)
        plain = area > _FULL * box[1][0] * box[1][1] and sides[0] > _LEAST_MM and sides[1] < _MOST_MM
        (cards if plain and quad is not None else others).append(
            (cv2.boxPoints(box) if quad is None else quad) / px_per_mm + to_mm[:2, 2]
        )
    return Islands(_in_picture(cards, table), _in_picture(others, table))


def _seen_from_above(image_bgr: Image, table: Table, markers: Sequence[Marker]) -> tuple[Image, Flags, Floats] | None:
    """The table at a scale of its own, what of that is in the picture, and (2, 3) from its pixels to mm."""
    height, width = image_bgr.shape[:2]
    middles = table.to_mm(np.array([marker.corners_px.mean(axis=0) for marker in markers]))
    low, high = middles.min(axis=0) - _BEYOND_MM, middles.max(axis=0) + _BEYOND_MM
    centre = table.to_px((low + high)[None] / 2)
    near = table.to_px((low + high)[None] / 2 + np.array([[10.0, 0.0]]))
    px_per_mm = min(
        _MOST_PX_PER_MM, float(np.linalg.norm(near - centre)) / 10, _MOST_SIDE_PX / float((high - low).max())
    )
    size = np.ceil((high - low) * px_per_mm).astype(int)
    if not np.isfinite(px_per_mm) or size.min() < 80:
        return None
    # Lenses bend the picture, but slowly.
    grid = np.stack(np.meshgrid(np.arange(0, size[0] + _EIGHTH, _EIGHTH), np.arange(0, size[1] + _EIGHTH, _EIGHTH)), -1)
    at = table.to_px(grid.reshape(-1, 2) / px_per_mm + low).reshape(*grid.shape).astype(np.float32)
    full = (int(at.shape[1] * _EIGHTH), int(at.shape[0] * _EIGHTH))
    where = _enlarged(at, full)[: size[1], : size[0]]
    sheet = cv2.remap(image_bgr, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = (where >= 0).all(-1) & (where[..., 0] < width - 1) & (where[..., 1] < height - 1)
    to_mm = np.array([[1 / px_per_mm, 0, low[0]], [0, 1 / px_per_mm, low[1]]])
    return np.asarray(sheet, np.uint8), seen.astype(np.uint8), to_mm


def _enlarged(at: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Points given at every eighth pixel, at every pixel."""
    x, y = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
    return np.asarray(cv2.remap(at, x / _EIGHTH, y / _EIGHTH, cv2.INTER_LINEAR), np.float32)


def _not_table(sheet: Image, inside: Flags, whole: Flags, px_per_mm: float) -> Flags:
    """Where something lies: what has none of the table's colours, and all that such things enclose.

    `whole` is what is seen of the sheet, `inside` that without the marker cards.
    """
    soft = cv2.GaussianBlur(sheet, (0, 0), _SOFT_MM * px_per_mm)
    lab = np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2LAB), np.uint8)
    rim = max(3, round(_RIM_MM * px_per_mm))
    core = cv2.erode(
        whole, np.ones((2 * rim + 1, 2 * rim + 1), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    colours = _table_colours(lab, (inside > 0) & (core == 0))
    index = lab // _STEP
    strange = ~colours[index[..., 0], index[..., 1], index[..., 2]] & (inside > 0)
    mask = np.asarray(
        cv2.morphologyEx(strange.astype(np.uint8), cv2.MORPH_CLOSE, _disc(_CLOSED_MM * px_per_mm)), np.uint8
    )
    return np.asarray(cv2.morphologyEx(_filled(mask), cv2.MORPH_OPEN, _disc(_OPENED_MM * px_per_mm)), np.uint8)


def _table_colours(lab: Image, rim: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which colours (32, 32, 32) of Lab the table has: those that show in many parts of the rim round all that lies.

    A card that reaches into the rim shows its colours in a few.
    """
    bins = 256 // _STEP
    rows, columns = np.nonzero(rim)
    middle = np.array(lab.shape[:2]) / 2
    angle = np.arctan2(rows - middle[0], columns - middle[1])
    part = np.minimum(((angle / (2 * np.pi) + 0.5) * _PARTS).astype(np.intp), _PARTS - 1)
    colour = lab[rows, columns].astype(np.intp) // _STEP
    flat = (colour[:, 0] * bins + colour[:, 1]) * bins + colour[:, 2]
    counts = np.zeros((_PARTS, bins**3), np.float32)
    np.add.at(counts, (part, flat), 1)
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    filled = counts.sum(axis=1) > 0
    shows = (counts / sizes > _OF_A_PART).reshape(_PARTS, bins, bins, bins)
    # It may be somewhat lighter or darker elsewhere; shadows and a lamp's slope reach farther in lightness than in hue.
    for axis in (1, 2, 3):
        shows |= np.roll(shows, 1, axis) | np.roll(shows, -1, axis)
    table = shows[filled].mean(axis=0) > _IN_PARTS
    return np.asarray(np.logical_or.reduce([np.roll(table, shift, 0) for shift in (-3, -2, -1, 0, 1)]))


def _filled(mask: Flags) -> Flags:
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(mask), contours, -1, 1, cv2.FILLED), np.uint8)


def _disc(diameter: float) -> Flags:
    size = max(3, 2 * round(diameter / 2) + 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _corners(outline: Floats, box: Floats) -> Floats | None:
    """The corners (4, 2) at which lines along the four sides meet; round corners are left out of them."""
    lines = []
    for k in range(4):
        start, way = box[k], box[(k + 1) % 4] - box[k]
        length = float(np.linalg.norm(way))
        way = way / length
        normal = np.array([-way[1], way[0]])
        along, off = (outline - start) @ way / length, (outline - start) @ normal
        near = (along > _ALONG[0]) & (along < _ALONG[1]) & (np.abs(off) < 0.08 * length + 2)
        if near.sum() < 8:
            return None
        fitted = cv2.fitLine(outline[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01)[:, 0]
        lines.append(np.cross([*fitted[2:], 1.0], [*(fitted[2:] + fitted[:2]), 1.0]))
    corners = []
    for k in range(4):
        point = np.cross(lines[k - 1], lines[k])
        if abs(point[2]) < 1e-9:
            return None
        corners.append(point[:2] / point[2])
    found = np.array(corners)
    return found if np.abs(found - box).max() < 0.15 * np.linalg.norm(box[0] - box[1]) + 4 else None


def _at_edges(lab: NDArray[np.float32], quad: Floats, px_per_mm: float) -> Floats:
    """The quad (4, 2), each side where all along it the picture changes most: print may have the table's colours."""
    inwards = cv2.contourArea(quad.astype(np.float32), oriented=True)
    along = np.linspace(*_ALONG, 40)[:, None]
    lines = []
    for k in range(4):
        start, way = quad[k], quad[(k + 1) % 4] - quad[k]
        normal = np.array([way[1], -way[0]]) / np.linalg.norm(way) * np.sign(inwards)
        offsets = np.arange(_OUTWARDS_MM[0], _OUTWARDS_MM[1], _OFFSET_MM) * px_per_mm
        points = (start + along * way)[None] + offsets[:, None, None] * normal
        half = _EDGE_MM * px_per_mm * normal
        shown = [_sampled(lab, points + move) for move in (half, -half)]
        change = np.linalg.norm(shown[0] - shown[1], axis=-1).clip(max=_MOST_CHANGE).mean(axis=1)
        most = int(np.argmax(change))
        # An edge is a few tenths of a millimetre wide: its middle counts.
        near = (change > _AS_MUCH * change[most]) & (np.abs(offsets - offsets[most]) < _WIDE_MM * px_per_mm)
        shift = float(offsets[near].mean()) * normal
        lines.append(np.cross([*(start + shift), 1.0], [*(start + shift + way), 1.0]))
    corners = [np.cross(lines[k - 1], lines[k]) for k in range(4)]
    return np.array([corner[:2] / corner[2] for corner in corners])


def _rectangle(*quads: Floats) -> Floats | None:
    """The first of some quads (4, 2) that is one, as every card seen from above; None where none is."""
    for quad in quads:
        sides = np.roll(quad, -1, axis=0) - quad
        lengths = np.linalg.norm(sides, axis=1)
        cosines = np.abs((sides * np.roll(sides, -1, axis=0)).sum(axis=1)) / (lengths * np.roll(lengths, -1))
        if cosines.max() < _ASKEW and np.abs(np.log(lengths[:2] / lengths[2:])).max() < _ASKEW:
            return quad
    return None


def _sampled(lab: NDArray[np.float32], points: Floats) -> NDArray[np.float32]:
    x, y = (points[..., axis].astype(np.float32) for axis in (0, 1))
    return np.asarray(cv2.remap(lab, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _in_picture(quads_mm: Sequence[Floats], table: Table) -> Floats:
    """(n, 4, 2) px, clockwise, the first side a shorter one."""
    found = []
    for quad in quads_mm:
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        quad = quad if sides[0::2].sum() <= sides[1::2].sum() else np.roll(quad, -1, axis=0)
        px = table.to_px(quad)
        clockwise = cv2.contourArea(px.astype(np.float32), oriented=True) > 0
        found.append(px if clockwise else px[[1, 0, 3, 2]])
    return np.array(found).reshape(-1, 4, 2)
