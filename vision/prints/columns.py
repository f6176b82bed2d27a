"""Columns of cards: where the next card lies, by an edge that runs along a side of a known card, a little beyond it.

People lay columns by eye: the next card is turned by a degree or two and lies some millimetres aside. Its far edge
tells both; where it is not seen as a whole, the card may lie as little aside as the known one.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.prints.print_deck import PrintDeck
from vision.prints.proposals import Edges, Poses, each_once, joined
from vision.quads import within_quads

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_LEAST_MM = 18.0  # of an edge
_TURNED = np.radians(6.0)
_BEYOND_MM, _MOST_BEYOND = 5.0, 0.55  # the least, and the most by the card's side
_ASIDE_MM = 10.0
_ROUNDED_MM = 8.0  # by what an edge between rounded corners may be shorter than the card
_MOST = 10  # on one side of one card
# A line along a side: how far from it, how much of it between the corners, and how strong, of white.
_BORDER_MM, _CORNER, _ALONG, _STEP = (1.0, 9.0), 0.15, 0.8, 0.06
_PIECES = 8  # of a side
_WITHIN = 0.04  # of the way to a card's middle: a rim lies beside the card above it, not under it
_OPEN, _HIDDEN = 0.85, 0.25  # of the far side, at least, and of the side under the column, at most
_SEEN_FAR, _SEEN_ENDS = 0.85, 0.6  # of what lies open of the far side, and of the two beside it


def border_of(deck: PrintDeck) -> float:
    """How far from the cards' edges a line runs along them on most faces of a deck, in mm; 0 where none does."""
    found = [distance for face in deck.fronts for distance in _borders(face.art, deck.card_mm[1])]
    there = [distance for distance in found if distance is not None]
    return float(np.median(there)) if len(there) > len(found) / 2 else 0.0


def _borders(art: NDArray[np.uint8], height_mm: float) -> list[float | None]:
    """For each side of an art (h, w, 3), how far from it a line runs along it, in mm, None where none does."""
    px_per_mm = art.shape[0] / height_mm
    least, most = (round(mm * px_per_mm) for mm in _BORDER_MM)
    found: list[float | None] = []
    for turn in range(4):
        turned = np.rot90(art, turn).astype(np.float32) / 255
        width = turned.shape[1]
        middle = turned[: most + 1, round(_CORNER * width) : round((1 - _CORNER) * width)]
        steps = np.abs(middle[1:] - middle[:-1]).max(axis=2)
        along = np.asarray(cv2.dilate(steps, np.ones((3, 1), np.uint8)) > _STEP).mean(axis=1)[least:]
        found.append((least + int(np.argmax(along)) + 1) / px_per_mm if along.max(initial=0) > _ALONG else None)
    return found


