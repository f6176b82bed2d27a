"""Whether what is seen of a card tells its face from all that mean something else: what is covered tells nothing."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.prints.fitting import arts_of, fitted
from vision.prints.likelihood_ratios import log_ratios
from vision.prints.print_deck import PrintDeck
from vision.prints.straight import Pyramid
from vision.prints.verdict import LEAST_PRINT, SURE, Verdict
from vision.prints.verifier import Verifier

_CELLS_PER_MM = 0.8
_BESIDE = 3  # cells round what lies on a card: its shadow, or its blur
_MOST_COVERED = 0.45


class Telling:
    """Weighs faces against all others of their deck that mean something else in the game."""

    def __init__(self, deck: PrintDeck, verifier: Verifier) -> None:
        self._deck = deck
        self._white_on, self._look_alikes = verifier.white_on, verifier.look_alikes
        self._faces, self._turns = verifier.ranker.faces, verifier.ranker.turns
        width, height = (side * _CELLS_PER_MM for side in deck.size_mm)
        arts = [deck.faces[face].art for face in self._faces]
        self._nearest_whole: dict[int, NDArray[np.intp]] = {}  # of cards that nothing covers, by their looks
        self._arts = arts_of(arts, [int(turn) for turn in self._turns], round(height), round(width))

    def doubt(self, picture: Pyramid, verdict: Verdict, white: Floats | None) -> tuple[str | None, float]:
        """Why a card is unclear, None where it is certain, "" where there is no card; and the log-odds of its face.

        white: (3,) BGR 0..1 of white paper, None where nothing tells.
        """
        if not verdict.is_there():
            return "", 0.0
        covered = float(verdict.strange.mean())
        if covered > _MOST_COVERED or int(verdict.printed.sum()) < LEAST_PRINT or not verdict.is_well_shown():
            return "covered", verdict.margin
        if verdict.is_odd():
            return "glare", verdict.margin
        rival, odds = self.odds(picture, verdict, white)
        odds = min(odds, verdict.margin)
        alike = {self._deck.faces[verdict.face].id, self._deck.faces[rival].id}
        if any(alike == set(pair) for pair in self._deck.alike) and odds < 2 * SURE:
            return "colours", odds
        if odds < SURE:
            return ("covered" if covered > 0.01 else "colours"), odds
        return None, odds

    def odds(self, picture: Pyramid, verdict: Verdict, white: Floats | None) -> tuple[int, float]:
        """The face that what is open of a card tells least from its own, and the log-odds between the two."""
        rows, columns = self._arts.shape[1:3]
        uncovered = ~_grown(verdict.strange, (columns, rows))
        looks = self._nearest(verdict, uncovered)
        if len(looks) == 1:
            return verdict.face, verdict.margin
        white, known_lamp = self._white_on(picture, verdict.sheet, white)
        places = np.repeat(verdict.sheet[None], len(looks), 0)
        fits = fitted(picture, places, self._arts[looks], white, 0, known_lamp=known_lamp)
        odds = log_ratios(fits, uncovered)[0, 1:]
        rival = int(np.argmin(odds))
        return int(self._faces[looks[1 + rival]]), float(odds[rival])

    def _nearest(self, verdict: Verdict, uncovered: Flags) -> NDArray[np.intp]:
        """The look of a verdict, and those of faces that mean something else, turned as it is, that differ least.

        Only what is uncovered counts.
        """
        turns = np.unique(self._turns)
        lies = next(turn for turn in turns if np.allclose(np.roll(verdict.sheet, int(turn), 0), verdict.quad))
        own = int(np.flatnonzero((self._turns == lies) & (self._faces == verdict.face))[0])
        whole = bool(uncovered.all())
        if whole and (known := self._nearest_whole.get(own)) is not None:
            return known
        nearest = np.concatenate([[own], self._look_alikes(own, self._arts, uncovered)])
        if whole:
            self._nearest_whole[own] = nearest
        return nearest


def _grown(covered: Flags, size: tuple[int, int]) -> Flags:
    """What is covered of a card, with what lies close to it, in cells of another size (columns, rows)."""
    if not covered.any():
        return np.zeros(size[::-1], bool)
    cells = cv2.resize(covered.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    side = 2 * _BESIDE + 1
    return np.asarray(cv2.dilate(cells, np.ones((side, side), np.uint8)) > 0)
