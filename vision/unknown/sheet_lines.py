"""Parts of sheets of paper: lines beside them run on, and print does not stop short of their edges as on the cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_grounds import along_border
from vision.unknown.edge_ends import in_rows, next_to

Floats = NDArray[np.float32]

_FEW = 2  # of the eight ends of a thing's edges run on by chance, or along a card that was not found
_NEARLY_ALL, _CROSSED = 90, 20.0  # per cent of the border; weighted 8-bit Lab from its middle colour: print


@dataclass(frozen=True, eq=False)
class SheetLines:
    """What tells parts of sheets among n things.

    `beside` (n, 4, n) which lie next to which; `runs_on` (n, 4, 2) where edges run on, and `lines` (n, 4, 2) the same
    with half the weight where a notch is seen at the corner; `crossing` (n,) how much is printed across the border.
    """

    beside: NDArray[np.bool_]
    runs_on: NDArray[np.bool_]
    lines: Floats
    crossing: Floats

    def on_sheets(self, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which things (n,) are parts of sheets, if the `others` (n,) may be cards, in rows or with a clear border."""
        alone = ~in_rows(self.beside & others)
        crossed = (self.crossing > _CROSSED) & (np.median(self.crossing[others]) < _CROSSED / 2)
        run_on = (self.lines * alone).sum(axis=(1, 2)) >= _FEW
        return np.asarray(run_on | (crossed & (self.runs_on.sum(axis=(1, 2)) > _FEW)))


def sheet_lines(
    image_lab: NDArray[np.uint8],
    quads: Floats,
    aspect: float,
    runs_on: NDArray[np.bool_],
    passes: NDArray[np.bool_],
) -> SheetLines:
    """Look at things (n, 4, 2), with a shorter side first and `aspect` length by width, in (h, w, 3) 8-bit Lab.

    Of their edges those run on, or pass the corner without a notch, that `runs_on` and `passes` (n, 4, 2) say.
    """
    crossing = np.percentile(along_border(image_lab, quads, aspect), _NEARLY_ALL, axis=1)
    lines = np.asarray((runs_on + passes.astype(np.float32)) / 2, np.float32)
    return SheetLines(next_to(quads), runs_on, lines, np.asarray(crossing, np.float32))
