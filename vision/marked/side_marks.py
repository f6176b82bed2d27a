"""Tracks which patches on one side's ground may be marks: their looks, and those that no card has yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.marked.colour import Palette
from vision.marked.layouts import Hypotheses
from vision.marked.mark_colours import MarkLooks, looks_of
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler
from vision.marked.side_model import SideModel
from vision.quads import distances

_LIKELY = 0.4 / 360  # per degree: a hue at random has 1 / 360
_PATTERN = 15  # of 84 cards as many have a mark of one colour and size
_SAME_HUE_DEG, _SAME_SIZE = 15.0, 0.35  # the latter of the logarithm of the area


class SideMarks:
    """The n patches on one side's ground that may be marks.

    `palette`: the colours in this picture; `found`: all marks, those found by an arc of their outline last; `looks`:
    their contrast and colour; `free` (n,): those that look like whole marks and are on no certain card;
    `are_on_pattern`: whether there was a pattern among them, see `leave_pattern_out`.
    """

    def __init__(self, sampler: Sampler, model: SideModel, found: Marks) -> None:
        self._model = model
        self.palette = model.palette
        self.found = found
        self._seen_whole = len(found)
        self.looks = looks_of(sampler, model.layouts, found)
        self.free: Flags = self.looks.free.copy()
        self._used = np.zeros(len(found), bool)
        self.are_on_pattern = False
        self._colours = self._likely_colours(self.looks)

    def __len__(self) -> int:
        return len(self.found)

    def learn(self, palette: Palette) -> None:
        """Replace the colours by this palette."""
        self.palette = palette
        self._colours = self._likely_colours(self.looks)

    def add_arcs(self, sampler: Sampler, arcs: Marks, towards: Floats) -> None:
        """Add marks with a visible arc, in the directions `towards`; see `cut_marks`."""
        looks = looks_of(sampler, self._model.layouts, arcs, towards)
        self._seen_whole = len(self.found)
        self.found = self.found.and_also(arcs)
        self.looks, self.free = self.looks.and_also(looks), np.concatenate([self.free, looks.free])
        self._used = np.concatenate([self._used, np.zeros(len(arcs), bool)])
        self._colours = np.concatenate([self._colours, self._likely_colours(looks)])

    def use(self, numbers: NDArray[np.intp]) -> None:
        """Remove the marks with these numbers, (k,) or -1 for none, from those left to explain."""
        used = self.found.same_as(numbers[numbers >= 0])
        self.free[used], self._used[used] = False, True

    def leave_pattern_out(self) -> None:
        """Remove a pattern of the table: more marks of one colour and size, on no certain card, than a deck has.

        The squares of a tablecloth look like marks, and make cards of three everywhere.
        """
        some = np.flatnonzero(self.looks.clear & ~self._used)
        if len(some) < _PATTERN:
            return
        hues, areas = self.looks.hues_deg[some], self.found.areas_mm2[some]
        apart = np.abs((hues[:, None] - hues + 180) % 360 - 180)
        alike = (apart < _SAME_HUE_DEG) & (np.abs(np.log(areas[:, None] / areas)) < _SAME_SIZE)
        pattern = some[alike.sum(axis=1) >= _PATTERN]
        self.are_on_pattern |= len(pattern) > 0
        clear = self.looks.clear.copy()
        self.free[pattern], clear[pattern] = False, False
        self.looks = replace(self.looks, clear=clear)

    @property
    def unused(self) -> NDArray[np.intp]:
        """Return the numbers (k,) of the marks that stand out like fresh print and are on no certain card."""
        return np.flatnonzero(self.free & self.looks.clear)

    def are_arcs(self, numbers: NDArray[np.intp]) -> Flags:
        """Return which of the marks with these numbers (...) were found by an arc of their outline."""
        return np.asarray(numbers >= self._seen_whole)

    def parts_of(self, told: Hypotheses) -> Flags:
        """Return which (n,) are visible parts of read cards' marks that were not seen whole."""
        layouts = self._model.layouts
        card, size = np.nonzero(told.marks < 0)
        faces = told.faces[card]
        middle = told.to_table(layouts.centres_mm[told.faces])[card, size]
        near = distances(self.found.centres_mm, middle) < np.sqrt(layouts.areas_mm2[faces, size] / np.pi)
        return np.asarray((near & self._colours[:, self._model.colours[faces, size]]).any(axis=1))

    def likely(self, numbers: NDArray[np.intp]) -> Flags:
        """Return whether (k, faces, 3) the marks with these numbers (k,) may have the colours of the faces' marks."""
        return np.asarray(self._colours[numbers][:, self._model.colours])

    def _likely_colours(self, looks: MarkLooks) -> Flags:
        """Return which (n, colours) of the palette's colours each mark may have."""
        return np.asarray(self.palette.likelihood(looks.hues_deg, looks.spread_deg) > _LIKELY)
