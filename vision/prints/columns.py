"""Columns of cards: where the next card lies, by an edge that runs along a side of a known card, a little beyond it.

People lay columns by eye: the next card is turned by a degree or two and lies some millimetres aside. What tells where
it lies is its far edge, or a line of its print beside that edge, where white lies on white; how far aside, the ends of
that edge, or an edge beside what lies open of it.
"""

from __future__ import annotations

import numpy as np

from vision.arrays import Flags, Floats
from vision.prints.proposals import Edges, Poses, each_once, joined
from vision.prints.side_lines import DeckLines, SideLine
from vision.quads import within_quads

_LEAST_MM, _LEAST_BESIDE_MM = 18.0, 7.0  # of an edge along a side, and of one beside the strip
_TURNED = np.radians(6.0)
_BEYOND_MM, _MOST_BEYOND = 5.0, 0.55  # the least, and the most by the card's side
_ASIDE_MM, _APART_MM = 10.0, 1.5  # how far aside a card may lie, and from where two such places are two
_LEAST_OPEN, _SQUARE = 0.4, np.radians(2.5)  # of what lies open: an edge beside it, and how square it is
_MOST, _MOST_ASIDE = 10, 4  # edges on one side of one card, and how far aside it may lie for each
_PIECES, _FINE_PIECES = 8, 24  # of a side
_WITHIN = 0.04  # of the way to a card's middle: a rim lies beside the card above it, not under it
_OPEN, _HIDDEN = 0.85, 0.25  # of the far side, at least, and of the side under the column, at most
_SEEN_FAR, _SEEN_ENDS = 0.85, 0.6  # of what lies open of the far side, and of the two beside it


class Columns:
    """Looks for the cards of a deck under others, by the edges in one picture and the lines of their print."""

    def __init__(self, edges: Edges, card_mm: tuple[float, float], lines: DeckLines) -> None:
        self.table = edges.table
        self._edges, self._card_mm, self._lines = edges, card_mm, lines
        ends = edges.ends_mm()
        length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        self._ends, self._short = ends[length >= _LEAST_MM], ends[length >= _LEAST_BESIDE_MM]

    def next_to(self, sheets: Floats) -> tuple[Floats, Floats]:
        """Where cards may lie under cards that lie on sheets (n, 4, 2) px, whose first side is a card's first one.

        Gives (m, 4, 2) px, and (m,) how much of their sides is seen.
        """
        corners = self.table.to_mm(sheets.reshape(-1, 2)).reshape(-1, 4, 2)
        poses = joined(*(self._beside(sheet) for sheet in corners))
        poses = poses.take(each_once(poses, self._card_mm))
        places = poses.quads(self.table, self._card_mm)
        return places, self._edges.coverage(places).mean(axis=1)

    def stick_out(self, places: Floats, known: Floats) -> Flags:
        """(n,) of which places (n, 4, 2) px one whole side and the ends of the two beside it are seen, by their edges.

        The rest lies under cards that are known (m, 4, 2), clockwise.
        """
        seen, middles, inward = self._by_pieces(places, _PIECES)
        is_open = ~within_quads(middles + inward, known)
        # In a gap between two cards that are known the edges are theirs.
        seen = seen * ~within_quads(middles - inward, known)
        share = is_open.mean(axis=2)
        told = (seen * is_open).sum(axis=2) / np.maximum(is_open.sum(axis=2), 1)
        before, after = np.roll(told, 1, axis=1), np.roll(told, -1, axis=1)
        far = (share >= _OPEN) & (told >= _SEEN_FAR) & (np.roll(share, 2, axis=1) <= _HIDDEN)
        return np.asarray((far & (before >= _SEEN_ENDS) & (after >= _SEEN_ENDS)).any(axis=1))

    def own_sides(self, sheet: Floats, above: Floats, others: Floats) -> float:
        """How much is seen of the sides that a card (4, 2) px has on bare table, 0 where it has none there.

        Some of the `others` (n, 4, 2), whose edges are their own, lie `above` it (m, 4, 2).
        """
        seen, middles, inward = self._by_pieces(sheet[None], _FINE_PIECES)
        own = ~within_quads(middles + inward, above) & ~within_quads(middles - inward, others)
        return float(seen[own].mean()) if own.any() else 0.0

    def _by_pieces(self, places: Floats, pieces: int) -> tuple[Floats, Floats, Floats]:
        """Of each piece of each side of places (n, 4, 2): how much is seen, its middle in px, and a little way inward.

        (n, 4, pieces), and twice (n, 4, pieces, 2).
        """
        ends = np.linspace(0, 1, pieces + 1)[:, None]
        marks = places[:, :, None] + (np.roll(places, -1, axis=1) - places)[:, :, None] * ends
        lines = np.concatenate([marks[:, :, :-1], marks[:, :, 1:]], axis=3)
        seen = self._edges.coverage_of_lines(lines.reshape(-1, 4)).reshape(lines.shape[:3])
        middles = (marks[:, :, :-1] + marks[:, :, 1:]) / 2
        return seen, middles, _WITHIN * (places.mean(axis=1)[:, None, None] - middles)

    def _beside(self, sheet: Floats) -> Poses:
        """Cards whose far edge, or a line within it, runs along a side of a card (4, 2), a little beyond it."""
        middle = sheet.mean(axis=0)
        across, down = sheet[1] - sheet[0] + sheet[2] - sheet[3], sheet[3] - sheet[0] + sheet[2] - sheet[1]
        across, down = across / np.linalg.norm(across), down / np.linalg.norm(down)
        turn = float(np.arctan2(across[1], across[0]))
        width, height = self._card_mm
        short, long = self._lines
        parts = [Poses(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)))]
        for out, along, deep, side, lines in (
            (down, across, height, width, short),
            (-down, -across, height, width, short),
            (across, -down, width, height, long),
            (-across, down, width, height, long),
        ):
            seen = _Along(self._ends, middle, out, along)
            beside = _Along(self._short, middle, along, out)
            sense = np.sign(along[0] * out[1] - along[1] * out[0])
            for line in lines:
                for far, slope, lies in _far_sides(seen, beside, line, deep, side):
                    at = middle + (far + slope * lies)[:, None] * out + lies[:, None] * along
                    outward = (out - slope * along) / np.hypot(1, slope)
                    angle = np.full(len(lies), turn + sense * np.arctan(slope))
                    parts.append(Poses(at - outward * deep / 2, angle, np.zeros((len(lies), 4))))
        return joined(*parts)


