"""Reasons for which a verdict stays unclear."""

from __future__ import annotations

from dataclasses import dataclass

from vision.arrays import Flags
from vision.read.print_deck import PrintDeck
from vision.read.verdict import VERDICT, Verdict


@dataclass(frozen=True)
class DoubtParams:
    """Between a card that is certain, one that is unclear, and none; odds are log-odds of the evidence."""

    # of the finder's score: there is a card, and it is whole
    scored: float = 0.4
    whole: float = 0.5
    most_strange: float = 0.45  # of a card's open cells: what is on it and is no card
    open: float = 0.08  # of a card's cells that must be open, and have print on them
    # of the print of a strip that is so much of its card, where its edges are seen
    less_explained: float = 0.6
    wide: float = 0.16
    outlined_evidence: float = 30.0  # of 800 strips five wrong faces had 24 to 32
    # From which less need be explained for there being some card. Of 29 cards that the finder hardly saw 28 had 95 and
    # more and were right; a part of a marker card in a dim picture had 54, and was named.
    card_evidence: float = 80.0
    # Of a card that is seen as a whole, of its print: six of 311 under gloss; of strips two became cards that are none.
    in_sight: float = 0.9
    most_spoiled: float = 0.08
    strange_alone: float = 0.15  # of a card's open cells, on a table where few of its sides show
    part: float = 0.5  # of a card's cells: with fewer open ones it is under others


DOUBT = DoubtParams()


class Doubts:
    """Says what is unclear about the cards of one deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self._deck = deck

    def why(self, verdict: Verdict, open_cells: Flags, score: float, *, on_table: bool) -> str | None:
        """Why a card is unclear, None where it is certain, "" where there is no card.

        People hear the reasons: `covered` where too little of the face shows, `glare` where some print is not
        the face's, be it of a lamp or of a face that was not taught, `colours` where two faces fit. `score` is the
        finder's; on_table: it is known where the table is, and how large cards are on it.
        """
        few = open_cells.mean() < DOUBT.open or (verdict.printed & open_cells).sum() < VERDICT.least_print
        if few or not verdict.is_there(open_cells):
            return ""
        strange = float(verdict.strange[open_cells].mean())
        # The finder decides whether a card is there, the margin which one it is.
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
        """Return whether there is a card for certain, whichever it is."""
        doubt = self.why(verdict, open_cells, 0.0, on_table=False)
        # What shows its outline, under a faint reflection, is there whatever of its print that has washed out.
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
        """Whether print that is not the face's can only be gloss on a card in sight: all other faces are known."""
        odd, printed = (int((each & open_cells).sum()) for each in (verdict.odd, verdict.printed))
        known = self._deck.is_complete and not verdict.is_otherwise(open_cells) and verdict.margin >= 4 * VERDICT.sure
        return known and bool(open_cells.mean() >= DOUBT.in_sight) and odd <= DOUBT.most_spoiled * printed

    def _are_alike(self, verdict: Verdict) -> bool:
        """Return whether the face and its rival were not distinguished as the deck was taught."""
        if verdict.rival is None:
            return False
        pair = {self._deck.faces[verdict.face].id, self._deck.faces[verdict.rival].id}
        return any(pair == set(alike) for alike in self._deck.alike)
