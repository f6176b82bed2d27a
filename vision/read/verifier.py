"""Compares faces where they differ, and gives the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles
from vision.channels import largest
from vision.deck import Deck
from vision.read.evidence import (
    errors,
    explanation_of,
    lacking,
    likeness,
    log_ratios,
    misprints,
    over_no_print,
    patterns_of,
    settled,
    unexplained,
    within_rim,
)
from vision.read.fitting import Arts, Fits, finer, laid_on, posed
from vision.read.ranking import Ranker, Ranks, ranker_of
from vision.read.rectify import Covers, Pyramid
from vision.read.verdict import VERDICT, Verdict

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class WeighParams:
    """Number of faces fitted to a place, the cell sizes, and the weights of their differences."""

    coarse: float = 0.42  # cells per mm
    fine: float = 1.2
    finest: float = 2.4
    posed_looks: int = 2  # a card's pose is nearly the same for all likely faces
    looks: int = 3  # with 4 as many of 1,130 cards are read
    far_behind: float = 0.12  # of the ranking's scores
    rounds: int = 3
    quick_rounds: int = 2
    closer_rounds: int = 2
    # Of the promise to the ranking's blocks, and of the visible pattern: with less of both there is no card. Of 231
    # certain cards of four decks none had less than 0.5 of both; of 225 places without one 133 have less than 0.4.
    promised: float = 0.3
    near_faces: int = 24  # compared at a corner, by the ranking: of 247 corners no more were identified by all 120
    finest_faces: int = 6
    finest_leaders: int = 2
    alike: int = 3  # most similar looks compared with one
    most_apart: float = 0.12  # of white, that a cell may count
    # A sign has few cells of a card, but they weigh more: of 280 corners two were misread, with 2.1 and 2.2 before
    # that.
    finest_weight: float = 8.0
    most_by_fit: float = 40.0  # log-odds
    by_rank_alone: float = 250.0  # log-odds a unit of the ranking's scores, of faces that were not fitted to a picture


WEIGH = WeighParams()
_OPEN = 0.5  # of a coarse cell without a cover


@dataclass(frozen=True, eq=False)
class _Place:
    """A place on a picture: quad, covers and light."""

    picture: Pyramid
    quad: Floats
    score: Singles  # (k,) the ranker's score of each look
    paper: Floats
    known_lamp: bool
    covers: Covers | None


class Verifier:
    """Verifies places on a picture by a deck."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.ranker: Ranker = ranker_of(deck)
        self._size = deck.size_mm
        self._means = deck.meanings[self.ranker.faces]
        self._coarse, self._fine, self._finest = (self._arts(per) for per in (WEIGH.coarse, WEIGH.fine, WEIGH.finest))
        self._small = self._coarse.of(self.ranker.faces, self.ranker.turns)[0]

    def _arts(self, cells_per_mm: float) -> Arts:
        width, height = self._size
        return Arts([face.art for face in self.deck.faces], round(height * cells_per_mm), round(width * cells_per_mm))

    def judge(
        self,
        picture: Pyramid,
        quads: Floats,
        ranks: Ranks,
        white: Floats | None,
        covers: Covers | None = None,
        *,
        quick: bool = False,
    ) -> list[Verdict | None]:
        """Return verdicts for quads (n, 4, 2) near possible cards, their first sides shorter ones.

        `ranks` are the ranker's scores there; cells under `covers` do not count. None where too little looks like any
        face for a closer look; quick: there is none.
        """
        if not len(quads):
            return []
        quads, ranks = self._posed(picture, quads, ranks, white, covers, WEIGH.quick_rounds if quick else WEIGH.rounds)
        known_lamp = white is not None and ranks.whites is None
        verdicts: list[Verdict | None] = []
        for k, quad in enumerate(quads):
            place = _Place(picture, quad, ranks.scores[k], ranks.paper(k, white), known_lamp, covers)
            verdicts.append(self._judged(place, float(ranks.promise[k]), quick=quick))
        return verdicts

    def _posed(
        self, picture: Pyramid, quads: Floats, ranks: Ranks, white: Floats | None, covers: Covers | None, rounds: int
    ) -> tuple[Floats, Ranks]:
        """Return poses of cards near quads (n, 4, 2), by the likeliest faces of each, and the ranker's scores there."""
        likely = [self._likely(score, WEIGH.posed_looks) for score in ranks.scores]
        of = np.repeat(np.arange(len(quads)), [len(looks) for looks in likely])
        looks = np.concatenate(likely)
        papers = np.stack([ranks.paper(k, white) for k in range(len(quads))])[of]
        arts, weights = self._coarse.of(self.ranker.faces[looks], self.ranker.turns[looks])
        lying = posed(picture, quads[of], arts, weights, papers, rounds, covers)
        # A face that is turned the wrong way, or gloss, may have led a fit astray.
        there = ranks.and_(self.ranker.rank(picture, lying, white, covers))
        lying, of = np.concatenate([quads, lying]), np.concatenate([np.arange(len(quads)), of])
        fits = there.scores.max(axis=1)
        best = np.array([np.flatnonzero(of == k)[np.argmax(fits[of == k])] for k in range(len(quads))])
        return lying[best], there.take(best)

    def _laid(self, place: _Place, looks: Numbers) -> Fits:
        """Return the fits of looks (n,) at a place, in coarse cells."""
        arts, weights = self._coarse.of(self.ranker.faces[looks], self.ranker.turns[looks])
        return laid_on(place.picture, place.quad, arts, weights, place.paper, place.covers, known_lamp=place.known_lamp)

    def _finer(self, place: _Place, fits: Fits, looks: Numbers, arts: Arts) -> Fits:
        fine = arts.of(self.ranker.faces[looks], self.ranker.turns[looks])[0]
        return finer(place.picture, replace(fits, quad=place.quad), fine, place.paper, place.covers)

    def _closer(self, place: _Place, look: int, arts: Arts) -> _Place:
        """Return the place with the pose of one look refined in finer cells."""
        found = arts.of(self.ranker.faces[[look]], self.ranker.turns[[look]])
        quads = posed(place.picture, place.quad[None], *found, place.paper[None], WEIGH.closer_rounds, place.covers)
        return replace(place, quad=quads[0])

    def _look_alikes(self, look: int, seen: Flags) -> Numbers:
        """Return the looks that differ least from one in seen cells (rows, columns).

        They have other meanings and the same turn.
        """
        others = np.flatnonzero((self.ranker.turns == self.ranker.turns[look]) & (self._means != self._means[look]))
        apart = np.minimum(largest(np.abs(self._small[others] - self._small[look])), WEIGH.most_apart)
        return np.asarray(others[np.argsort((apart * seen).sum((1, 2)), kind="stable")[: WEIGH.alike]], np.intp)

    def _judged(self, place: _Place, promise: float, *, quick: bool) -> Verdict | None:
        # All faces are compared at the same place: a face free to move would look more like a wrong place.
        looks = self._likely(place.score, WEIGH.looks)
        laid = self._laid(place, looks)
        patterns = patterns_of(laid)
        order = np.argsort(errors(patterns))
        due = WEIGH.promised * self.ranker.due[int(np.argmax(place.score))]
        if promise < due and likeness(patterns)[order[0]] < WEIGH.promised:
            return None
        laid, looks = laid.take(order), looks[order]
        if len(np.unique(self._means[looks])) < len(looks):
            # Faces with the same meaning are no rivals either: the rivals are those that look alike.
            laid, looks = self._with_alike(place, laid, looks, laid.seen)
        verdict = self._weighed(self._finer(place, laid, looks, self._fine), looks, place.score, 0)
        # A place more like an empty surface than like any face is no card, at any resolution. Of 651 such places of
        # four decks none was taken, and in columns they are two of three.
        is_clear = quick or verdict.is_clear
        if verdict.evidence() < 0 or (is_clear and not verdict.strange.any()):
            return verdict
        if verdict.strange.any():
            # Two faces differ by a hat: under a hand they are one, whatever their ranking.
            open_cells = cv2.resize((~verdict.strange).astype(np.float32), self._coarse.shape[::-1]) > _OPEN
            laid, looks = self._with_alike(place, laid, looks, np.asarray(open_cells))
        if not is_clear:
            # Thin strokes distinguish faces only where they match to a part of a cell.
            place = self._closer(place, int(looks[0]), self._fine)
            laid = self._laid(place, looks)
        fine = self._finer(place, laid, looks, self._fine)
        verdict = self._weighed(fine, looks, place.score, int(np.argmin(errors(patterns_of(fine)))))
        if is_clear or verdict.margin >= VERDICT.certain or not self._has_small_signs(verdict):
            return verdict
        return self._by_small_signs(place, looks) or verdict

    def _with_alike(self, place: _Place, laid: Fits, looks: Numbers, seen: Flags) -> tuple[Fits, Numbers]:
        """Return the looks at a place, with those most like the first of them in its seen cells."""
        more = np.setdiff1d(self._look_alikes(int(looks[0]), seen), looks)
        return (laid.and_(self._laid(place, more)), np.concatenate([looks, more])) if len(more) else (laid, looks)

    def _has_small_signs(self, verdict: Verdict) -> bool:
        """Return whether a card of the deck is certainly there, so that a small sign may identify it."""
        shown = verdict.evidence() >= VERDICT.strong_evidence and verdict.share() >= VERDICT.well_explained
        return shown and self.deck.is_complete

    def _by_small_signs(self, place: _Place, looks: Numbers) -> Verdict | None:
        """Return a verdict by the finest cells; None where no other face has the turn of the first of some looks (n,).

        Most faces of a large deck differ in one small sign where only a corner is visible. The likeliest ones are
        compared with it; then the nearest, with those most like them in the seen cells, in finer cells.
        """
        same_turn = np.where(self.ranker.turns == self.ranker.turns[looks[0]], place.score, -np.inf)
        near = np.union1d(looks, self._likely(same_turn, WEIGH.near_faces))
        if len(near) < 2:
            return None
        laid = self._laid(place, near)
        off = errors(patterns_of(self._finer(place, laid, near, self._fine)))
        nearest = near[np.argsort(off)[: WEIGH.finest_faces]]
        alike = [self._look_alikes(int(look), laid.seen) for look in nearest[: WEIGH.finest_leaders]]
        near = np.array(list(dict.fromkeys(np.concatenate([nearest, *alike]).tolist())), np.intp)
        place = self._closer(place, int(near[0]), self._finest)
        laid = self._laid(place, near)
        odds = log_ratios(patterns_of(self._finer(place, laid, near, self._finest))) * WEIGH.finest_weight
        return self._weighed(self._finer(place, laid, near, self._fine), near, place.score, 0, odds)

    def _weighed(self, fits: Fits, looks: Numbers, score: Singles, nearest: int, odds: Floats | None = None) -> Verdict:
        """Return a verdict by looks (n,) fitted to the picture, of which `nearest` is most like it.

        `odds` (n, n) are the log-odds between them, if known.
        """
        faces = self.ranker.faces[looks]
        fit = settled(fits, nearest)
        explanation = explanation_of(fit)
        patterns = patterns_of(fits, ~explanation[2])
        odds = log_ratios(patterns) if odds is None else odds
        np.fill_diagonal(odds, np.inf)
        means = self._means[looks]
        # First choose the meaning, then one of its faces.
        apart = np.where(means[:, None] == means, np.inf, odds)
        likely = np.flatnonzero(means == means[int(np.argmax(apart.min(axis=1)))])
        best = int(likely[np.argmax(odds[likely].min(axis=1))])
        rival: int | None = None
        margin, lead = WEIGH.most_by_fit, float(odds[best].min())
        if np.isfinite(apart[best]).any():
            rival, margin = int(faces[int(np.argmin(apart[best]))]), float(apart[best].min())
        elif len(self.deck.faces) > 1:
            by_face = np.full(len(self.deck.faces), -np.inf)
            np.maximum.at(by_face, self.ranker.faces, score)
            own = by_face[faces[best]]
            by_face[self.deck.meanings == means[best]] = -np.inf
            rival = int(np.argmax(by_face))
            margin += float(WEIGH.by_rank_alone * (own - by_face[rival]))
        if best != nearest:
            fit = settled(fits, best)
            explanation = explanation_of(fit)
        printed, explained, strange = explanation
        in_sight = ~strange & within_rim(strange.shape)
        odd = misprints(patterns, best, in_sight)
        left = unexplained(patterns, best, in_sight)
        if self.deck.is_complete and margin >= VERDICT.excluding_lead and left <= VERDICT.other_pattern:
            # Lamp and gloss change patches of print; another face, which is known then, changes its pattern, too.
            odd[:] = False
        odd |= lacking(fit, strange)
        cell_odds = over_no_print(fit)
        if fit.seen.all():
            # A cover is no evidence about a card; but at a strip it may be the only evidence against a place.
            cell_odds[strange] = 0
        sheet = fit.quad
        quad = np.roll(sheet, int(self.ranker.turns[looks[best]]), axis=0)
        return Verdict(
            int(faces[best]),
            rival,
            margin,
            quad,
            sheet,
            printed,
            explained,
            strange,
            odd,
            cell_odds,
            0.0 if self.deck.is_counted else left,
            lead,
        )

    def _likely(self, score: Singles, most: int) -> NDArray[np.intp]:
        """Return the looks worth a closer look, each of another face: the best, and those not far behind it."""
        order = np.argsort(-score)
        order = order[np.sort(np.unique(self.ranker.faces[order], return_index=True)[1])[:most]]
        return np.asarray(order[score[order] >= score[order[0]] - WEIGH.far_behind], np.intp)
