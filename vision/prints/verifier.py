"""Which face a card shows, how surely, and how much of it: faces weighed against each other where they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles
from vision.channels import largest
from vision.prints.explaining import against_plain, explanation_of, settled, within_rim
from vision.prints.fitting import Fits, arts_of, finer, fitted
from vision.prints.likelihood_ratios import errors, likeness, log_ratios, misprints, unexplained
from vision.prints.lit_look import LitLook
from vision.prints.print_deck import PrintDeck
from vision.prints.ranking import Ranker, ranker_of
from vision.prints.straight import Covers, Pyramid
from vision.prints.verdict import LEAST_LEAD, LIKELY, SURE, SURE_EVIDENCE, WELL_EXPLAINED, Verdict

_COARSE, _FINE = 0.6, 1.2  # cells per mm
_COARSE_LOOKS, _LOOKS, _FINE_FACES = 2, 8, 3
# Of what a face promises to the ranking's blocks, and of the pattern that is seen: with less of both there is no card.
# Of 231 sure cards of four decks none had less than 0.5 of both; of 225 places without one 133 have less than 0.4.
_PROMISED = 0.4
_FAR_BEHIND = 0.12  # of the ranking's scores
_COARSE_ROUNDS, _QUICK_ROUNDS, _CLOSER_ROUNDS = 4, 2, 2
_NEAR_FACES = 24  # held against a corner, by the ranking: of 247 corners no more were told by all 120
_FINEST, _FINEST_FACES, _FINEST_LEADERS = 2.4, 6, 2
# How many looks are held against one as those most like it; of white, that a cell may count: faces that differ by less
# than half of it somewhere are not told apart there.
_ALIKE, _MOST_APART = 3, 0.12
# A sign has few cells of a card, but they say more: of 280 corners two were misread, with 2.1 and 2.2 before that.
_FINEST_SAYS = 8.0
_MOST_BY_FIT = 40.0
_BY_RANK_ALONE = 250.0  # log-odds a unit of the ranking's scores, of faces that were not laid onto the picture


class Verifier:
    """Judges places on a picture by a deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        self.ranker: Ranker = ranker_of(deck)
        self.lit = LitLook(deck)
        self._size = deck.size_mm
        everything = np.arange(len(self.ranker.faces))
        self._means = deck.meanings[self.ranker.faces]
        self._coarse = self._arts(_COARSE, everything)
        self._fine = self._arts(_FINE, everything)

    def _arts(self, scale: float, which: NDArray[np.intp]) -> Singles:
        rows, columns = round(self._size[1] * scale), round(self._size[0] * scale)
        looks = zip(self.ranker.faces[which], self.ranker.turns[which], strict=True)
        faces, turns = zip(*((self.deck.faces[face].art, int(turn)) for face, turn in looks), strict=True)
        return arts_of(list(faces), list(turns), rows, columns)

    def white_on(
        self, picture: Pyramid, quad: Floats, white: Floats | None, covers: Covers | None = None
    ) -> tuple[Floats | None, bool]:
        """White paper (3,) as a card on a quad (4, 2) shows it, and whether that is the lamp's for certain.

        By its own ground, where the deck's faces share one: in a shadow another light falls on it than on the marker
        cards, by which `white` is known.
        """
        own = self.ranker.white_at(picture, quad, covers)
        return (white, white is not None) if own is None else (own, False)

    def look_alikes(self, look: int, arts: Singles, seen: Flags) -> NDArray[np.intp]:
        """The looks that differ least from one where a card is seen (rows, columns), and mean something else.

        They lie as it does. `arts` (k, rows, columns, 3) are those of all looks, in the ranker's order.
        """
        others = np.flatnonzero((self.ranker.turns == self.ranker.turns[look]) & (self._means != self._means[look]))
        apart = np.minimum(largest(np.abs(arts[others] - arts[look])), _MOST_APART)
        return np.asarray(others[np.argsort((apart * seen).sum((1, 2)), kind="stable")[:_ALIKE]], np.intp)

    def judge(
        self,
        picture: Pyramid,
        quad: Floats,
        score: Singles,
        white: Floats | None,
        covers: Covers | None = None,
        *,
        quick: bool = False,
    ) -> Verdict | None:
        """A verdict for a quad (4, 2), which lies near a card if there is one, its first side a shorter one.

        `score` (k,) is what the ranker said of each look there; what lies under `covers` tells nothing. None where too
        little looks like any face for a closer look; quick: there is none.
        """
        verdict = self._by_pattern(picture, quad, score, white, covers, quick=quick)
        if verdict is None or verdict.rival is None or verdict.margin < SURE:
            return verdict
        # What tells two paints of one drawing apart may be the camera's doing.
        if not self.lit.may_be_taken_for(verdict.face, verdict.rival, in_part=covers is not None):
            return verdict
        own = self.white_on(picture, verdict.sheet, white, covers)[0]
        lead = self.lit.lead_over(picture, verdict.quad, (verdict.face, verdict.rival), own, covers)
        return verdict if lead >= LEAST_LEAD else replace(verdict, margin=LIKELY)

    def _by_pattern(
        self,
        picture: Pyramid,
        quad: Floats,
        score: Singles,
        white: Floats | None,
        covers: Covers | None,
        *,
        quick: bool,
    ) -> Verdict | None:
        white, known_lamp = self.white_on(picture, quad, white, covers)

        def laid_on(quads: Floats, arts: Singles, rounds: int) -> Fits:
            return fitted(picture, quads, arts, white, rounds, covers, known_lamp=known_lamp)

        # The pose first: it is nearly the same whichever of the likely faces is laid there.
        first = self._likely(score, _COARSE_LOOKS)
        rounds = _QUICK_ROUNDS if quick else _COARSE_ROUNDS
        rough = laid_on(np.repeat(quad[None], len(first), 0), self._coarse[first], rounds)
        nearest = int(np.argmin(errors(rough)))
        lies = rough.quads[nearest]
        scores, plain = self.ranker.scores_beside_plain(picture, lies[None], white, covers)
        score = scores[0]
        best = int(np.argmax(score))
        promised = (score[best] - plain[0]) / self.ranker.due[best]
        if promised < _PROMISED and likeness(rough, nearest) < _PROMISED:
            return None
        # All faces are held against the same place: one that may move makes what is not like it look more so.
        looks = self._likely(score, _LOOKS)
        laid = laid_on(np.repeat(lies[None], len(looks), 0), self._coarse[looks], 0)
        order = np.argsort(errors(laid))
        # How a face lies is told by now: its other turns are no rivals.
        first_of_face = np.unique(self.ranker.faces[looks[order]], return_index=True)[1]
        few = order[np.sort(first_of_face)[:_FINE_FACES]]
        if len(np.unique(self._means[looks[few]])) < len(few):
            # Those that mean the same are no rivals either: what else it may be are those that look alike.
            more = np.setdiff1d(self.look_alikes(int(looks[few[0]]), self._coarse, laid.seen[0]), looks[few])
            if len(more):
                few = np.concatenate([few, len(looks) + np.arange(len(more))])
                laid = laid.and_(laid_on(np.repeat(lies[None], len(more), 0), self._coarse[more], 0))
                looks = np.concatenate([looks, more])
        looks = looks[few]
        fine = finer(picture, laid.take(few), self._fine[looks], white, covers)
        verdict = self._weighed(fine, looks, score, 0)
        if verdict.strange.any():
            # Two faces differ by a hat: under a hand they are one, whatever the ranking says of them.
            more = np.setdiff1d(self.look_alikes(int(looks[0]), self._fine, ~verdict.strange), looks)
            hidden = laid_on(np.repeat(lies[None], len(more), 0), self._coarse[more], 0)
            fine = fine.and_(finer(picture, hidden, self._fine[more], white, covers)) if len(more) else fine
            looks = np.concatenate([looks, more])
            verdict = self._weighed(fine, looks, score, 0)
        # What looks more like something plain than like any face is no card, however closely it is looked at: of 651
        # such places of four decks none was taken, and in columns they are two of three.
        if quick or verdict.is_plain or verdict.evidence() < 0:
            return verdict
        # Thin strokes tell faces apart only where they are laid on one another to a part of a cell.
        closer = laid_on(lies[None], self._fine[looks[:1]], _CLOSER_ROUNDS)
        place = closer.quads
        closer = laid_on(np.repeat(place, len(looks), 0), self._fine[looks], 0)
        verdict = self._weighed(closer, looks, score, int(np.argmin(errors(closer))))
        if verdict.margin >= SURE or not self._has_small_signs(verdict):
            return verdict
        as_it_lies = np.where(self.ranker.turns == self.ranker.turns[looks[0]], score, -np.inf)
        near = np.union1d(looks, self._likely(as_it_lies, _NEAR_FACES))
        if len(near) < 2:
            return verdict
        told, near, place = self._by_small_signs(laid_on, place, near, laid.seen[0])
        return self._weighed(laid_on(np.repeat(place, len(near), 0), self._fine[near], 0), near, score, 0, told)

    def _has_small_signs(self, verdict: Verdict) -> bool:
        """Whether what is seen is some card of the deck for certain, so that a small sign may tell which."""
        shown = verdict.evidence() >= SURE_EVIDENCE and verdict.share() >= WELL_EXPLAINED
        return shown and self.deck.is_complete

    def _by_small_signs(
        self, laid_on: Callable[[Floats, Singles, int], Fits], place: Floats, looks: NDArray[np.intp], seen: Flags
    ) -> tuple[Floats, NDArray[np.intp], Floats]:
        """The log-odds (k, k) between those of some looks (n,) that are likeliest at a place (1, 4, 2), and these (k,).

        Of a large deck most faces differ in one small sign where only a corner shows: those are held against it, and
        the nearest, with those that look most like them where the card is `seen` (rows, columns), coarsely, in finer
        cells. Gives the place as well, as it came to lie.
        """
        off = errors(laid_on(np.repeat(place, len(looks), 0), self._fine[looks], 0))
        near = looks[np.argsort(off)[:_FINEST_FACES]]
        alike = [self.look_alikes(int(look), self._coarse, seen) for look in near[:_FINEST_LEADERS]]
        near = np.array(list(dict.fromkeys(np.concatenate([near, *alike]).tolist())), np.intp)
        finest = self._arts(_FINEST, near)
        closest = laid_on(place, finest[:1], _CLOSER_ROUNDS).quads
        told = log_ratios(laid_on(np.repeat(closest, len(near), 0), finest, 0), np.ones(finest.shape[1:3], bool))
        return told * _FINEST_SAYS, near, closest

    def _weighed(
        self, unmoved: Fits, looks: NDArray[np.intp], score: Singles, nearest: int, told: Floats | None = None
    ) -> Verdict:
        """A verdict by looks (n,) that were laid onto the picture, of which one is nearest to what is seen.

        `told` (n, n) are the log-odds between them, if they are known.
        """
        faces = self.ranker.faces[looks]
        fit = settled(unmoved, nearest)
        explanation = explanation_of(fit)
        told = log_ratios(unmoved, ~explanation[2]) if told is None else told
        np.fill_diagonal(told, np.inf)
        means = self._means[looks]
        # First what it means, then which of the faces that mean it.
        apart = np.where(means[:, None] == means, np.inf, told)
        likely = np.flatnonzero(means == means[int(np.argmax(apart.min(axis=1)))])
        best = int(likely[np.argmax(told[likely].min(axis=1))])
        rival: int | None = None
        margin, lead = _MOST_BY_FIT, float(told[best].min())
        if np.isfinite(apart[best]).any():
            rival, margin = int(faces[int(np.argmin(apart[best]))]), float(apart[best].min())
        elif len(self.deck.faces) > 1:
            by_face = np.full(len(self.deck.faces), -np.inf)
            np.maximum.at(by_face, self.ranker.faces, score)
            own = by_face[faces[best]]
            by_face[self.deck.meanings == means[best]] = -np.inf
            rival = int(np.argmax(by_face))
            margin += float(_BY_RANK_ALONE * (own - by_face[rival]))
        if best != nearest:
            fit = settled(unmoved, best)
            explanation = explanation_of(fit)
        printed, explained, strange = explanation
        in_sight = ~strange & within_rim(strange.shape)
        odd = misprints(unmoved, best, in_sight)
        left = 0.0 if self.deck.is_counted else unexplained(unmoved, best, in_sight)
        odds = against_plain(fit)
        if fit.seen.all():
            # What lies on a card says nothing of it; of a strip it may be all that speaks against a place.
            odds[strange] = 0
        sheet = fit.quads[0]
        quad = np.roll(sheet, int(self.ranker.turns[looks[best]]), axis=0)
        return Verdict(int(faces[best]), rival, margin, quad, sheet, printed, explained, strange, odd, odds, left, lead)

    def _likely(self, score: Singles, most: int) -> NDArray[np.intp]:
        """The looks worth a closer look: the best, and those that are not far behind it."""
        order = np.argsort(-score)[:most]
        return np.asarray(order[score[order] >= score[order[0]] - _FAR_BEHIND], np.intp)
