"""Verdict on one card: face, log-odds and open share, and the reasons for which it stays unclear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.read.rectify import Covers


@dataclass(frozen=True)
class VerdictParams:
    """Thresholds of certain and unclear, in play and in still pictures alike; odds are log-odds of the evidence."""

    # Log-odds of a face before the next. Of some 540 cards of four decks, read with all and with half of the faces
    # taught, none was wrong with more than this after the other tests.
    certain: float = 10.0
    # log-odds of a face against empty paper, for any card and for a small part of one
    least_evidence: float = 10.0
    strong_evidence: float = 40.0
    # of the open print, for any card and for a small part of one
    hardly_explained: float = 0.5
    well_explained: float = 0.78
    least_print: float = 0.005  # of a card
    most_worth: float = 50.0  # log-odds beyond which a face is no more certain
    # Of the open print: a speck of gloss spoils less. With 0.04 a clown of an untaught colour was named.
    most_odd: float = 0.02
    # Of light and dark. Of 797 right cards of four decks 788 keep below it; with 0.18 five spades were named as clubs
    # where no spades were taught.
    most_unexplained: float = 0.137
    # Of light and dark: with less, another face of a complete deck is excluded. With more, and less of the print
    # explained than `same_colours`, the face is another one of like shape: light changes a card's colours or blurs its
    # pattern, hardly both. That doubts 2 of 642 right cards of four decks, and 13 of 13 named as a face of like shape.
    other_pattern: float = 0.0685
    same_colours: float = 0.9
    excluding_lead: float = 40.0  # log-odds, beside `other_pattern`
    # Log-odds, and of the print: with both a closer look changes nothing. With 40 a third of SET's cards had one.
    clear_lead: float = 20.0
    clear_share: float = 0.8
    # The evidence's log-odds are too large by this factor: cells that are together are not independent. Of 518 cards
    # of four decks that fit, all were right: 78 between 10 and 40, 439 beyond.
    log_odds_scale: float = 4.0
    # Log-odds of a face by its marks and contours, beside its rivals.
    marked: float = 4.5


VERDICT = VerdictParams()
TWICE = "same card twice"


def confidence_of(log_odds: float) -> float:
    """Return the probability, 0 to 1, of a face that leads by so many log-odds."""
    return float(1 / (1 + np.exp(-log_odds / VERDICT.log_odds_scale)))


@dataclass(frozen=True, eq=False)
class Verdict:
    """Verdict on a card at one place.

    `face` is its number in the deck; `rival` that of the next likely one with another meaning in the game, None where
    there is no other. `margin` is the log-odds between them, `lead` before all other faces, also those with the same
    meaning. `quad` (4, 2) px is clockwise from the face's own top left corner; `sheet` (4, 2) is the quad in the order
    of the flags' rows and columns. `printed` (rows, columns) flags print of the picture or of the face, `explained`
    where the two agree, `strange` where something is on the card, `odd` where its print is not the face's, in patches.
    `cell_odds` (rows, columns) are the log-odds of the face against an empty surface of the picture's own colours.
    `unexplained` is the share of light and dark that the face leaves over, 0 where no other face can be there.
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
    lead: float = np.inf

    def open_under(self, covers: Covers) -> Flags:
        """Return the card's cells (rows, columns) under no known cover."""
        rows, columns = self.printed.shape
        return np.asarray(~covers.over(self.sheet[None], rows, columns)[0])

    def evidence(self, open_cells: Flags | None = None) -> float:
        """Return the log-odds of the face against an empty surface, by open cells."""
        return float(self.cell_odds.sum() if open_cells is None else self.cell_odds[open_cells].sum())

    @property
    def is_clear(self) -> bool:
        """Return whether a closer look would change nothing: a face far ahead that explains the picture."""
        return self.margin >= VERDICT.clear_lead and self.share() >= VERDICT.clear_share and not self.is_odd()

    def share(self, open_cells: Flags | None = None) -> float:
        """Return the explained share of the print in open cells, 0 to 1."""
        printed = self.printed if open_cells is None else self.printed & open_cells
        return float((self.explained & printed).sum() / max(1, printed.sum()))

    def is_there(self, open_cells: Flags | None = None) -> bool:
        """Return whether open cells speak for a card of this face at all."""
        shown = (
            self.evidence(open_cells) >= VERDICT.least_evidence and self.share(open_cells) >= VERDICT.hardly_explained
        )
        return shown and self.margin >= 0

    def is_odd(self, open_cells: Flags | None = None) -> bool:
        """Return whether more print in open cells differs than a speck of gloss hides, or all differs a bit."""
        if self.unexplained > VERDICT.most_unexplained:
            return True
        if self.unexplained > VERDICT.other_pattern and self.share(open_cells) < VERDICT.same_colours:
            return True
        odd, printed = (each if open_cells is None else each & open_cells for each in (self.odd, self.printed))
        return bool(odd.sum() > VERDICT.most_odd * printed.sum())


