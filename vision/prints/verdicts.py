"""Which face a card shows, how surely, and how much of it: faces weighed against each other where they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.prints.duels import duels, errors, likeness, misprints, unexplained
from vision.prints.explaining import against_plain, explanation_of, settled, within_rim
from vision.prints.fitting import Fits, arts_of, finer, fitted
from vision.prints.lit_look import LitLook
from vision.prints.print_deck import PrintDeck
from vision.prints.ranking import Ranker, ranker_of
from vision.prints.straight import Covers, Pyramid

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Between "sure" and "unclear", in play (`telling`) and in still pictures (`reader`) alike.
SURE = 20.0  # log-odds of a face before the next
LIKELY = 8.0  # the same, below which nobody can say which two faces fit
LEAST_LEAD = 5.0  # the same, in whatever light and by whatever camera it may be
LEAST_EVIDENCE, SURE_EVIDENCE = 10.0, 40.0  # log-odds of a face against plain paper, for one at all and a sure one
HARDLY_EXPLAINED, WELL_EXPLAINED = 0.5, 0.78  # of the print that is open, for one at all and a sure one
LEAST_PRINT = 40  # cells
MOST_WORTH = 50.0  # log-odds beyond which a face is no surer
# Of the print that is open: a speck of gloss spoils less, the print of a face that was not taught differs in more.
MOST_ODD = 0.02
# Of light and dark. Of 797 right cards of four decks 788 keep below it; of 35 that were not taught, yet named, 11,
# most of which differ by their ink.
MOST_UNEXPLAINED = 0.137
# Lamps change a card's colours and blur its pattern, hardly both at once: of 642 right cards of four decks, taught by
# halves, 2 have less of the one and more of the other than this, of nine named as another face of like shape all.
_SAME_COLOURS, _OTHER_PATTERN = 0.9, MOST_UNEXPLAINED / 2

_COARSE, _FINE = 0.6, 1.2  # cells per mm
_COARSE_LOOKS, _LOOKS, _FINE_FACES = 2, 8, 3
# Of what a face promises to the ranking's blocks, and of the pattern that is seen: with less of both there is no card.
# Of 231 sure cards of four decks none had less than 0.5 of both; of 225 places without one 133 have less than 0.4.
_PROMISED = 0.4
_FAR_BEHIND = 0.12  # of the ranking's scores
_COARSE_ROUNDS, _CLOSER_ROUNDS = 4, 2
_NEAR_FACES = 24  # held against a corner, by the ranking: of 247 corners no more were told by all 120
_FINEST, _FINEST_FACES, _FINEST_PX_PER_MM = 2.4, 8, 2.2
_FINEST_SAYS = 12.0  # a sign has few cells of a card, but they say more: of 58 corners the one misread had 0.4
_PLAIN_LEAD, _PLAIN_SHARE = 40.0, 0.8  # log-odds, and of the print
_MOST_BY_FIT = 40.0
_BY_RANK_ALONE = 250.0  # log-odds a unit of the ranking's scores, of faces that were not laid onto the picture


LOG_ODDS_SCALE = 8.0
"""The evidence's log-odds say too much by this factor: cells that lie together are not independent."""
_MOST_SAID = 80.0


def confidence_of(log_odds: float) -> float:
    """How likely a face is right that leads by so many of the evidence's log-odds, 0 to 1."""
    return float(1 / (1 + np.exp(-min(log_odds, _MOST_SAID) / LOG_ODDS_SCALE)))


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a card at one place most likely shows.

    `face` is its number in the deck, `rival` that of the next likely one, None where there is no other; `margin` the
    log-odds between them; `quad` (4, 2) px clockwise from the face's own top left corner; `printed` (rows, columns)
    flags where there is print, of the picture or of the face, `explained` where the two agree and `strange` where
    something lies on the card, `odd` where its print is not the face's, in patches; `sheet` (4, 2) is
    the quad in the order of those rows and columns; `cell_odds` (rows, columns)
    are the log-odds of the face against something plain of the picture's own colours; `unexplained` is the share of
    light and dark that the face leaves over, 0 where no other face can lie there.
    """

    face: int
    rival: int | None
    margin: float
    quad: Floats
    sheet: Floats
    printed: Flags
    explained: Flags
    strange: Flags
    odd: Flags
    cell_odds: Singles
    unexplained: float = 0.0

    def open_under(self, covers: Covers) -> Flags:
        """(rows, columns) which of the card's cells nothing covers that is known."""
        rows, columns = self.printed.shape
        return np.asarray(~covers.over(self.sheet[None], rows, columns)[0])

    def evidence(self, open_cells: Flags | None = None) -> float:
        """Log-odds of the face against something plain, by open cells."""
        return float(self.cell_odds.sum() if open_cells is None else self.cell_odds[open_cells].sum())

    @property
    def is_plain(self) -> bool:
        """Whether a closer look would say the same: a face far ahead that explains what is seen."""
        return self.margin >= _PLAIN_LEAD and self.share() >= _PLAIN_SHARE and not self.is_odd()

    def share(self, open_cells: Flags | None = None) -> float:
        """How much of the print in open cells is explained, 0 to 1."""
        printed = self.printed if open_cells is None else self.printed & open_cells
        return float((self.explained & printed).sum() / max(1, printed.sum()))

    def is_there(self, open_cells: Flags | None = None) -> bool:
        """Whether open cells speak for a card of this face at all."""
        shown = self.evidence(open_cells) >= LEAST_EVIDENCE and self.share(open_cells) >= HARDLY_EXPLAINED
        return shown and self.margin >= 0

    def is_well_shown(self, open_cells: Flags | None = None) -> bool:
        """Whether open cells show as much of the face as a sure card's do."""
        return self.evidence(open_cells) >= SURE_EVIDENCE and self.share(open_cells) >= WELL_EXPLAINED

    def is_otherwise(self, open_cells: Flags | None = None) -> bool:
        """Whether all print together differs from the face's, as that of a face that was never taught does."""
        if self.unexplained > MOST_UNEXPLAINED:
            return True
        return self.unexplained > _OTHER_PATTERN and self.share(open_cells) < _SAME_COLOURS

    def is_odd(self, open_cells: Flags | None = None) -> bool:
        """Whether more of the print in open cells is not the face's than a speck of gloss hides, or all differs a bit."""
        if self.is_otherwise(open_cells):
            return True
        odd, printed = (each if open_cells is None else each & open_cells for each in (self.odd, self.printed))
        return bool(odd.sum() > MOST_ODD * printed.sum())