class _Along:
    """Edges (n, 2, 2) mm by how they lie to a card: `off` its middle one way, (n,), `slope` and from where to where."""

    def __init__(self, ends: Floats, middle: Floats, out: Floats, along: Floats) -> None:
        beyond, beside = (ends - middle) @ out, (ends - middle) @ along
        run = beside[:, 1] - beside[:, 0]
        self.slope = (beyond[:, 1] - beyond[:, 0]) / np.where(run == 0, 1e-9, run)
        self.nearest, self.farthest = beyond.min(axis=1), beyond.max(axis=1)
        self.low, self.high = beside.min(axis=1), beside.max(axis=1)
        self.off = beyond.mean(axis=1) - self.slope * beside.mean(axis=1)
        self.runs_along = np.abs(self.slope) < np.tan(_TURNED)


def _far_sides(
    seen: _Along, beside: _Along, line: SideLine, deep: float, side: float
) -> list[tuple[float, float, Floats]]:
    """The far sides of cards under one: how far off, the slope, and (n,) where their middles may be along it."""
    far_off = line.within_mm * np.hypot(1, seen.slope)
    fits = seen.runs_along & (seen.nearest + far_off > deep / 2 + _BEYOND_MM)
    fits &= seen.farthest + far_off < deep * (0.5 + _MOST_BEYOND)
    fits &= (seen.low > -side / 2 - _ASIDE_MM) & (seen.high < side / 2 + _ASIDE_MM)
    found = []
    for k in np.flatnonzero(fits)[:_MOST]:
        slope, far = float(seen.slope[k]), float(seen.off[k] + far_off[k])
        whole = abs(seen.high[k] - seen.low[k] - line.length_mm) < line.slack_mm
        # As the known card lies; as the edge does, where the whole of it is seen; or as what lies beside it says.
        lies = [0.0]
        if whole:
            # What is clockwise along a side runs against `along`.
            lies.append((seen.low[k] + seen.high[k]) / 2 + line.middle_mm - slope * line.within_mm)
        lies += _asides(beside, slope, deep / 2, far, side)
        found.append((far, slope, np.array(lies[: 1 + _MOST_ASIDE])))
    return found


def _asides(beside: _Along, slope: float, near: float, far: float, side: float) -> list[float]:
    """How far aside a card may lie by the edges beside what lies open of it, between `near` and `far`."""
    open_mm = np.minimum(beside.high, far) - np.maximum(beside.low, near)
    fits = (open_mm >= _LEAST_OPEN * (far - near)) & (np.abs(beside.slope + slope) < _SQUARE)
    at = beside.off + beside.slope * (near + far) / 2 - slope * (far - near) / 2
    lies = np.concatenate([at[fits] - side / 2, at[fits] + side / 2])
    kept: list[float] = []
    for one in lies[np.abs(lies) < _ASIDE_MM]:
        if all(abs(one - other) > _APART_MM for other in kept):
            kept.append(float(one))
    return kept
