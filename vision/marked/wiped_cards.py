"""Cards of which a reflection has left little but the outline: lines along all sides of bright ground.

It takes the marks of a black card as it takes those of a white one, but ends in the middle of the card or runs on over
the table, so that no bright shape has the form of a card: see `vision.marked.blank_cards`.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.blank_cards import GROWN, SAME_MM, Blank
from vision.marked.lone_marks import find_lines
from vision.marked.marks import WorkImage
from vision.quads import within_quads
from vision.table import Table

_BRIGHT = 240
_EVERY = 4  # of the picture's rows and columns
# Where more is bright than a large lamp that is mirrored, as much as nine cards, it is the table.
_CELL_MM, _LEAST_IN_CELL, _MOST_CELLS = 40.0, 4, 32
_MOST_LINES = 80
_GAP_OFF_MM, _TURN_OFF = 2.0, np.radians(4.0)
_LONG = 0.25  # of a side, that at least one of two parallel lines has
_ON_SIDE_MM, _BEYOND_MM = 1.5, 1.0
_ALONG = np.linspace(0.09, 0.91, 16)  # of a side, clear of the round corners
_SPOTS = np.stack(np.meshgrid((np.arange(8) + 0.5) / 8, (np.arange(8) + 0.5) / 8), axis=-1).reshape(-1, 2)
_LEAST_BRIGHT, _MOST_KNOWN = 0.15, 0.1  # of a card
_LEAST_OF_SIDE, _LEAST_OF_SIDES = 0.5, 0.8


def wiped_cards(
    work: WorkImage,
    table: Table,
    card_mm: tuple[float, float],
    known_px: Floats,
    blank: Sequence[Blank],
    others_mm: Floats,
) -> list[Blank]:
    """Give the cards that show their sides round bright ground.

    They lie outside the quads `known_px` (n, 4, 2) and the `blank` cards, and not near to the places (m, 2).
    """
    bright = _bright(work, [*known_px, *(card.outline_px for card in blank)])
    around = _places(bright, work, table)
    if not 0 < len(around) <= _MOST_CELLS:
        return []
    lines = find_lines(work, table, around)
    length = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    lines = lines[np.argsort(-length, kind="stable")[:_MOST_LINES]]
    quads = frames(lines, card_mm)
    quads = quads[_open_and_bright(quads, bright, work, table, known_px)]
    share = lined(quads, lines)
    outlined = (share.min(axis=1) > _LEAST_OF_SIDE) & (share.mean(axis=1) > _LEAST_OF_SIDES)
    quads, share = quads[outlined], share[outlined]
    found: list[Blank] = []
    for quad in quads[np.argsort(-share.sum(axis=1), kind="stable")]:
        middle, others = quad.mean(axis=0), [*others_mm, *(other.centre_mm for other in (*blank, *found))]
        if all(np.linalg.norm(middle - place) > SAME_MM for place in others):
            found.append(Blank(table.to_px(quad), middle))
    return found


def _bright(work: WorkImage, known_px: Sequence[Floats]) -> Flags:
    """(h, w) which of every few pixels are clipped or nearly so, outside the outlines (k, 2) that are known."""
    grey = cv2.cvtColor(np.ascontiguousarray(work.bgr[::_EVERY, ::_EVERY]), cv2.COLOR_BGR2GRAY)
    mask = cv2.threshold(grey, _BRIGHT - 1, 1, cv2.THRESH_BINARY)[1]
    for outline in known_px:
        middle = outline.mean(0)
        grown = work.to_work(middle + GROWN * (outline - middle)) / _EVERY
        cv2.fillConvexPoly(mask, np.rint(grown).astype(np.int32), (0,))
    return np.asarray(mask > 0)


def _places(bright: Flags, work: WorkImage, table: Table) -> Floats:
    """(k, 2) places on the table in mm, some 40 mm apart, where it is bright."""
    rows, columns = np.nonzero(bright)
    places = table.to_mm(work.to_picture(np.stack([columns, rows], axis=1).astype(np.float64) * _EVERY))
    _, first, count = np.unique(np.round(places / _CELL_MM), axis=0, return_index=True, return_counts=True)
    return places[first[count >= _LEAST_IN_CELL]]


def _open_and_bright(quads_mm: Floats, bright: Flags, work: WorkImage, table: Table, known_px: Floats) -> Flags:
    """Which of the quads (r, 4, 2) lie in the picture and on none of the known ones, and are bright in part."""
    across, down = (quads_mm[:, None, k] - quads_mm[:, None, 0] for k in (1, 3))
    spots = table.to_px((quads_mm[:, None, 0] + _SPOTS[:, :1] * across + _SPOTS[:, 1:] * down).reshape(-1, 2))
    columns, rows = np.rint(work.to_work(spots).T / _EVERY).astype(np.intp)
    inside = (columns >= 0) & (columns < bright.shape[1]) & (rows >= 0) & (rows < bright.shape[0])
    lit = inside & bright[rows * inside, columns * inside]
    known = within_quads(spots, known_px)
    inside, lit, known = (some.reshape(len(quads_mm), len(_SPOTS)) for some in (inside, lit, known))
    good: Flags = inside.all(axis=1) & (lit.mean(axis=1) > _LEAST_BRIGHT) & (known.mean(axis=1) < _MOST_KNOWN)
    return good


def frames(lines_mm: Floats, card_mm: tuple[float, float]) -> Floats:
    """(r, 4, 2) rectangles of a card's size that have two parallel lines of (n, 2, 2) and one across them for sides."""
    along = lines_mm[:, 1] - lines_mm[:, 0]
    length = np.hypot(along[:, 0], along[:, 1])
    angle, middle = np.arctan2(along[:, 1], along[:, 0]), lines_mm.mean(1)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
    step = middle[None] - middle[:, None]
    gap = np.abs((step * normal[:, None]).sum(-1))
    shift = np.sqrt(np.maximum((step**2).sum(-1) - gap**2, 0))
    turn = _turn(angle[:, None], angle[None])
    parallel = np.triu(np.abs(turn) < _TURN_OFF, 1)
    found = [np.zeros((0, 4, 2))]
    for apart, side in (card_mm, card_mm[::-1]):
        fits = (np.abs(gap - apart) < _GAP_OFF_MM) & (shift < side)
        one, other = np.nonzero(parallel & fits & (np.maximum(length[:, None], length[None]) > _LONG * side))
        heading = angle[one] + turn[one, other] * length[other] / (length[one] + length[other])
        ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
        aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        centre = (middle[one] + middle[other]) / 2
        off = middle[None] - centre[:, None]
        square = np.abs(_turn(heading[:, None], angle[None])) > np.pi / 2 - _TURN_OFF
        pair, end = np.nonzero(square & (np.abs((off * aside[:, None]).sum(-1)) < apart / 2))
        at = (off[pair, end] * ahead[pair]).sum(-1)
        for half in (-side / 2, side / 2):
            near = np.abs(at + half) < 0.75 * side
            u, v = ahead[pair[near]] * side / 2, aside[pair[near]] * apart / 2
            place = centre[pair[near]] + (at[near] + half)[:, None] * ahead[pair[near]]
            found.append(np.stack([place - u - v, place + u - v, place + u + v, place - u + v], axis=1))
    return np.concatenate(found)