class Columns:
    """Looks for the cards of a deck under others, by the edges in one picture.

    A white border on a white border shows no edge, but the line within it does: `border_mm` is how far within it runs.
    """

    def __init__(self, edges: Edges, card_mm: tuple[float, float], border_mm: float) -> None:
        self.table = edges.table
        self._edges, self._card_mm, self._border_mm = edges, card_mm, border_mm
        ends = edges.ends_mm()
        self._ends = ends[np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) >= _LEAST_MM]

    def next_to(self, sheets: Floats) -> tuple[Floats, Floats]:
        """Where cards may lie under cards that lie on sheets (n, 4, 2) px, whose first side is a card's first one.

        Gives (m, 4, 2) px, and (m,) how much of their sides is seen.
        """
        corners = self.table.to_mm(sheets.reshape(-1, 2)).reshape(-1, 4, 2)
        withins = {0.0, self._border_mm}
        poses = joined(*(_beside(sheet, self._ends, self._card_mm, within) for sheet in corners for within in withins))
        poses = poses.take(each_once(poses, self._card_mm))
        places = poses.quads(self.table, self._card_mm)
        return places, self._edges.coverage(places).mean(axis=1)

    def stick_out(self, places: Floats, known: Floats) -> Flags:
        """(n,) of which places (n, 4, 2) px one whole side and the ends of the two beside it are seen, by their edges.

        The rest lies under cards that are known (m, 4, 2), clockwise.
        """
        ends = np.linspace(0, 1, _PIECES + 1)[:, None]
        marks = places[:, :, None] + (np.roll(places, -1, axis=1) - places)[:, :, None] * ends
        lines = np.concatenate([marks[:, :, :-1], marks[:, :, 1:]], axis=3)
        seen = self._edges.coverage_of_lines(lines.reshape(-1, 4)).reshape(lines.shape[:3])
        middles = (marks[:, :, :-1] + marks[:, :, 1:]) / 2
        inward = _WITHIN * (places.mean(axis=1)[:, None, None] - middles)
        is_open = ~within_quads(middles + inward, known)
        # In a gap between two cards that are known the edges are theirs.
        seen = seen * ~within_quads(middles - inward, known)
        share = is_open.mean(axis=2)
        told = (seen * is_open).sum(axis=2) / np.maximum(is_open.sum(axis=2), 1)
        before, after = np.roll(told, 1, axis=1), np.roll(told, -1, axis=1)
        far = (share >= _OPEN) & (told >= _SEEN_FAR) & (np.roll(share, 2, axis=1) <= _HIDDEN)
        return np.asarray((far & (before >= _SEEN_ENDS) & (after >= _SEEN_ENDS)).any(axis=1))


def _beside(sheet: Floats, ends: Floats, card_mm: tuple[float, float], within_mm: float) -> Poses:
    """Cards whose far edge is near one of the edges (n, 2, 2) mm that run along a side of a card (4, 2) mm."""
    middle = sheet.mean(axis=0)
    across, down = sheet[1] - sheet[0] + sheet[2] - sheet[3], sheet[3] - sheet[0] + sheet[2] - sheet[1]
    across, down = across / np.linalg.norm(across), down / np.linalg.norm(down)
    turn = float(np.arctan2(across[1], across[0]))
    width, height = card_mm
    parts = [Poses(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 4)))]
    for out, along, deep, long in (
        (down, across, height, width),
        (-down, -across, height, width),
        (across, -down, width, height),
        (-across, down, width, height),
    ):
        beyond, beside = (ends - middle) @ out, (ends - middle) @ along
        least, most = deep / 2 + _BEYOND_MM, deep * (0.5 + _MOST_BEYOND)
        run = beside[:, 1] - beside[:, 0]
        slope = (beyond[:, 1] - beyond[:, 0]) / np.where(run == 0, 1e-9, run)
        low, high = beside.min(axis=1), beside.max(axis=1)
        fits = (beyond.min(axis=1) > least) & (beyond.max(axis=1) < most) & (np.abs(slope) < np.tan(_TURNED))
        fits &= (low > -long / 2 - _ASIDE_MM) & (high < long / 2 + _ASIDE_MM)
        if not fits.any():
            continue
        chosen = np.flatnonzero(fits)[:_MOST]
        slope, low, high = slope[chosen], low[chosen], high[chosen]
        far = beyond[chosen].mean(axis=1) - slope * beside[chosen].mean(axis=1)
        whole = np.abs(high - low - long + 2 * within_mm + _ROUNDED_MM / 2) < _ROUNDED_MM
        # As the known card lies; where the whole edge is seen, as the edge does, too.
        aside = np.where(whole, (low + high) / 2, 0.0)
        for lies in (np.zeros(len(aside)), aside):
            at = middle + (far + slope * lies)[:, None] * out + lies[:, None] * along
            outward = out - slope[:, None] * along
            outward /= np.linalg.norm(outward, axis=1, keepdims=True)
            sense = np.sign(along[0] * out[1] - along[1] * out[0])
            parts.append(
                Poses(at - outward * (deep / 2 - within_mm), turn + sense * np.arctan(slope), np.zeros((len(at), 4)))
            )
    return joined(*parts)