def worth(verdict: Verdict, cells: Flags) -> float:
    """What speaks for taking a card first: how surely it is told, and how much of it lies open."""
    return float(verdict.share(cells) * min(verdict.margin, MOST_WORTH) * cells.mean() ** 0.5)


def presence(verdict: Verdict, cells: Flags) -> float:
    """What speaks for there being a card, whichever it is."""
    return float(verdict.share(cells) * verdict.evidence(cells))


class Verifier:
    """Judges places on a picture by a deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        self.ranker: Ranker = ranker_of(deck)
        self.lit = LitLook(deck)
        self._size = deck.size_mm
        everything = np.arange(len(self.ranker.faces))
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
        rough = laid_on(np.repeat(quad[None], len(first), 0), self._coarse[first], _COARSE_ROUNDS)
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
        looks = looks[few]
        fine = finer(picture, laid.take(few), self._fine[looks], white, covers)
        verdict = self._weighed(fine, looks, score, 0)
        if quick or verdict.is_plain:
            return verdict
        # Thin strokes tell faces apart only where they are laid on one another to a part of a cell.
        closer = laid_on(lies[None], self._fine[looks[:1]], _CLOSER_ROUNDS)
        place = closer.quads
        closer = laid_on(np.repeat(place, len(looks), 0), self._fine[looks], 0)
        verdict = self._weighed(closer, looks, score, int(np.argmin(errors(closer))))
        shown = verdict.evidence() >= SURE_EVIDENCE and verdict.share() >= WELL_EXPLAINED
        fine_enough = float(np.linalg.norm(place[0, 1] - place[0, 0])) >= _FINEST_PX_PER_MM * self._size[0]
        if verdict.margin >= SURE or not (shown and fine_enough and self.deck.is_complete):
            return verdict
        as_it_lies = np.where(self.ranker.turns == self.ranker.turns[looks[0]], score, -np.inf)
        near = np.union1d(looks, self._likely(as_it_lies, _NEAR_FACES))
        if len(near) < 2:
            return verdict
        told, near, place = self._by_small_signs(laid_on, place, near)
        return self._weighed(laid_on(np.repeat(place, len(near), 0), self._fine[near], 0), near, score, 0, told)

    def _by_small_signs(
        self, laid_on: Callable[[Floats, Singles, int], Fits], place: Floats, looks: NDArray[np.intp]
    ) -> tuple[Floats, NDArray[np.intp], Floats]:
        """The log-odds (k, k) between those of some looks (n,) that are likeliest at a place (1, 4, 2), and these (k,).

        Of a large deck most faces differ in one small sign where only a corner shows: those are held against it, and
        the nearest with finer cells. Gives the place as well, as it came to lie.
        """
        off = errors(laid_on(np.repeat(place, len(looks), 0), self._fine[looks], 0))
        near = looks[np.argsort(off)[:_FINEST_FACES]]
        finest = self._arts(_FINEST, near)
        closest = laid_on(place, finest[:1], _CLOSER_ROUNDS).quads
        told = duels(laid_on(np.repeat(closest, len(near), 0), finest, 0), np.ones(finest.shape[1:3], bool))
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
        told = duels(unmoved, ~explanation[2]) if told is None else told
        np.fill_diagonal(told, np.inf)
        best = int(np.argmax(told.min(axis=1)))
        rival: int | None = None
        margin = _MOST_BY_FIT
        if len(looks) > 1:
            rival, margin = int(faces[int(np.argmin(told[best]))]), float(told[best].min())
        elif len(self.deck.faces) > 1:
            by_face = np.full(len(self.deck.faces), -np.inf)
            np.maximum.at(by_face, self.ranker.faces, score)
            lead, by_face[faces[best]] = by_face[faces[best]], -np.inf
            rival = int(np.argmax(by_face))
            margin += float(_BY_RANK_ALONE * (lead - by_face[rival]))
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
        return Verdict(int(faces[best]), rival, margin, quad, sheet, printed, explained, strange, odd, odds, left)

    def _likely(self, score: Singles, most: int) -> NDArray[np.intp]:
        """The looks worth a closer look: the best, and those that are not far behind it."""
        order = np.argsort(-score)[:most]
        return np.asarray(order[score[order] >= score[order[0]] - _FAR_BEHIND], np.intp)
