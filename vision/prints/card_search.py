"""Finds the cards of a deck of prints that lie open in a part of a picture, quickly: for tables that are watched.

Many places are proposed by straight edges, most of them wood's or a sleeve's. All are ranked, only those that look like
a face are verified, and a face counts only if what is seen of it tells it from every other face of the deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.piles.sights import Box, wider
from vision.prints.features import FeaturePlaces
from vision.prints.lit_look import LitVerdict
from vision.prints.outlines import card_outlines, panel_of, panels_cards
from vision.prints.places import LEAST_SIDE_PX, Near, box_round, cut_table, lies_flat, parts_of
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.proposals import WHOLE, edges_on, poses_on
from vision.prints.straight import Pyramid
from vision.prints.telling import Telling
from vision.prints.tinted_places import tinted_places
from vision.prints.verdict import Verdict, confidence_of
from vision.prints.verifier import Verifier
from vision.quads import shared_area
from vision.table import Table

_PROMISING = 0.4  # of the ranking's scores, above what a plain card would have there
_MOST_PLACES = 60  # by their edges; the best seen come first
_CLEAR = 0.55  # the same, of a place that lies well
_LIKELY, _MOST_SETTLED, _MOST_MOVED = 0.18, 24, 4  # the same, of one that may come to; so many are tried and moved
# Places verified where one card may lie, where a ring hangs on it, and in one part of a picture.
_TRIED, _MOST_TRIES, _MOST_TRIED = 2, 4, 8
_SAME, _OVER = 0.6, 0.3  # of a place's area: it is one place; no two cards that lie whole share so much
_LIGHT = ("glare", "colours")  # doubts that another light may clear up


@dataclass(frozen=True, eq=False)
class FoundCard:
    """A card and what it shows.

    `face` is None for a back; `print` is the face, or the back, the likeliest where `reason` is not None, which says
    why it is not certain: `covered`, `glare`, `colours`, `aslant`; `corners_px` (4, 2) clockwise from the face's
    top-left corner; `confidence` that the face is right.
    """

    print: Print
    confidence: float
    corners_px: Floats
    centre_mm: tuple[float, float]
    reason: str | None

    @property
    def face(self) -> Print | None:
        """What the card shows; None: its back."""
        return self.print if self.print.side == "front" else None


class CardSearch:
    """Searches parts of pictures for the cards of one deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        self.verifier = Verifier(deck)
        self._telling = Telling(deck, self.verifier)
        self._features = FeaturePlaces(deck)
        self.panel = panel_of(deck)

    def cards(
        self,
        image_bgr: Image,
        table: Table,
        box: Box,
        white: Floats | None,
        near: Near | None = None,
        taken: Sequence[FoundCard] = (),
        *,
        hidden: bool = False,
    ) -> list[FoundCard]:
        """All cards with their middle in a part of a picture (h, w, 3), certain or not, those that are first.

        white: (3,) BGR 0..1 of white paper, None where nothing tells. near: the one card that is looked for lies there.
        `taken` are known to lie there: no other card lies where they do. hidden: an arm may lie over it, so it is worth
        more places and closer looks.
        """
        found: list[FoundCard] = []
        for part in parts_of(image_bgr, table, box):
            for card in self._in_part(image_bgr, table, part, white, near, taken, hidden=hidden):
                _keep(found, card)
        return sorted(found, key=lambda card: card.reason is not None)

    def outlined(
        self,
        image_bgr: Image,
        table: Table,
        box: Box,
        white: Floats | None,
        near: Near | None = None,
        taken: Sequence[FoundCard] = (),
        *,
        quick: bool = False,
    ) -> list[FoundCard]:
        """The cards in a part of a picture that lie so open that their outline, or their panel's, is closed.

        quick: none is looked at closer that is in doubt at first sight.
        """
        if self.panel is None:
            quads = card_outlines(image_bgr, table, self.deck.card_mm, box)
        else:
            quads = panels_cards(image_bgr, table, self.panel, box)
        if near is not None:
            quads = quads[near.holds(quads.mean(axis=1))]
        quads = quads[_free(quads, taken)]
        if not len(quads):
            return []
        wide = box_round(quads.reshape(-1, 2), image_bgr)
        picture, offset = Pyramid(image_bgr[wide[1] : wide[3], wide[0] : wide[2]]), np.array(wide[:2], np.float64)
        here = cut_table(table, wide)
        scores, promise = self._promise(picture, quads - offset, white)
        found: list[FoundCard] = []
        for k in np.argsort(-promise)[:_MOST_TRIED]:
            if promise[k] < _PROMISING:
                break
            if any(card.reason is None and shared_area(quads[k], card.corners_px) >= _OVER for card in found):
                continue
            card = self._card(picture, quads[k] - offset, scores[k], here, white, offset, whole=False, quick=quick)
            if card is not None:
                _keep(found, card)
        return sorted(found, key=lambda card: card.reason is not None)

    def at(
        self, image_bgr: Image, table: Table, quads: Floats, white: Floats | None, *, quick: bool = False
    ) -> FoundCard | None:
        """The card at the likeliest of some places (n, 4, 2) px; None if none looks like one. quick: see `outlined`."""
        box = box_round(quads.reshape(-1, 2), image_bgr)
        crop, offset = image_bgr[box[1] : box[3], box[0] : box[2]], np.array(box[:2], np.float64)
        if min(crop.shape[:2]) < LEAST_SIDE_PX:
            return None
        picture, local = Pyramid(crop), quads - offset
        scores, promise = self._promise(picture, local, white)
        best = int(np.argmax(promise))
        if promise[best] < _PROMISING:
            return None
        here = cut_table(table, box)
        return self._card(picture, local[best], scores[best], here, white, offset, whole=False, quick=quick)

    def _in_part(
        self,
        image_bgr: Image,
        table: Table,
        box: Box,
        white: Floats | None,
        near: Near | None,
        taken: Sequence[FoundCard],
        *,
        hidden: bool,
    ) -> list[FoundCard]:
        left, top, right, bottom = box
        crop = image_bgr[top:bottom, left:right]
        if min(crop.shape[:2]) < LEAST_SIDE_PX:
            return []
        here = cut_table(table, box)
        poses, quads = poses_on(edges_on(crop, here, self.deck.card_mm), self.deck.card_mm, np.zeros((0, 4, 2)))
        tinted = tinted_places(crop, here, self.deck.card_mm)
        if hidden:
            tinted = np.concatenate([tinted, self._features.places(crop, here, np.zeros((0, 4, 2)))])
        # Places reach beyond the part: what it leaves out would pass for hidden, and a strip of a card beside bare
        # table for a card.
        middle = np.array([[(right - left) / 2, (bottom - top) / 2]])
        room = int(np.ceil(max(self.deck.card_mm) * float(here.px_per_mm(middle)[0])))
        wide = wider(box, room, (image_bgr.shape[1], image_bgr.shape[0]))
        picture, here = Pyramid(image_bgr[wide[1] : wide[3], wide[0] : wide[2]]), cut_table(table, wide)
        offset = np.array(wide[:2], np.float64)
        quads, tinted = (places + (left - wide[0], top - wide[1]) for places in (quads, tinted))
        whole = poses.seen.mean(axis=1) >= WHOLE
        tries, most = _MOST_TRIES if hidden else _TRIED, _MOST_TRIED
        if near is not None:
            most = tries
            here_too = near.holds(quads.mean(axis=1) + offset)
            quads, whole = quads[here_too], whole[here_too]
            tinted = tinted[near.holds(tinted.mean(axis=1) + offset)]
        whole = np.concatenate([whole[:_MOST_PLACES], np.zeros(len(tinted), bool)])
        quads = np.concatenate([quads[:_MOST_PLACES], tinted])
        free = _free(quads + offset, taken)
        quads, whole = quads[free], whole[free]
        if not len(quads):
            return []
        quads, scores, promise, whole = self._settled(picture, quads, here, white, whole)
        found: list[FoundCard] = []
        tried: list[Floats] = []
        for k in np.argsort(-promise):
            if promise[k] < _PROMISING or len(tried) >= most:
                break
            again = sum(shared_area(quads[k], other) >= _SAME for other in tried)
            told = any(
                card.reason is None and shared_area(quads[k] + offset, card.corners_px) >= _SAME for card in found
            )
            if told or again >= tries:
                continue
            tried.append(quads[k])
            card = self._card(picture, quads[k], scores[k], here, white, offset, whole=hidden or bool(whole[k]))
            if card is not None:
                _keep(found, card)
        return found

    def _settled(
        self, picture: Pyramid, quads: Floats, table: Table, white: Floats | None, whole: Flags
    ) -> tuple[Floats, Floats, Floats, Flags]:
        """The likeliest of places (n, 4, 2), each moved to where it looks most like a card, and what they promise.

        Where a card's `whole` outline (n,) shows, a place is not moved, and worth a closer look whatever it promises.

        On an untidy pile edges of several cards are seen, and none of them tells where the top one lies.
        """
        scores, promise = self._promise(picture, quads, white)
        promise = np.maximum(promise, np.where(whole, _PROMISING, 0))
        chosen: list[int] = []
        for k in np.argsort(-promise)[:_MOST_SETTLED]:
            if promise[k] >= _LIKELY and sum(shared_area(quads[k], quads[other]) >= _SAME for other in chosen) < _TRIED:
                chosen.append(int(k))
        settled, scores, promise, whole = quads[chosen], scores[chosen], promise[chosen], whole[chosen]
        unsettled = np.flatnonzero((promise < _CLEAR) & ~whole)[:_MOST_MOVED]
        if len(unsettled):
            ranker = self.verifier.ranker
            settled[unsettled], scores[unsettled], promise[unsettled] = ranker.settled(
                picture, settled[unsettled], table, white
            )
        return settled, scores, promise, whole

    def _promise(self, picture: Pyramid, quads: Floats, white: Floats | None) -> tuple[Floats, Floats]:
        """(n, k) the ranking's scores of places, and (n,) how much they promise."""
        scores, plain = self.verifier.ranker.scores_beside_plain(picture, quads, white)
        return np.asarray(scores), np.asarray(scores.max(axis=1) - plain)

    def _card(
        self,
        picture: Pyramid,
        quad: Floats,
        score: Floats,
        table: Table,
        white: Floats | None,
        offset: Floats,
        *,
        whole: bool,
        quick: bool = False,
    ) -> FoundCard | None:
        """What lies on a quad (4, 2) of a part of a picture; None if there is no card.

        `table` is that of the part, which begins at `offset`; `whole`: it is worth a closer look whatever is in doubt;
        quick: see `outlined`.
        """
        verdict = self.verifier.judge(picture, quad, np.asarray(score, np.float32), white, quick=quick)
        reason, odds = ("", 0.0) if verdict is None else self._telling.doubt(picture, verdict, white)
        if not quick and (reason in _LIGHT or (whole and reason is not None)):
            lit = self._in_own_light(picture, quad, verdict, white)
            if lit is not None and lies_flat(table, lit.quad, self.deck.card_mm):
                return self._found(lit.face, lit.lead, lit.quad, None, table, offset)
        if verdict is None or reason == "":
            return None
        if not lies_flat(table, verdict.quad, self.deck.card_mm):
            reason = "aslant"
        return self._found(verdict.face, odds, verdict.quad, reason, table, offset)

    def _in_own_light(
        self, picture: Pyramid, quad: Floats, first: Verdict | None, white: Floats | None
    ) -> LitVerdict | None:
        """A certain verdict on a card in a light of its own, after what the first look said."""
        if not self.deck.is_complete:
            return None
        quad = quad if first is None else first.sheet
        verdict = self.verifier.lit.judge(picture, quad, self.verifier.white_on(picture, quad, white)[0])
        return verdict if verdict.is_certain(None if first is None else first.face) else None

    def _found(
        self, face: int, odds: float, quad: Floats, reason: str | None, table: Table, offset: Floats
    ) -> FoundCard:
        return FoundCard(self.deck.faces[face], confidence_of(odds), quad + offset, table.centre_mm(quad), reason)


def _free(quads: Floats, taken: Sequence[FoundCard]) -> Flags:
    """(n,) which places (n, 4, 2) px no card that is known to lie there takes up."""
    return np.array([all(shared_area(quad, card.corners_px) < _OVER for card in taken) for quad in quads], bool)


def _keep(found: list[FoundCard], card: FoundCard) -> None:
    """Add a card unless it lies where a surer one was found; what is less sure there goes."""
    same = [other for other in found if shared_area(other.corners_px, card.corners_px) >= _OVER]
    if any(other.reason is None or card.reason is not None for other in same):
        return
    found[:] = [other for other in found if other not in same] + [card]