def _turn(one: Floats, other: Floats) -> Floats:
    """The turn in rad from one line's direction to another's, up to a quarter turn either way."""
    return np.asarray((other - one + np.pi / 2) % np.pi - np.pi / 2)


def lined(quads_mm: Floats, lines_mm: Floats) -> Floats:
    """(r, 4) the share of each side of quads (r, 4, 2) that one of the lines (n, 2, 2) runs along."""
    sides = np.roll(quads_mm, -1, axis=1) - quads_mm
    points = quads_mm[:, :, None] + _ALONG[:, None] * sides[:, :, None]
    along = lines_mm[:, 1] - lines_mm[:, 0]
    length = np.hypot(along[:, 0], along[:, 1])
    along = along / length[:, None]
    off = points[:, :, :, None] - lines_mm[:, 0]
    ahead = (off * along).sum(-1)
    aside = np.abs(off[..., 0] * along[:, 1] - off[..., 1] * along[:, 0])
    turn = _turn(np.arctan2(sides[..., 1], sides[..., 0])[..., None], np.arctan2(along[:, 1], along[:, 0]))
    on_side = (aside < _ON_SIDE_MM) & (ahead > -_BEYOND_MM) & (ahead < length + _BEYOND_MM)
    return np.asarray((on_side & (np.abs(turn) < _TURN_OFF)[:, :, None]).any(-1).mean(-1))
