"""Gives the reasons for which a verdict stays unclear."""

from __future__ import annotations

from dataclasses import dataclass

from vision.arrays import Flags
from vision.read.print_deck import PrintDeck
from vision.read.verdict import VERDICT, Verdict


@dataclass(frozen=True)
class DoubtParams:
    """Thresholds between a certain card, an unclear one, and none; odds are log-odds of the evidence."""

    # of the finder's score: there is a card, and it is whole
    scored: float = 0.4
    whole: float = 0.5
    most_strange: float = 0.45  # of a card's open cells: covered by something else
    open: float = 0.08  # of a card's cells: the least that must be open and have print
    # of the print of a strip, from this share of its card, whose edges are visible
    less_explained: float = 0.6
    wide: float = 0.16
    outlined_evidence: float = 30.0  # of 800 strips five wrong faces had 24 to 32
    # With this evidence less explained print is enough for some card. Of 29 cards that the finder hardly saw 28 had 95
    # and
    # more and were right. A part of a marker card in a dim picture had 54, and was named.
    card_evidence: float = 80.0
    # Of the print of a fully visible card: six of 311 under gloss. Two strips that were not cards passed.
    in_sight: float = 0.9
    most_spoiled: float = 0.08
    strange_alone: float = 0.15  # of a card's open cells, on a table where few of its sides are visible
    part: float = 0.5  # of a card's cells: with fewer open ones it is under others


DOUBT = DoubtParams()


class Doubts:
    """Finds the reason why a card of one deck is unclear."""

    def __init__(self, deck: PrintDeck) -> None:
        self._deck = deck

    def why(self, verdict: Verdict, open_cells: Flags, score: float, *, on_table: bool) -> str | None:
        """Return why a card is unclear, None where it is certain, "" where there is no card.

        The reasons are announced: `covered` where too little of the face is visible; `glare` where some print is not
        the
        face's, under a lamp or from an untaught face; `colours` where two faces fit. `score` is the finder's; on_table:
        the
        table, and so the size of cards on it, is known.
        """
        few = open_cells.mean() < DOUBT.open or (verdict.printed & open_cells).sum() < VERDICT.least_print
        if few or not verdict.is_there(open_cells):
            return ""
        strange = float(verdict.strange[open_cells].mean())
        # The finder decides whether there is a card, the margin which one it is.
        evidence, least = verdict.evidence(open_cells), VERDICT.well_explained
        if evidence >= VERDICT.sure_evidence and open_cells.mean() >= DOUBT.wide:
            least = DOUBT.less_explained
        outlined = score >= DOUBT.scored and evidence >= DOUBT.outlined_evidence
        outlined &= verdict.margin >= 2 * VERDICT.sure and verdict.share(open_cells) >= least
        if strange > DOUBT.most_strange or not (outlined or verdict.is_well_shown(open_cells)):
            return "covered"
        if verdict.is_odd(open_cells) and not self._is_spoiled(verdict, open_cells):
            return "glare"
        if verdict.margin < VERDICT.sure:
            return "colours" if verdict.margin >= VERDICT.likely or self._are_alike(verdict) else "covered"
        alone = on_table and score < DOUBT.scored
        return "covered" if alone and (strange > DOUBT.strange_alone or evidence < DOUBT.card_evidence) else None

    def lies_there(self, verdict: Verdict, open_cells: Flags, score: float) -> bool:
        """Return whether there is certainly a card, whatever its face."""
        doubt = self.why(verdict, open_cells, 0.0, on_table=False)
        # A card with a visible outline under a faint reflection is there, even where its print has washed out.
        part = doubt == "colours" or (doubt == "covered" and (open_cells.mean() < DOUBT.part or score >= DOUBT.whole))
        # Wood beside a column may look a little like a strip of some face, but not without odd print.
        least = VERDICT.sure_evidence if verdict.is_odd(open_cells) else VERDICT.least_evidence
        evidence = verdict.evidence(open_cells)
        share = DOUBT.less_explained if evidence >= DOUBT.card_evidence else VERDICT.well_explained
        return bool((part or doubt == "glare") and verdict.share(open_cells) >= share and evidence >= least)

    def of_nameless(self, verdict: Verdict) -> str:
        """Return the reason for which a certain card stays unclear."""
        if verdict.is_odd():
            return "glare"
        return "colours" if verdict.margin >= VERDICT.likely or self._are_alike(verdict) else "covered"

    def _is_spoiled(self, verdict: Verdict, open_cells: Flags) -> bool:
        """Return whether print that differs can only be gloss on a visible card: all other faces are known."""
        odd, printed = (int((each & open_cells).sum()) for each in (verdict.odd, verdict.printed))
        known = self._deck.is_complete and not verdict.is_otherwise(open_cells) and verdict.margin >= 4 * VERDICT.sure
        return known and bool(open_cells.mean() >= DOUBT.in_sight) and odd <= DOUBT.most_spoiled * printed

    def _are_alike(self, verdict: Verdict) -> bool:
        """Return whether the face and its rival were not distinguished as the deck was taught."""
        if verdict.rival is None:
            return False
        pair = {self._deck.faces[verdict.face].id, self._deck.faces[verdict.rival].id}
        return any(pair == set(alike) for alike in self._deck.alike)
