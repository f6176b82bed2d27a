"""Reads the cards of one view layer by layer: finds, ranks, verifies, takes what is certain, and looks under it.

Of a card in a heap or a column only a part may be in sight. The finder marks cards that were taken and gives those
under them; their cells are left out, and what is open of the next card is ranked and verified alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats
from vision.find.finder import Hypotheses
from vision.prints.places import is_steady, same_place
from vision.prints.straight import Covers, Pyramid
from vision.prints.verdict import MOST_WORTH, Verdict, presence, worth
from vision.prints.verifier import Verifier
from vision.quads import shared_area

_IN_DOUBT = 0.4  # by the finder, of a place that no face fits: half-bleached cards have 0.44
LIKELY = 0.8  # of the finder's score: one empty synthetic table in ten has such a hypothesis
_PLAIN, _LAPS, _LEAST_OPEN = 0.78, 0.3, 0.08  # of the print; of a place's area

Find = Callable[[Sequence[Floats]], Hypotheses]
"""Finds cards beside those that are known, (4, 2) px each."""
Accepts = Callable[[Verdict, Flags, float], bool]
"""Whether a verdict is accepted, by which of the card's cells lie open, and by the finder's score."""


@dataclass(frozen=True, eq=False)
class Passes:
    """How much is looked at.

    `most`: layers. `promise`, `score`: of the ranking beyond a plain card's, or of the finder; places with one of them
    are verified. `steady` (n, 4, 2): while something moves, only cards that were there in the picture before are
    verified, without a closer look at what is in doubt at first sight; None: nothing moves. sized: the table is in the
    deck's own measure, be that true or not. `lit`: places that are looked at in their own light, each of which
    takes 0.3 s; where it is one, only such as a face fits.
    """

    most: int = 12
    promise: float = 0.25
    score: float = 0.3
    steady: Floats | None = None
    sized: bool = False
    lit: int = 16


@dataclass(eq=False)
class Place:
    """A hypothesis: corners (4, 2) px, the finder's `score` and visible share, and the verdict, None without a face."""

    quad: Floats
    score: float
    in_sight: float
    verdict: Verdict | None = None


class Layers:
    """The cards of one picture; `covers` starts with what is known to be there."""

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
        self.nameless: list[Verdict] = []  # cards that are there for certain, whichever they are
        self.found: list[Place] = []  # all hypotheses of the first pass
        self.left: list[Place] = []  # of the last pass: hypotheses at which nothing was taken
        self._find, self._verifier, self._passes, self._white = find, verifier, passes, white
        self._fresh: list[Verdict] = []  # what the last pass took

    def read(self, accepts: Accepts, lies: Accepts) -> None:
        """Take all cards that are accepted, the most certain first, and those that `lies` says are there."""
        for _ in range(self._passes.most):
            self._judge(self._find(tuple(self.covers.quads)))
            self.found = self.found or list(self.left)
            fresh = self._take(accepts, worth)
            self.taken += fresh
            if not fresh:
                fresh = self._take(lies, presence)
                self.nameless += fresh
            if not fresh:
                break
            self._fresh = fresh

    def in_doubt(self) -> list[tuple[Floats, Covers | None, int | None]]:
        """Places (4, 2) of cards that are not read, what is over each, and its likeliest face; the likeliest first."""
        found: list[tuple[Floats, Covers | None, int | None]] = []
        for verdict in self.nameless:
            above = Covers(self.covers.quads[: self.covers.place_of(verdict.sheet)])
            found.append((verdict.sheet, above.lying_on(verdict.sheet), verdict.face))
        for place in sorted(self.left, key=lambda place: -place.score):
            if place.verdict is not None:
                sheet = place.verdict.sheet
                found.append((sheet, self.covers.lying_on(sheet), place.verdict.face))
            elif place.score >= _IN_DOUBT and self._passes.lit > 1:
                found.append((place.quad, self.covers.lying_on(place.quad), None))
        return found[: self._passes.lit]

    def _judge(self, found: Hypotheses) -> None:
        """Rank and verify hypotheses; those where nothing has changed since the last pass keep their verdicts."""
        before, self.left = self.left, []
        quads = self._verifier.deck.art_first(found.corners_px)
        is_open = 1 - self.covers.over(quads, 12, 12).mean((1, 2))
        height, width = self.picture.shape[:2]
        middles = quads.mean(axis=1)
        is_open[((middles < 0) | (middles > (width, height))).any(axis=1)] = 0
        taken = [verdict.sheet for verdict in (*self.taken, *self.nameless)]
        for k in np.flatnonzero(is_open >= _LEAST_OPEN):
            if any(same_place(quads[k], other) for other in taken):
                continue
            known = next((one for one in before if np.abs(one.quad - quads[k]).max() < 1.0), None)
            if known is not None and not self._is_newly_covered(known):
                self.left.append(known)
                continue
            self.left.append(Place(quads[k], float(found.scores[k]), float(found.in_sight[k])))
            self._verify(self.left[-1])

    def _is_newly_covered(self, place: Place) -> bool:
        return any(shared_area(place.quad, verdict.sheet) > 0 for verdict in self._fresh)

    def _verify(self, place: Place) -> None:
        passes = self._passes
        steady = passes.steady
        if steady is not None and not any(is_steady(place.quad, other) for other in steady):
            return
        covers = self.covers.near(place.quad)
        scores, plain = self._verifier.ranker.scores_beside_plain(self.picture, place.quad[None], self._white, covers)
        if self._waits(place) or (scores.max() - plain[0] < passes.promise and place.score < passes.score):
            return
        quick = steady is not None
        place.verdict = self._verifier.judge(self.picture, place.quad, scores[0], self._white, covers, quick=quick)

    def _waits(self, place: Place) -> bool:
        """Whether a place shares much with one that is plainly read: the next pass looks there again."""
        return any(
            other.verdict is not None
            and other.verdict.share() >= _PLAIN
            and other.verdict.margin >= MOST_WORTH / 2
            and other.verdict.evidence() > 0
            and shared_area(place.quad, other.verdict.quad) >= _LAPS
            for other in self.left
        )

    def _take(self, accepts: Accepts, value: Callable[[Verdict, Flags], float]) -> list[Verdict]:
        fresh: list[Verdict] = []
        left = [place for place in self.left if place.verdict is not None]
        while left:
            rated = [(one.verdict, one.verdict.open_under(self.covers)) for one in left if one.verdict is not None]
            best = int(np.argmax([value(*pair) for pair in rated]))
            (verdict, cells), place = rated[best], left.pop(best)
            if not accepts(verdict, cells, place.score):
                continue
            fresh.append(verdict)
            self.covers = self.covers.and_(verdict.sheet)
            self.left = [one for one in self.left if not same_place(one.quad, verdict.sheet) and one is not place]
            # What shares much with a card that was taken was judged by what that card shows: the next pass judges it.
            left = [one for one in left if one in self.left and shared_area(one.quad, verdict.quad) < _LAPS]
        return fresh
