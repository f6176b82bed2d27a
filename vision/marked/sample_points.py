"""Chooses the sample points of hypothetical cards: inside each mark of a face, round each, and between them."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Floats
from vision.deck import CIRCLE, Deck, Face, PrintedMark
from vision.marked.layouts import Layouts
from vision.render_face import mark_outline_mm

INNER = 12  # sample points inside each mark
RING = 16  # sample points round each mark
GROUND = 40  # sample points on the rest of the card
RING_MM = {"white": 1.7, "black": 2.5}  # from a mark to the ring round it: light blooms over black
_INSET = 0.16  # of the circumradius
_BORDER_MM = 2.4


def sample_points(deck: Deck, layouts: Layouts) -> Floats:
    """Return the sample points of all n faces of a side, (n, 3·INNER + 3·RING + GROUND, 2), in mm on the card.

    Those inside the marks come first, then those round the marks, then those between them.
    """
    unit = {shape: _unit_inner(deck, shape) for shape in {mark.shape for face in layouts.faces for mark in face.marks}}
    parts = [
        [_placed(unit[mark.shape], mark) for mark in face.marks]
        + [_ring(mark_outline_mm(deck, mark), RING, RING_MM[layouts.side]) for mark in face.marks]
        + [_ground(face, deck)]
        for face in layouts.faces
    ]
    return np.array([np.concatenate(part) for part in parts])


def _unit_inner(deck: Deck, shape: str) -> Floats:
    """Return points (INNER, 2) well inside a shape of circumradius 1, the deepest ones, far from each other."""
    axis = np.linspace(-0.95, 0.95, 39)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    if shape == CIRCLE:
        depth = 1 - np.linalg.norm(grid, axis=1)
    else:
        contour = deck.outlines[shape].astype(np.float32).reshape(-1, 1, 2)
        depth = np.array([cv2.pointPolygonTest(contour, (float(x), float(y)), True) for x, y in grid])
    return _spread(grid[depth > min(_INSET, 0.75 * float(depth.max()))], INNER)


def _placed(unit: Floats, mark: PrintedMark) -> Floats:
    turn = np.radians(mark.rotation_deg)
    turned = unit @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(turned * mark.diameter_mm / 2 + (mark.x_mm, mark.y_mm))


def _ground(face: Face, deck: Deck) -> Floats:
    """Return points (GROUND, 2) between the marks, all over the card; repeated where a face has too few places."""
    width, height = deck.card_mm
    x, y = np.linspace(_BORDER_MM, width - _BORDER_MM, 9), np.linspace(_BORDER_MM, height - _BORDER_MM, 13)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    gaps = [np.linalg.norm(grid - (m.x_mm, m.y_mm), axis=1) - m.diameter_mm / 2 for m in face.marks]
    places = np.random.default_rng(0).permutation(grid[np.min(gaps, axis=0) > RING_MM[face.side]])
    return np.resize(places, (GROUND, 2))


def _ring(outline: Floats, count: int, gap_mm: float) -> Floats:
    """Return points at a gap outside an outline, evenly along its convex hull."""
    hull = cv2.convexHull(outline.astype(np.float32))[:, 0].astype(np.float64)
    closed = np.concatenate([hull, hull[:1]])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.arange(count) / count * length[-1]
    points = np.stack([np.interp(at, length, closed[:, k]) for k in range(2)], axis=1)
    outward = points - hull.mean(0)
    return np.asarray(points + gap_mm * outward / np.linalg.norm(outward, axis=1, keepdims=True))


def _spread(points: Floats, count: int) -> Floats:
    """Return `count` of the points, far from each other (farthest-point sampling); repeat them if too few."""
    chosen = [int(np.argmin(np.linalg.norm(points - points.mean(0), axis=1)))]
    gap = np.linalg.norm(points - points[chosen[0]], axis=1)
    for _ in range(count - 1):
        chosen.append(int(gap.argmax()))
        gap = np.minimum(gap, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return points[chosen]
