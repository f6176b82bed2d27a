"""Takes certain cards off a picture from the top, and looks again at what lies under those that were taken.

Of a card in a heap or a column only a strip may be seen. What lies over it is known once the cards there are certain:
their cells are left out, and what is open of the card is ranked and verified alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.prints.candidates import Candidates
from vision.prints.columns import Columns
from vision.prints.places import elsewhere, same_place, same_places
from vision.prints.proposals import WHOLE
from vision.prints.straight import Covers, Pyramid
from vision.prints.verdict import MOST_WORTH, Verdict, presence, worth
from vision.prints.verifier import Verifier
from vision.quads import shared_area
from vision.table import Table

_MOST_IN_VAIN, _MORE_IN_VAIN, _MOST_LAYERS = 100, 6, 100  # places at which no card is taken, at first and for each card
_TRIES = 3  # places looked at for one card, in one layer
_BY_SIDES, _USUAL_SIDES, _BY_EDGES = 0.3, 0.6, 0.5
# What a place must promise to be judged: at first, when no other card is left to be taken, and a strip of a column:
# of 368 strips of our own cards five, yellow ones under a warm lamp, promise less than 0.45.
_PROMISES = (0.6, 0.45, 0.25)
_HARDLY, _MOST_SETTLED = 0.25, 12  # of what a place promises that may come to; so many are moved
_LEAST_OPEN, _MOST_OPEN = 0.08, 0.5  # of a card; of one that is told by its edges alone
_PLAIN, _LAPS, _APART = 0.78, 0.3, 0.02  # of the print; of a place's area, twice

Accepts = Callable[[Verdict, Flags, float], bool]
Proposes = Callable[[Floats], tuple[Floats, Floats]]
"""Proposes places (n, 4, 2) of cards beside those that were taken (m, 4, 2), and says how much of their sides shows."""
Value = Callable[[Verdict, Flags], float]


class Layers:
    """Places (n, 4, 2) of one picture at which cards may lie, `seen` (n,) being the share of their sides that shows.

    Without `columns` nothing is looked for under cards but in those places: where nothing tells how large cards are, a
    strip of one may be anything.
    """

    def __init__(
        self,
        verifier: Verifier,
        picture: Pyramid,
        quads: Floats,
        seen: Floats,
        white: Floats | None,
        covers: Covers,
        columns: Columns | None,
        hidden: Proposes | None = None,
    ) -> None:
        self.covers = covers
        self._columns = columns
        self._hidden = hidden
        self._verifier, self._picture, self._white = verifier, picture, white
        self._places = Candidates.at(quads, seen, len(verifier.ranker.faces), part=False)
        self._verdicts: dict[int, Verdict] = {}
        self._tried: set[int] = set()  # places that were judged as they are now: not all of them look like a card
        self.nameless: list[Verdict] = []  # cards that lie there for certain, of which nobody knows which they are
        self.outlined: list[Floats] = []  # (4, 2) places of cards that stick out, by their edges, and were not read
        self._judged, self._more = 0, 0
        self._settled = False
        self._has_strips = False  # of a card of which only a strip shows: there are columns
        self._tries: list[Floats] = []  # places that were judged since a card was last taken
        self._rank(np.arange(len(quads)), None)

    @property
    def left(self) -> list[Verdict]:
        """Verdicts on places where no certain card was taken."""
        return [verdict for k, verdict in self._verdicts.items() if not self._places.closed[k]]

    def in_doubt(self) -> list[tuple[Floats, Covers | None, int | None]]:
        """Places (4, 2) where untold cards may lie, what is over each, and its likeliest face; the likeliest first."""
        there = [(verdict.sheet, verdict.face) for verdict in self.nameless]
        found: list[tuple[Floats, Covers | None, int | None]] = []
        for quad, face in [*there, *((quad, None) for quad in self.outlined)]:
            above = Covers(self.covers.quads[: self.covers.place_of(quad)])
            found.append((quad, above.lying_on(quad), face))
        left = sorted(self.left, key=lambda verdict: -verdict.margin)
        return found + [(each.sheet, self.covers.lying_on(each.sheet), each.face) for each in left]

    def taken(self, accepts: Accepts, lies: Accepts) -> list[Verdict]:
        """Take all cards that are accepted, the surest first.

        `accepts` is given a verdict, which of the card's cells lie open, and how much of its sides is seen; `lies` the
        same, of cards that lie there for certain though nobody knows which they are: what is under them can be told.
        """
        taken: list[Verdict] = []
        lowered = 0
        for _ in range(_MOST_LAYERS):
            most = _MOST_IN_VAIN + _MORE_IN_VAIN * (len(taken) + len(self.nameless)) + self._more
            judged = self._judge(_PROMISES[lowered], most)
            fresh = self._take(accepts, worth)
            taken += fresh
            sheets = [verdict.sheet for verdict in fresh]
            idle = not sheets and not judged
            if idle and lowered + 1 < len(_PROMISES) and (lowered == 0 or self._has_strips):
                lowered += 1
                continue
            if idle and self._columns is not None and not self._settled:
                self._settled = True
                self._settle(self._columns.table)
                self._add_hidden()
                lowered = min(lowered, 1)  # these are no strips
                continue
            if idle and self._columns is not None:
                unsure = self._take(lies, presence)
                self.nameless += unsure
                sheets = [verdict.sheet for verdict in unsure] or self._take_outlined()
            if sheets:
                self._tries = []
                self._add_under(np.array(sheets))
                self._reopen(np.array(sheets))
            elif not judged:
                break
        return taken

    def _rank(self, which: NDArray[np.intp], covers: Covers | None) -> None:
        """Say what places promise; with covers, they are partly under these."""
        places = self._places
        scores, plain = self._verifier.ranker.scores_beside_plain(
            self._picture, places.quads[which], self._white, covers
        )
        places.scores[which] = scores
        # How a strip's card lies the ranking tells better than sides that lie in line with its neighbours'.
        sides = places.seen[which] if covers is None else _USUAL_SIDES
        places.promise[which] = scores.max(axis=1, initial=0) - plain + _BY_SIDES * sides
        if covers is None:
            # What has a card's whole outline is judged before it is called a stranger, after all else.
            floor = np.where(places.seen[which] >= WHOLE, _PROMISES[1], 0)
        elif self._columns is not None:
            # A strip shows too little for the ranking to pass it over where its edges speak for a card.
            places.sticks[which] = self._columns.stick_out(places.quads[which], covers.quads)
            floor = np.where(places.sticks[which], _BY_EDGES, 0)
        else:
            return
        places.promise[which] = np.maximum(places.promise[which], floor)

    def _judge(self, least_promise: float, most: int) -> bool:
        """Verdicts on the most promising places, a few for each spot, until so many have been judged in all.

        Gives whether there was anything to judge.
        """
        places = self._places
        before = self._judged
        for k in np.argsort(-places.promise):
            if self._judged >= most or places.promise[k] < least_promise:
                break
            if k in self._tried or places.closed[k]:
                continue
            if int(same_places(np.array(self._tries).reshape(-1, 4, 2), places.quads[k]).sum()) >= _TRIES:
                continue
            if least_promise < _PROMISES[1] and not places.part[k]:
                continue
            if self._waits(places.quads[k]):
                continue
            self._tries.append(places.quads[k])
            self._tried.add(int(k))
            self._judged += 1
            covers = self.covers.near(places.quads[k]) if places.part[k] else None
            verdict = self._verifier.judge(self._picture, places.quads[k], places.scores[k], self._white, covers)
            if verdict is not None:
                self._verdicts[int(k)] = verdict
        return self._judged > before

    def _settle(self, table: Table) -> None:
        """Move whole places that promise little to where they look most like a card: in a heap edges are others'."""
        places = self._places
        chosen: list[int] = []
        for k in np.argsort(-places.promise):
            if places.promise[k] < _HARDLY or len(chosen) >= _MOST_SETTLED:
                break
            if places.closed[k] or places.part[k] or k in self._tried:
                continue
            if not same_places(places.quads[chosen].reshape(-1, 4, 2), places.quads[k]).any():
                chosen.append(int(k))
        if not chosen:
            return
        which = np.array(chosen)
        quads, scores, promise = self._verifier.ranker.settled(self._picture, places.quads[which], table, self._white)
        places.quads[which], places.scores[which] = quads, scores
        places.promise[which] = promise + _BY_SIDES * places.seen[which]

    def _add_hidden(self) -> None:
        """Add places of cards whose sides nothing shows, when those are taken that show theirs."""
        if self._hidden is None:
            return
        quads, seen = self._hidden(self.covers.quads)
        others = elsewhere(quads, self.covers.quads)
        quads, seen = quads[others], seen[others]
        which = np.arange(len(self._places.quads), len(self._places.quads) + len(quads))
        self._places = self._places.and_(Candidates.at(quads, seen, self._places.scores.shape[1], part=False))
        under = _partly_under(quads, self.covers.quads)
        self._places.part[which[under]] = True
        self._rank(which[~under], None)
        self._rank_open(which[under])
        self._more = len(which)

    def _take_outlined(self) -> list[Floats]:
        """Cards that stick out, by their edges, and that could not be read: what lies under them can be."""
        places = self._places
        found: list[Floats] = []
        stick = places.sticks & ~places.closed & (places.open <= _MOST_OPEN)
        for k in np.argsort(places.open):
            if stick[k] and all(shared_area(places.quads[k], other) < _APART for other in found):
                # Of a line within its border and its edge beside it, the edge.
                same = np.flatnonzero(stick & same_places(places.quads, places.quads[k]))
                found.append(places.quads[same[np.argmax(places.open[same])]])
        for quad in found:
            self.covers = self.covers.and_(quad)
            self._close(quad)
        self.outlined += found
        return found

    def _waits(self, quad: Floats) -> bool:
        """Whether a place shares much with one that is told plainly: it is ranked anew once that card is taken."""
        return any(
            verdict.share() >= _PLAIN
            and verdict.margin >= MOST_WORTH / 2
            and verdict.evidence() > 0
            and shared_area(quad, verdict.quad) >= _LAPS
            for k, verdict in self._verdicts.items()
            if not self._places.closed[k]
        )

    def _take(self, accepts: Accepts, value: Value) -> list[Verdict]:
        fresh: list[Verdict] = []
        left = {k: verdict for k, verdict in self._verdicts.items() if not self._places.closed[k]}
        opened = {k: verdict.open_under(self.covers) for k, verdict in left.items()}
        values = {k: value(verdict, opened[k]) for k, verdict in left.items()}
        while left:
            best = max(left, key=values.__getitem__)
            verdict, cells = left.pop(best), opened[best]
            if not accepts(verdict, cells, float(self._places.seen[best])):
                continue
            fresh.append(verdict)
            self._has_strips |= bool(cells.mean() < _MOST_OPEN)
            self.covers = self.covers.and_(verdict.sheet)
            self._close(verdict.quad)
            # What lies well under a card that was taken was judged by what the card shows: it is judged anew.
            left = {
                k: other
                for k, other in left.items()
                if not self._places.closed[k] and shared_area(other.quad, verdict.quad) < _LAPS
            }
            for k in left:
                if shared_area(left[k].quad, verdict.quad) > 0:
                    opened[k] = left[k].open_under(self.covers)
                    values[k] = value(left[k], opened[k])
        return fresh

    def _close(self, quad: Floats) -> None:
        self._places.closed |= same_places(self._places.quads, quad)
        for k, verdict in self._verdicts.items():
            self._places.closed[k] |= same_place(verdict.quad, quad)

    def _add_under(self, sheets: Floats) -> None:
        """Add places of cards that lie under those that were taken (n, 4, 2), as in a column."""
        if self._columns is None:
            return
        quads, seen = self._columns.next_to(sheets)
        # What is taken already is proposed once more by its neighbour.
        others = elsewhere(quads, sheets)
        quads, seen = quads[others], seen[others]
        count = len(self._places.quads)
        self._places = self._places.and_(Candidates.at(quads, seen, self._places.scores.shape[1], part=True))
        self._rank_open(np.arange(count, count + len(quads)))

    def _reopen(self, sheets: Floats) -> None:
        """Rank anew what lies partly under cards that were taken (n, 4, 2)."""
        left = np.flatnonzero(~self._places.closed)
        touched = left[_partly_under(self._places.quads[left], sheets)].tolist()
        for k in touched:
            self._places.part[k] = True
            self._verdicts.pop(k, None)
            self._tried.discard(k)
        self._rank_open(np.array(touched, np.intp))

    def _rank_open(self, which: NDArray[np.intp]) -> None:
        """Rank places by what lies open of them; those of which next to nothing does are closed."""
        places = self._places
        places.open[which] = 1 - self.covers.over(places.quads[which], 12, 12).mean((1, 2))
        shut = places.open[which] < _LEAST_OPEN
        places.closed[which[shut]] = True
        self._rank(which[~shut], self.covers)


def _partly_under(quads: Floats, taken: Floats) -> Flags:
    """(n,) which places (n, 4, 2) some card that was taken (m, 4, 2) may lie on."""
    return np.array([any(shared_area(quad, each) > _LEAST_OPEN for each in taken) for quad in quads], bool)
