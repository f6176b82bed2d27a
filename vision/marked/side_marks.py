"""The patches on one side's ground in one picture that may be marks: how they look, and which no card has yet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.marked.colour import Palette
from vision.marked.cut_marks import parts_of
from vision.marked.layouts import Hypotheses
from vision.marked.mark_looks import MarkLooks, looks_of
from vision.marked.marks import Marks
from vision.marked.sampler import Sampler
from vision.marked.side_model import SideModel

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_LIKELY = 0.4 / 360  # per degree: a hue at random has 1 / 360


class SideMarks:
    """The n patches on one side's ground that may be marks.

    `palette`: the colours as this picture shows them; `found`: all, those that are known by an arc of their outline
    after the others; `looks`: how they look; `free` (n,): which of them look like whole marks and are on no sure card.
    """

    def __init__(self, sampler: Sampler, model: SideModel, found: Marks) -> None:
        self._model = model
        self.palette = model.palette
        self.found = found
        self._seen_whole = len(found)
        self.looks = looks_of(sampler, model.layouts, found)
        self.free: Bools = self.looks.free.copy()
        self._colours = self._likely_colours(self.looks)

    def __len__(self) -> int:
        return len(self.found)

    def learn(self, palette: Palette) -> None:
        """Take the colours for those of this palette."""
        self.palette = palette
        self._colours = self._likely_colours(self.looks)

    def add_arcs(self, sampler: Sampler, arcs: Marks, towards: Floats) -> None:
        """Add marks of which an arc shows, in the directions `towards`; see `cut_marks`."""
        looks = looks_of(sampler, self._model.layouts, arcs, towards)
        self._seen_whole = len(self.found)
        self.found = self.found.and_also(arcs)
        self.looks, self.free = self.looks.and_also(looks), np.concatenate([self.free, looks.free])
        self._colours = np.concatenate([self._colours, self._likely_colours(looks)])

    def use(self, numbers: NDArray[np.intp]) -> None:
        """Take those with these numbers, (k,) or -1 for none, out of what is left to explain."""
        self.free[self.found.same_as(numbers[numbers >= 0])] = False

    @property
    def unused(self) -> NDArray[np.intp]:
        """Numbers (k,) of those that stand out as fresh print does and that no sure card has."""
        return np.flatnonzero(self.free & self.looks.plain)

    def are_arcs(self, numbers: NDArray[np.intp]) -> Bools:
        """Which of those with these numbers (...) are known by an arc of their outline."""
        return np.asarray(numbers >= self._seen_whole)

    def parts_of(self, cards: Hypotheses) -> Bools:
        """Which are parts of the cards' marks, (n,); see `cut_marks.parts_of`."""
        return parts_of(cards, self._model.layouts, self.found, self._colours, self._model.colours)

    def likely(self, numbers: NDArray[np.intp]) -> Bools:
        """(k, faces, 3) whether the colours of those with these numbers (k,) may be those of the faces' marks."""
        return np.asarray(self._colours[numbers][:, self._model.colours])

    def _likely_colours(self, looks: MarkLooks) -> Bools:
        """(n, colours) which of the palette's colours each may have."""
        return np.asarray(self.palette.likelihood(looks.hues_deg, looks.spread_deg) > _LIKELY)
