"""Reads the cards of one view layer by layer: finds, ranks, verifies, takes certain cards, and looks under them.

Only a part of a card in a heap or a column may be visible. The finder marks cards that were taken and gives those under
them. Their cells are left out, and the open part of the next card is ranked and verified alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Box, Flags, Floats
from vision.find.finder import CardHypotheses
from vision.quads import shared_area
from vision.read.places import is_steady, same_place
from vision.read.rectify import Covers, Pyramid
from vision.read.verdict import Verdict, presence, worth
from vision.read.verifier import Verifier


@dataclass(frozen=True)
class LayerParams:
    """Thresholds for verifying and looking under; scores are the finder's, areas shares of a card's."""

    likely: float = 0.8  # a card, whatever its face: one empty synthetic table in ten has such a hypothesis
    bleached: float = 0.4  # the same, where light has wiped out a part: half-bleached cards have 0.44
    laps: float = 0.3
    least_open: float = 0.08


LAYER = LayerParams()


Find = Callable[[Sequence[Floats]], CardHypotheses]
"""Finds cards beside those that are known, (4, 2) px each."""
Accepts = Callable[[Verdict, Flags, float], bool]
"""Returns whether a verdict is accepted, by the card's open cells and the finder's score."""


@dataclass(frozen=True, eq=False)
class Passes:
    """Limits of the search.

    `most`: layers. `promise`, `score`: of the ranking above a card without print, or of the finder; places with one of
    them are verified where the finder sees the share `in_sight` of a card. `steady` (n, 4, 2): while something moves,
    only cards of the picture before are verified, without a closer look at doubtful ones; None: nothing moves.
    within: left, top, right and bottom px, where the middles of cards are that count; None: the whole picture.
    """

    most: int = 12
    promise: float = 0.19
    score: float = 0.3
    in_sight: float = 0.0
    steady: Floats | None = None
    within: Box | None = None


@dataclass(eq=False)
class Place:
    """A hypothesis: corners (4, 2) px, the finder's `score` and visible share, and the verdict, None without a face."""

    quad: Floats
    score: float
    in_sight: float
    verdict: Verdict | None = None


class Layers:
    """The cards of one picture; `covers` starts with the known quads."""

    def __init__(
        self,
        find: Find,
        verifier: Verifier,
        picture: Pyramid,
        white: Floats | None,
        covers: Covers,
        passes: Passes,
    ) -> None:
        self.covers, self.picture = covers, picture
        self.taken: list[Verdict] = []
        self.nameless: list[Verdict] = []  # cards certain to be there, whatever their faces
        self.found: list[Place] = []  # all hypotheses of the first pass
        self.left: list[Place] = []  # of the last pass: hypotheses at which nothing was taken
        self._find, self._verifier, self._passes, self._white = find, verifier, passes, white
        self._fresh: list[Verdict] = []  # cards of the last pass

    def read(self, accepts: Accepts, is_there: Accepts) -> None:
        """Take all cards that `accepts` accepts, the most certain first, and those that `is_there` accepts as cards."""
        for _ in range(self._passes.most):
            self._judge(self._find(tuple(self.covers.quads)))
            self.found = self.found or list(self.left)
            self._fresh = self._take(accepts, worth)
            self.taken += self._fresh
            if not self._fresh:
                break
        # Nothing was found under cards without a name in 23 passes of 48 tables.
        self.nameless = self._take(is_there, presence)

    def _judge(self, found: CardHypotheses) -> None:
        """Rank and verify hypotheses; those where nothing has changed since the last pass keep their verdicts."""
        before, self.left = self.left, []
        quads = self._verifier.deck.art_first(found.corners_px)
        is_open = 1 - self.covers.over(quads, 12, 12).mean((1, 2))
        left, top, right, bottom = self._passes.within or (0, 0, self.picture.shape[1], self.picture.shape[0])
        middles = quads.mean(axis=1)
        is_open[((middles < (left, top)) | (middles > (right, bottom))).any(axis=1)] = 0
        taken = [verdict.sheet for verdict in self.taken]
        fresh: list[Place] = []
        for k in np.flatnonzero(is_open >= LAYER.least_open):
            if any(same_place(quads[k], other) for other in taken):
                continue
            known = next((one for one in before if np.abs(one.quad - quads[k]).max() < 1.0), None)
            if known is not None and not self._is_newly_covered(known):
                self.left.append(known)
                continue
            fresh.append(Place(quads[k], float(found.scores[k]), float(found.in_sight[k])))
            self.left.append(fresh[-1])
        self._verify(fresh)

    def _is_newly_covered(self, place: Place) -> bool:
        return any(shared_area(place.quad, verdict.sheet) > 0 for verdict in self._fresh)

    def _verify(self, places: list[Place]) -> None:
        """Rank and verify places: fully visible ones at once, and each partly covered one alone."""
        passes, quick = self._passes, self._passes.steady is not None
        places = [place for place in places if place.in_sight >= passes.in_sight]
        if passes.steady is not None:
            steady = passes.steady
            places = [place for place in places if any(is_steady(place.quad, other) for other in steady)]
        covers = [self.covers.near(place.quad) for place in places]
        whole = [place for place, over in zip(places, covers, strict=True) if over is None]
        self._verify_at_once(whole, None, quick=quick)
        for place, over in zip(places, covers, strict=True):
            if over is not None:
                self._verify_at_once([place], over, quick=quick)

    def _verify_at_once(self, places: list[Place], covers: Covers | None, *, quick: bool) -> None:
        if not places:
            return
        quads = np.stack([place.quad for place in places])
        ranks = self._verifier.ranker.rank(self.picture, quads, self._white, covers)
        scores = np.array([place.score for place in places])
        worth_it = np.flatnonzero((ranks.promise >= self._passes.promise) | (scores >= self._passes.score))
        verdicts = self._verifier.judge(
            self.picture, quads[worth_it], ranks.take(worth_it), self._white, covers, quick=quick
        )
        for k, verdict in zip(worth_it, verdicts, strict=True):
            places[k].verdict = verdict

    def _take(self, accepts: Accepts, value: Callable[[Verdict, Flags], float]) -> list[Verdict]:
        fresh: list[Verdict] = []
        left = {place: place.verdict for place in self.left if place.verdict is not None}
        cells = {place: verdict.open_under(self.covers) for place, verdict in left.items()}
        while left:
            best = max(left, key=lambda place: value(left[place], cells[place]))
            verdict = left.pop(best)
            if not accepts(verdict, cells[best], best.score):
                continue
            fresh.append(verdict)
            self.covers = self.covers.and_(verdict.sheet)
            self.left = [one for one in self.left if not same_place(one.quad, verdict.sheet) and one is not best]
            shared = {one: shared_area(one.quad, verdict.quad) for one in self.left if one in left}
            # A place that shares much with a taken card was verified by that card's print: the next pass verifies it.
            left = {one: left[one] for one, area in shared.items() if area < LAYER.laps}
            cells |= {one: left[one].open_under(self.covers) for one in left if shared[one] > 0}
        return fresh