def worth(verdict: Verdict, cells: Flags) -> float:
    """Return the priority of a card: its log-odds, and its open share."""
    return float(verdict.share(cells) * min(verdict.margin, VERDICT.most_worth) * cells.mean() ** 0.5)


def presence(verdict: Verdict, cells: Flags) -> float:
    """Return the evidence for a card, whatever its face."""
    return float(verdict.share(cells) * verdict.evidence(cells))


@dataclass(frozen=True)
class DoubtParams:
    """Thresholds between a certain card, an unclear one, and none; odds are log-odds of the evidence."""

    # of the finder's score: there is a card, and it is whole
    scored: float = 0.4
    whole: float = 0.5
    most_strange: float = 0.45  # of a card's open cells: covered by something else
    open: float = 0.08  # of a card's cells: the least that must be open and have print
    part: float = 0.5  # of a card's cells: with fewer open ones it is under others
    # Of a card that the finder sees, and that is not under others: the explained share of its print, and its evidence.
    # Yellow clowns of 50 px have an evidence of 22 to 30, as have five wrong faces of 800 strips.
    explained: float = 0.6
    evidence: float = 20.0
    # With this evidence less explained print is enough for some card. Of 29 cards that the finder hardly saw 28 had 95
    # and more and were right. A part of a marker card in a dim picture had 54, and was named.
    card_evidence: float = 80.0
    # With this evidence a card is at its place, whatever covers a part: print all over it, as on a back, has 1,000 to
    # 2,000, symbols on an empty ground less.
    pattern_evidence: float = 500.0


DOUBT = DoubtParams()


def doubt_of(verdict: Verdict, open_cells: Flags, score: float, *, on_table: bool) -> str | None:
    """Return why a card is unclear, None where it is certain, "" where there is no card.

    The reasons are announced: `covered` where too little of the face is visible; `glare` where some print is not the
    face's, under a lamp or from an untaught face; `colours` where two faces fit. `score` is the finder's, 0 where
    unknown; on_table: the table, and so the size of cards on it, is known.
    """
    few = open_cells.mean() < DOUBT.open or (verdict.printed & open_cells).mean() < VERDICT.least_print
    if few or not verdict.is_there(open_cells):
        return ""
    strange, evidence = float(verdict.strange[open_cells].mean()), verdict.evidence(open_cells)
    is_part = open_cells.mean() < DOUBT.part
    least, share = DOUBT.evidence, DOUBT.explained
    if is_part or score < DOUBT.scored:
        least, share = VERDICT.strong_evidence, VERDICT.well_explained
    if strange > DOUBT.most_strange or evidence < least or verdict.share(open_cells) < share:
        return "covered"
    if verdict.is_odd(open_cells):
        return "glare"
    if verdict.margin < VERDICT.certain:
        return "covered" if is_part or strange > 0 else "colours"
    # Two of an untaught face's three symbols were named as a face of two, a third of a card aside, under a cover.
    is_aside = 0 < score < DOUBT.scored and strange > 0 and evidence < DOUBT.pattern_evidence
    is_small = on_table and score < DOUBT.scored and evidence < DOUBT.card_evidence
    return "covered" if is_aside or is_small else None


def is_certainly_there(verdict: Verdict, open_cells: Flags, score: float) -> bool:
    """Return whether there is certainly a card, whatever its face."""
    doubt = doubt_of(verdict, open_cells, 0.0, on_table=False)
    # A card with a visible outline under a faint reflection is there, even where its print has washed out.
    part = doubt == "colours" or (doubt == "covered" and (open_cells.mean() < DOUBT.part or score >= DOUBT.whole))
    # Wood beside a column may look a little like a strip of some face, but not without odd print.
    least = VERDICT.strong_evidence if verdict.is_odd(open_cells) else VERDICT.least_evidence
    evidence = verdict.evidence(open_cells)
    share = DOUBT.explained if evidence >= DOUBT.card_evidence else VERDICT.well_explained
    return bool((part or doubt == "glare") and verdict.share(open_cells) >= share and evidence >= least)


def doubt_of_nameless(verdict: Verdict) -> str:
    """Return the reason for which a certain card stays unclear."""
    if verdict.is_odd():
        return "glare"
    return "covered" if verdict.strange.any() else "colours"


def doubt_of_marks(log_odds: float, *, is_twice: bool) -> str | None:
    """Return why a card that its marks identify is unclear, None where it is certain; is_twice: its face was named."""
    if is_twice:
        return TWICE
    return None if log_odds > VERDICT.marked else "covered"
