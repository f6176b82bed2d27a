"""Proposes cards from one whole mark and one straight edge: the distance between them identifies the face."""

from __future__ import annotations

from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck
from vision.effort import spend
from vision.marked.layouts import Hypotheses, Layouts, concatenated, no_cards, shape_fits, size_candidates
from vision.marked.marks import Foreground, Marks, WorkImage
from vision.marked.outline import corners_of
from vision.table import Table, turned

_LEAST_LINE_MM = 9.0
_SLACK_MM = 1.1
_REACH_MM = 85.0
_COARSE_PX = 8
_BINS = 128  # of steepness: the usual 1,024 spends much time on sorting pixels, for nearly the same edges
_LONGER = 1.4  # than broad: the edge of a cover may cut a little off a mark, 1.25 at most in 50 true ones


def find_lines(work: WorkImage, table: Table, around_mm: Floats, reach_mm: float = _REACH_MM) -> Floats:
    """Return straight edges (n, 2, 2) on the table in mm, near the points `around_mm` (k, 2)."""
    if not len(around_mm):
        return np.zeros((0, 2, 2))
    around_px = table.to_px(around_mm)
    reach = round(reach_mm * float(np.median(table.px_per_mm(around_px))) * work.scale)
    ends = [_segments(work.bgr[part]) + (part[1].start, part[0].start) for part in _parts(work, around_px, reach)]
    lines = table.to_mm(work.to_picture(np.concatenate(ends).reshape(-1, 2))).reshape(-1, 2, 2)
    return np.asarray(lines[np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > _LEAST_LINE_MM])


def _parts(work: WorkImage, around_px: Floats, reach: int) -> list[tuple[slice, slice]]:
    """Return rows and columns of the parts of the work image within `reach` of the points (k, 2).

    Points far apart get parts of their own.
    """
    height, width = work.bgr.shape[:2]
    near = np.zeros((-(-height // _COARSE_PX), -(-width // _COARSE_PX)), np.uint8)
    column, row = np.rint(work.to_work(around_px) / _COARSE_PX).astype(np.intp).T
    near[row.clip(0, len(near) - 1), column.clip(0, near.shape[1] - 1)] = 1
    side = 2 * -(-reach // _COARSE_PX) + 1
    near = np.asarray(cv2.dilate(near, np.ones((side, side), np.uint8)), np.uint8)
    boxes = cv2.connectedComponentsWithStats(near)[2][1:, :4]
    whole = np.array([cv2.boundingRect(near)])
    boxes = boxes if boxes[:, 2:].prod(1).sum() < whole[:, 2:].prod() else whole
    return [np.s_[y : y + down, x : x + across] for x, y, across, down in (_COARSE_PX * boxes).tolist()]


def _segments(bgr: NDArray[np.uint8]) -> Floats:
    """Return the ends (n, 2, 2) of straight edges in an image (h, w, 3), in px."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    # OpenCV returns None without lines, which its stubs leave out.
    spend(grey.size / 25)
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE, n_bins=_BINS)
    found = cast("Floats | None", detector.detect(grey)[0])
    return np.zeros((0, 2, 2)) if found is None else np.asarray(found, np.float64).reshape(-1, 2, 2)


def lone_mark_cards(
    deck: Deck, layouts: Layouts, marks: Marks, chosen: NDArray[np.intp], allowed: NDArray[np.bool_], lines_mm: Floats
) -> Hypotheses:
    """Return all faces with a chosen mark as far from one of the lines as from one of the card's sides.

    `chosen` (k,): indices of marks; `allowed` (k, faces, 3): whether a mark's colour could be that of the face's mark;
    `lines_mm` (n, 2, 2): the ends of the straight edges.
    """
    if not len(chosen) or not len(lines_mm):
        return no_cards()
    sizes = size_candidates(layouts, marks)[chosen]
    along = lines_mm[:, 1] - lines_mm[:, 0]
    normal = _left_of(along)
    gap = ((lines_mm.mean(1)[None] - marks.centres_mm[chosen][:, None]) * normal[None]).sum(-1)  # (k, lines), signed
    corners = corners_of(deck)
    outward = _left_of(np.roll(corners, -1, axis=0) - corners)
    reach = ((corners[None, None] - layouts.centres_mm[:, :, None]) * outward).sum(-1)  # (faces, 3, 4)
    parts = [no_cards()]
    for size in range(3):
        fits = np.flatnonzero(sizes[:, size])
        for side in range(4):
            off = np.abs(np.abs(gap)[fits, :, None] - reach[:, size, side])
            k, line, face = np.nonzero((off < _SLACK_MM) & allowed[fits, None, :, size])
            residual, k = off[k, line, face], fits[k]
            towards = np.sign(gap[k, line])[:, None] * normal[line]
            turn = np.arctan2(towards[:, 1], towards[:, 0]) - np.arctan2(outward[side, 1], outward[side, 0])
            seen = np.full((len(k), 3), -1, dtype=np.intp)
            seen[:, size] = chosen[k]
            shift = marks.centres_mm[chosen[k]] - turned(layouts.centres_mm[face, size], turn)
            found = Hypotheses(face, seen, turn, shift, residual)
            parts.append(found.take(_on_side(found, lines_mm[line].mean(1), corners, side)))
    found = concatenated(parts)
    return found.take(shape_fits(layouts, marks, found.faces, found.marks))


def round_on_table(work: WorkImage, table: Table, foreground: Foreground, centres_px: Floats) -> NDArray[np.bool_]:
    """Return whether (n,) the patches at the points (n, 2) are as broad as long on the table; True without a patch.

    A gap between two cards may show the area and the fullness of a smaller mark, but not a circle.
    """
    height, width = foreground.labels.shape
    column, row = np.rint(work.to_work(centres_px)).astype(np.intp).T
    labels = foreground.labels[row.clip(0, height - 1), column.clip(0, width - 1)]
    around = np.stack([centres_px, centres_px + (1, 0), centres_px + (0, 1)]).reshape(-1, 2)
    origin, *ends = table.to_mm(around).reshape(3, -1, 2)
    mm_per_px = np.stack([end - origin for end in ends], axis=-1)
    fits = np.ones(len(labels), dtype=bool)
    for k in np.flatnonzero(np.isin(labels, foreground.numbers)):
        xx, yy, xy = foreground.spreads[np.searchsorted(foreground.numbers, labels[k])]
        least, most = np.linalg.eigvalsh(mm_per_px[k] @ np.array([[xx, xy], [xy, yy]]) @ mm_per_px[k].T)
        fits[k] = most < _LONGER**2 * least
    return fits


def _left_of(along: Floats) -> Floats:
    """Return unit vectors (n, 2) a quarter turn from the vectors (n, 2): outwards on a card's clockwise sides."""
    across = np.stack([along[:, 1], -along[:, 0]], axis=1)
    return np.asarray(across / np.linalg.norm(along, axis=1, keepdims=True))


def _on_side(found: Hypotheses, line_middle: Floats, corners: Floats, side: int) -> NDArray[np.bool_]:
    """Return whether the line's middle is between the ends of its assumed side."""
    ends = found.to_table(corners[[side, (side + 1) % 4]])
    along = ends[:, 1] - ends[:, 0]
    at = ((line_middle - ends[:, 0]) * along).sum(1) / (along * along).sum(1)
    return np.asarray((at > -0.02) & (at < 1.02))
