"""Takes certain cards off a picture from the top, and looks again at what lies under those that were taken.

Of a card in a heap or a column only a strip may be seen. What lies over it is known once the cards there are certain:
their cells are left out, and what is open of the card is ranked and verified alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.prints.straight import Covers, Pyramid
from vision.prints.verdicts import Verdict, Verifier
from vision.quads import shared_area

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MOST_IN_VAIN, _MOST_LAYERS = 100, 40  # places at which no card is taken
_MOST_WORTH = 50.0  # log-odds beyond which a face is no surer
_NEAR = 0.07  # of a card's diagonal: places whose middles are so near are of one card
_TRIES = 3  # places looked at for one card, in one layer
_BY_SIDES = 0.3
# What a place must promise to be judged; those that promise less wait until no other card is left to be taken.
_PROMISES = (0.6, 0.45, 0.3)
_STRIPS = tuple(0.1 + 0.03 * k for k in range(9))  # of a side: how far the next card of a column lies off
_LEAST_OF_STRIP = 0.4  # of the promise; at 0.5 one strip in twenty was lost
_LEAST_OPEN = 0.08  # of a card
_PLAIN, _LAPS = 0.78, 0.3  # of the print; of a place's area

Accepts = Callable[[Verdict, Flags, float], bool]
Under = Callable[[Floats], tuple[Floats, Floats]]


class Layers:
    """Places (n, 4, 2) of one picture at which cards may lie, `seen` (n,) being the share of their sides that shows."""

    def __init__(
        self, verifier: Verifier, picture: Pyramid, quads: Floats, seen: Floats, white: Floats | None, covers: Covers
    ) -> None:
        self.covers = covers
        self._verifier, self._picture, self._white = verifier, picture, white
        self._quads, self._seen = quads, seen
        self._verdicts: dict[int, Verdict] = {}
        self._tried: set[int] = set()  # places that were judged as they are now: not all of them look like a card
        # Places not looked at any more: taken, hidden, or a strip that promises no face.
        self._closed = np.zeros(len(quads), bool)
        self._part = np.zeros(len(quads), bool)  # places partly under cards that were taken
        self.nameless: list[Verdict] = []  # cards that lie there for certain, of which nobody knows which they are
        self._judged = 0
        self._tries: list[Floats] = []  # places that were judged since a card was last taken
        self._scores = np.zeros((len(quads), len(verifier.ranker.faces)), np.float32)
        self._promise = np.zeros(len(quads))
        self._rank(np.arange(len(quads)), None)

    @property
    def left(self) -> list[Verdict]:
        """Verdicts on places where no certain card was taken."""
        return [verdict for k, verdict in self._verdicts.items() if not self._closed[k]]

    @property
    def places(self) -> Floats:
        """(n, 4, 2) all places that were looked at."""
        return self._quads

    def taken(
        self, accepts: Accepts, lies: Accepts | None = None, under: Under | None = None
    ) -> list[Verdict]:
        """Take all cards that are accepted, the surest first.

        `accepts` is given a verdict, which of the card's cells lie open, and how much of its sides is seen; `lies` the
        same, of cards that lie there for certain though nobody knows which they are: what is under them can be told.
        `under` gives more places (m, 4, 2) by cards (n, 4, 2) that were taken, and how much of their sides is seen.
        """
        taken: list[Verdict] = []
        lowered = 0
        for _ in range(_MOST_LAYERS):
            self._judge(_PROMISES[lowered], _MOST_IN_VAIN + len(taken) + len(self.nameless))
            fresh = self._take(accepts)
            taken += fresh
            is_lowest = lowered + 1 == len(_PROMISES)
            if not fresh and is_lowest and lies is not None:
                fresh = self._take(lies)
                self.nameless += fresh
            if fresh:
                self._tries = []
                more = under is not None and self._add(*under(np.array([verdict.sheet for verdict in fresh])), fresh)
                more = self._reopen(fresh) or more
                if is_lowest and not more:
                    break
            elif is_lowest:
                break
            else:
                lowered += 1
        return taken

    def _rank(self, which: NDArray[np.intp], covers: Covers | None) -> None:
        scores, plain = self._verifier.ranker.scores_beside_plain(
            self._picture, self._quads[which], self._white, covers
        )
        self._scores[which] = scores
        self._promise[which] = scores.max(axis=1, initial=0) - plain + _BY_SIDES * self._seen[which]

    def _judge(self, least_promise: float, most: int) -> None:
        """Verdicts on the most promising places, a few for each spot, until so many have been judged in all."""
        for k in np.argsort(-self._promise):
            if self._judged >= most or self._promise[k] < least_promise:
                break
            if k in self._tried or self._closed[k]:
                continue
            if int(same_places(np.array(self._tries).reshape(-1, 4, 2), self._quads[k]).sum()) >= _TRIES:
                continue
            if self._waits(self._quads[k]):
                continue
            self._tries.append(self._quads[k])
            self._tried.add(int(k))
            self._judged += 1
            covers = self.covers.near(self._quads[k]) if self._part[k] else None
            verdict = self._verifier.judge(self._picture, self._quads[k], self._scores[k], self._white, covers)
            if verdict is not None:
                self._verdicts[int(k)] = verdict

    def _waits(self, quad: Floats) -> bool:
        """Whether a place shares much with one that is told plainly: it is ranked anew once that card is taken."""
        return any(
            verdict.share() >= _PLAIN
            and verdict.margin >= _MOST_WORTH / 2
            and verdict.evidence() > 0
            and shared_area(quad, verdict.quad) >= _LAPS
            for k, verdict in self._verdicts.items()
            if not self._closed[k]
        )

    def _take(self, accepts: Accepts) -> list[Verdict]:
        fresh: list[Verdict] = []
        left = {k: verdict for k, verdict in self._verdicts.items() if not self._closed[k]}
        opened = {k: open_cells(verdict, self.covers) for k, verdict in left.items()}
        while left:
            best = max(left, key=lambda k: worth(left[k], opened[k]))
            verdict, cells = left.pop(best), opened[best]
            if not accepts(verdict, cells, float(self._seen[best])):
                continue
            fresh.append(verdict)
            self.covers = self.covers.and_(verdict.sheet)
            self._close(verdict.quad)
            # What lies well under a card that was taken was judged by what the card shows: it is judged anew.
            left = {
                k: other
                for k, other in left.items()
                if not self._closed[k] and shared_area(other.quad, verdict.quad) < _LAPS
            }
            for k in left:
                if shared_area(left[k].quad, verdict.quad) > 0:
                    opened[k] = open_cells(left[k], self.covers)
        return fresh

    def _close(self, quad: Floats) -> None:
        self._closed |= same_places(self._quads, quad)
        for k, verdict in self._verdicts.items():
            self._closed[k] |= same_place(verdict.quad, quad)

    def _add(self, quads: Floats, seen: Floats, fresh: list[Verdict]) -> bool:
        """Add places of cards that lie under those that were taken, as in a column; whether there are any."""
        # What is taken already is proposed once more by its neighbour.
        others = ~np.any([same_places(quads, verdict.quad) for verdict in fresh], axis=0)
        quads, seen = quads[others], seen[others]
        count = len(self._quads)
        self._quads = np.concatenate([self._quads, quads])
        self._seen = np.concatenate([self._seen, seen])
        self._closed = np.concatenate([self._closed, np.zeros(len(quads), bool)])
        self._part = np.concatenate([self._part, np.ones(len(quads), bool)])
        self._scores = np.concatenate([self._scores, np.zeros((len(quads), self._scores.shape[1]), np.float32)])
        self._promise = np.concatenate([self._promise, np.zeros(len(quads))])
        which = np.arange(count, count + len(quads))
        shut = self.covers.over(quads, 12, 12).mean((1, 2))
        self._closed[which[shut > 1 - _LEAST_OPEN]] = True
        self._rank(which[shut <= 1 - _LEAST_OPEN], self.covers)
        # Beside most cards there is only table, and nothing that looks like a face.
        self._closed[which[self._promise[which] < _LEAST_OF_STRIP]] = True
        return bool((~self._closed[which]).any())

    def _reopen(self, fresh: list[Verdict]) -> bool:
        """Rank anew what lies partly under cards that were taken; whether there is anything."""
        touched = [
            int(k)
            for k in np.flatnonzero(~self._closed)
            if any(shared_area(self._quads[k], verdict.quad) > _LEAST_OPEN for verdict in fresh)
        ]
        if not touched:
            return False
        which = np.array(touched, np.intp)
        shut = self.covers.over(self._quads[which], 12, 12).mean((1, 2))
        self._closed[which[shut > 1 - _LEAST_OPEN]] = True
        which = which[shut <= 1 - _LEAST_OPEN]
        self._part[which] = True
        for k in which:
            self._verdicts.pop(int(k), None)
            self._tried.discard(int(k))
        if len(which):
            self._rank(which, self.covers)
        return bool(len(which))


def strips(sheet: Floats) -> Floats:
    """(n, 4, 2) places of cards of which a strip shows on any side of a card that lies on a sheet (4, 2)."""
    sides = sheet[3] - sheet[0], sheet[1] - sheet[0]
    return np.array([sheet + sign * share * side for side in sides for share in _STRIPS for sign in (1, -1)])


def same_place(one: Floats, other: Floats) -> bool:
    """Whether two quads (4, 2) are of one card that lies there."""
    return bool(same_places(one[None], other)[0])


def same_places(some: Floats, quad: Floats) -> Flags:
    """(n,) which of some quads (n, 4, 2) are of the card that lies on a quad (4, 2)."""
    near = _NEAR * float(np.linalg.norm(quad[2] - quad[0]))
    return np.asarray(np.linalg.norm(some.mean(axis=1) - quad.mean(axis=0), axis=1) < near)


def worth(verdict: Verdict, cells: Flags) -> float:
    """What speaks for taking a card first: how surely it is told, and how much of it lies open."""
    return float(verdict.share(cells) * min(verdict.margin, _MOST_WORTH) * cells.mean() ** 0.5)


def open_cells(verdict: Verdict, covers: Covers) -> Flags:
    """(rows, columns) which cells of a card nothing covers that is known."""
    rows, columns = verdict.printed.shape
    return np.asarray(~covers.over(verdict.sheet[None], rows, columns)[0])
