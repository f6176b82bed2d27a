"""Scores the cards of one side of a deck in one picture."""

from __future__ import annotations

import numpy as np

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.colour import fitted_palette, least_print, printed_palette
from vision.marked.contours import CardColours, refined, traces
from vision.marked.foreground import cut_marks, foreground_and_marks
from vision.marked.layouts import Hypotheses, layouts_of, posed
from vision.marked.marks import Marks, Sampler
from vision.marked.proposals import find_lines, lone_mark_cards, part_cards, whole_cards
from vision.marked.side_marks import SideMarks
from vision.marked.verdicts import Verdicts, judged, judged_again, worth_a_look
from vision.quads import distance_to_quads, distances, within_quads
from vision.table_fit import FlatShape

_UNEVEN = 0.02  # cards in a heap are nearer to the camera, and tilted
_UNEVEN_MM = 0.8  # an error of a mark's middle changes the scale of a small triangle by more
_MARK_SIGMA_PX = 0.5
_BESIDE_MM = 22.0  # how far from a read card a mark may be visible
_CLEAR_MM = 2.0  # a mark nearer to a read card's edge may be that card's own shadow or rim
_ONE_CARD_MM = 55.0
_MARKS = 3  # on a card
_LEAST_AREA_MM2, _LEAST_FULLNESS = 30.0, 0.7
_LEAST_OPEN = 0.25  # of the ring round a mark: at least so much is beside the read cards
_RING_MM, _RING = 1.8, 16  # ring round a mark, and its sample points
_SAME, _DIM = 0.12, 30.0  # of the card's level; levels of a dark picture's noise
_INSET = 0.93  # of a card, where its ground is sampled


class SideReader:
    """Scores the cards of one side of a deck in one picture."""

    def __init__(
        self, sampler: Sampler, deck: Deck, side: str, px_per_mm: float, keep_out_px: Floats, lamp: Floats
    ) -> None:
        """Find the marks; `keep_out_px` (m, 4, 2): quads of other things, such as marker cards.

        `px_per_mm`: the greatest work scale; `lamp`: see `printed_palette`.
        """
        self.layouts = layouts_of(deck, side)
        self._sampler = sampler
        self._keep_out_px = keep_out_px
        areas = self.layouts.area_range_mm2
        self._foreground, found = foreground_and_marks(sampler.work, sampler.table, side, areas, px_per_mm)
        palette = printed_palette(deck, side, lamp)
        self._marks = SideMarks(sampler, self.layouts, palette, found.outside(keep_out_px))

    def whole_cards(self, reach: float) -> tuple[Hypotheses, Floats]:
        """Return the cards with three visible whole marks, and their scales (n,), within `reach` of the print."""
        return whole_cards(self.layouts, self._marks.found, self._marks.free, reach)

    def judge_whole(self, sampler: Sampler, whole: Hypotheses, stretches: Floats) -> Verdicts:
        """Score the cards with three visible whole marks, and fit this picture's palette to them.

        `stretches` (n,): the scale of each against its print, on the table of the sampler.
        """
        self._sampler = sampler
        apart = np.sqrt((self.layouts.distances_mm[whole.faces] ** 2).mean(1))
        whole = whole.take(np.abs(stretches - 1) < np.maximum(_UNEVEN, _UNEVEN_MM / apart))
        self._marks.found = self._marks.found.on(sampler.table)
        whole = posed(self.layouts, self._marks.found, whole.faces, whole.marks)
        first = judged(self.layouts, whole, self._marks)
        sure = first.hypotheses.take(first.sure)
        if len(sure):
            known, hues = self.layouts.colours[sure.faces], self._marks.looks.hues_deg[sure.marks]
            self._marks.learn(fitted_palette(self._marks.palette, known.ravel(), hues.ravel()))
        return self._taken(whole)

    def judge_part(self, known_mm: Floats) -> Verdicts:
        """Score the cards with two visible whole marks, beside the known cards (k, 4, 2) of both sides."""
        marks, table = self._marks, self._sampler.table
        known_px = np.concatenate([table.to_px(known_mm.reshape(-1, 2)).reshape(-1, 4, 2), self._keep_out_px])
        more, towards = cut_marks(
            self._sampler, self._foreground, known_px, marks.found, marks.free, self.layouts.radii_mm
        )
        if len(more):
            marks.add_arcs(self._sampler, more, towards)
        return self._taken(part_cards(self.layouts, marks.found, marks.free, marks.likely(np.arange(len(marks)))))

    def judge_lone(self) -> Verdicts:
        """Score the cards with one visible whole mark and a straight edge."""
        lone, marks = self._marks.unused, self._marks.found
        lines = find_lines(self._sampler.work, self._sampler.table, marks.centres_mm[lone])
        return self._taken(lone_mark_cards(self.layouts, marks, lone, self._marks.likely(lone), lines))

    def refined(self, first: Verdicts) -> Verdicts:
        """Return the likeliest of some verdicts, their cards moved to the contours in the picture."""
        first = worth_a_look(first)
        found = first.hypotheses
        if not len(found):
            return first
        seen_mm = np.where((found.marks >= 0)[..., None], self._marks.found.centres_mm[found.marks], np.nan)
        return first.moved(refined(self._sampler, found, self.layouts, seen_mm))

    def look_closer(self, first: Verdicts, known_mm: Floats) -> tuple[Verdicts, Verdicts]:
        """Score refined verdicts again, beside the known cards (k, 4, 2); see `judged_again`."""
        found, looks = first.hypotheses, self._marks.looks
        if not len(found):
            return first, first
        seen = (found.marks >= 0)[..., None]
        ground, chroma = self._grounds(found), looks.chroma[found.marks]
        rings = np.where(seen, looks.rings[found.marks], ground[:, None])
        hues = self._marks.palette.hues_deg[self.layouts.colours[found.faces]]
        colours = CardColours(ground, rings, hues, least_print(chroma, found.marks, self.layouts.side))
        return judged_again(first, traces(self._sampler, found, self.layouts, colours, known_mm))

    def pieces(self, whole: Verdicts) -> list[FlatShape]:
        """Return the marks of certain cards with three marks: pieces of known size on the table."""
        sure = whole.hypotheses.take(whole.sure)
        return [
            FlatShape(self.layouts.centres_mm[face], self._marks.found.centres_px[marks], _MARK_SIGMA_PX)
            for face, marks in zip(sure.faces, sure.marks, strict=True)
        ]

    def peeking(self, known_mm: Floats) -> list[Floats]:
        """Return places (2,) in mm of marks visible beside the known cards (n, 4, 2)."""
        marks = self._marks.found
        left = self._marks.looks.clear & ~within_quads(marks.centres_mm, known_mm)
        return _peeking_marks(self._sampler, marks.take(left), known_mm)

    def _taken(self, found: Hypotheses) -> Verdicts:
        """Score hypotheses, and mark the marks of certain cards as explained."""
        verdicts = judged(self.layouts, found, self._marks)
        self._marks.use(verdicts.hypotheses.marks[verdicts.sure].ravel())
        return verdicts

    def _grounds(self, found: Hypotheses) -> Floats:
        """Return the ground's RGB levels (n, 3): the lightest round a card's marks, on black the darkest.

        One of two marks may be in a shadow, and no card has a ground between the two.
        """
        rings = self._marks.looks.rings[found.marks]
        light = rings.sum(-1) if self.layouts.side == "white" else -rings.sum(-1)
        best = np.where(found.marks >= 0, light, -np.inf).argmax(1)
        return np.asarray(np.take_along_axis(rings, best[:, None, None], 1)[:, 0])


