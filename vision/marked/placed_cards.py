"""Cards at the finder's places: faces of which a found mark is where the face has it."""

from __future__ import annotations

import numpy as np

from vision.arrays import Flags, Floats
from vision.marked.layouts import Hypotheses, Layouts, concatenated, no_cards, shape_fits
from vision.marked.marks import Marks
from vision.quads import distances

_OFF_MM = 4.0  # of a mark from where a face has it, on a place of the finder


def placed_cards(layouts: Layouts, marks: Marks, allowed: Flags, quads_mm: Floats) -> Hypotheses:
    """All faces, in both turns, on places (n, 4, 2) on the table of which one mark or more is where the face has it.

    `allowed` (marks, faces, 3): whether a mark may be the face's. A place has its first side at the top of the card.
    """
    parts = [no_cards()]
    faces = np.arange(len(layouts.faces))
    for quad in (turned for place in quads_mm for turned in (place, np.roll(place, 2, axis=0))):
        across, down = quad[1] - quad[0], quad[3] - quad[0]
        turn = float(np.angle((across @ (1, 1j)) + (down @ (1, 1j)) / 1j))
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        middle = quad.mean(axis=0)
        card = layouts.card_middle_mm
        centres = (layouts.centres_mm - card) @ way + middle
        near = np.linalg.norm(marks.centres_mm - middle, axis=1) < np.linalg.norm(card)
        some = np.flatnonzero(near & allowed.any((1, 2)))
        if not len(some):
            continue
        off = distances(marks.centres_mm[some], centres.reshape(-1, 2)).reshape(len(some), *centres.shape[:2])
        off = np.where(allowed[some], off, np.inf)
        best = off.argmin(0)
        seen = np.where(off.min(0) < _OFF_MM, some[best], -1)
        shown = (seen >= 0).any(1)
        seen, of = seen[shown], faces[shown]
        moved = np.where((seen >= 0)[..., None], marks.centres_mm[seen] - centres[of], np.nan)
        by_mm = np.nanmean(moved, axis=1)
        shift = middle + by_mm - card @ way
        residual = np.sqrt(np.nanmean(((moved - by_mm[:, None]) ** 2).sum(-1), axis=1))
        parts.append(Hypotheses(of, seen, np.full(len(of), turn), shift, residual))
    found = concatenated(parts)
    return found.take(shape_fits(layouts, marks, found.faces, found.marks))