def _peeking_marks(sampler: Sampler, marks: Marks, cards_mm: Floats) -> list[Floats]:
    """Return places (2,) in mm of `marks` on a card's ground beside the read cards (n, 4, 2), one a card.

    Farther away, three marks as near to one another as on a card belong to a face that the deck does not have.
    """
    large = (marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS)
    if not len(cards_mm) or not large.any():
        return []
    centres, radii = marks.centres_mm[large], np.sqrt(marks.areas_mm2[large] / np.pi)
    apart = distance_to_quads(centres, cards_mm)
    card_mm = float(np.linalg.norm(cards_mm[0, 2] - cards_mm[0, 0]))
    near = (distances(centres, centres) < card_mm) & (apart.min(1) > _CLEAR_MM)
    beside = apart.min(1) < _BESIDE_MM
    on_card = np.array(
        [
            bool(off.min() > _CLEAR_MM and (is_beside or group.sum() >= _MARKS))
            and _is_on_ground(sampler, centre, radius, cards_mm[off.argmin()], cards_mm, marks.ground)
            for centre, radius, off, is_beside, group in zip(centres, radii, apart, beside, near, strict=True)
        ]
    )
    found: list[Floats] = []
    for centre in centres[on_card & (beside | ((near & on_card).sum(1) >= _MARKS))]:
        if all(np.linalg.norm(other - centre) >= _ONE_CARD_MM for other in found):
            found.append(centre)
    return found


def _is_on_ground(sampler: Sampler, centre: Floats, radius: float, card: Floats, cards_mm: Floats, ground: str) -> bool:
    """Return whether the ground round a mark is as light as the rim of the card (4, 2) beside it."""
    rim = np.median(sampler.levels(card.mean(0) + _INSET * (card - card.mean(0)))[0].astype(np.float64), axis=0)
    angle = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
    ring = centre + (radius + _RING_MM) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring = ring[~within_quads(ring, cards_mm)]
    if len(ring) < _LEAST_OPEN * _RING:
        return False
    off = np.abs(sampler.levels(ring)[0].astype(np.float64) - rim).max(1)
    return bool((off < _SAME * (rim.max() + _DIM if ground == "white" else 255.0)).mean() > 0.5)
