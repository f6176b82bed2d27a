"""Finds the patches of one picture that may be marks, proposes cards from them, and weighs these by log-odds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.deck import Deck
from vision.marked.arcs import cut_marks
from vision.marked.colour import least_print, printed_palette
from vision.marked.contours import CardColours, contour_odds, refined
from vision.marked.foreground import foreground_and_marks
from vision.marked.layouts import Hypotheses, layouts_of, posed
from vision.marked.looks import MarkLooks, looks_of
from vision.marked.marks import Marks, Sampler, work_image
from vision.marked.proposals import common_stretch, find_lines, lone_mark_cards, part_cards, whole_cards
from vision.read.verdict import VERDICT
from vision.table import Table
from vision.table_fit import FlatShape


@dataclass(frozen=True)
class MarkParams:
    """Weights and thresholds for cards by their marks alone; odds are log-odds."""

    # Before any colour, by the number of marks found: three in the right places seldom meet by chance, two often do.
    prior: tuple[float, ...] = (-np.inf, 1.2, 3.7, 7.0)
    residual_mm: float = 0.35  # standard deviation of a mark's place on its card
    likely: float = 0.4 / 360  # density per degree: a hue at random has 1 / 360
    worth_a_look: float = 1.0  # odds by marks alone
    most_looks: int = 200
    refuted: float = -1.0
    # Of a card's scale and mm: cards in a heap are nearer to the camera, and tilted, and an error of a mark's middle
    # changes the scale of a small triangle by more. Without them a heap of cut marks gave a wrong card.
    uneven: float = 0.02
    uneven_mm: float = 0.8
    sigma_px: float = 0.5  # of a mark's middle


MARK = MarkParams()


class PictureMarks:
    """The n patches of one picture that may be marks, those found by an arc of their outline last."""

    def __init__(self, image_bgr: Image, table: Table, deck: Deck, keep_out_px: Floats, lamp: Floats) -> None:
        """Find the marks; `keep_out_px` (m, 4, 2): quads of other things; `lamp`: see `printed_palette`."""
        height, width = image_bgr.shape[:2]
        places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
        scales = table.px_per_mm(places)
        work = work_image(image_bgr, float(scales[-1]))
        most = float(scales.max()) * work.scale
        self.layouts = layouts_of(deck)
        self._sampler, self._keep_out_px = Sampler(work, table), keep_out_px
        self._palette = printed_palette(deck, lamp)
        parts = [foreground_and_marks(work, table, self.layouts, k, most) for k in range(len(self.layouts.grounds))]
        self._foregrounds = [foreground for foreground, _ in parts]
        found = [marks.outside(keep_out_px) for _, marks in parts]
        looks = [looks_of(self._sampler, self.layouts, *pair) for pair in zip(found, self.layouts.grounds, strict=True)]
        self._marks, self._looks = Marks.joined(found), MarkLooks.joined(looks)
        self._free: Flags = self._looks.free.copy()  # looks like a whole mark, and is on no certain card

    @property
    def table(self) -> Table:
        """Return the table, in the cards' own scale once whole cards were found."""
        return self._sampler.table

    def spare_px(self, named: Hypotheses) -> Floats:
        """Return the middles (n, 2) of clear whole marks that none of the named cards has there."""
        numbers = np.flatnonzero(self._free & self._looks.clear & ~self._marks.same_as(named.marks[named.marks >= 0]))
        places = named.to_table(self.layouts.centres_mm[named.faces])
        off = np.linalg.norm(self._marks.centres_mm[numbers][:, None, None] - places, axis=3)
        likely = self._densities()[numbers][:, self.layouts.colours[named.faces]] > MARK.likely
        own = ((off < self._marks.radii_mm[numbers][:, None, None]) & likely).any((1, 2))
        return np.asarray(self._marks.centres_px[numbers[~own]])

    def whole_cards(self, reach: float) -> Hypotheses:
        """Return the cards with three visible whole marks, and fit scale and palette to them.

        A card may be larger or smaller than printed by `reach`.
        """
        found, scales = whole_cards(self.layouts, self._marks, self._free, reach)
        scale = common_stretch(scales, found.residual_mm)
        self._sampler = Sampler(self._sampler.work, self.table.stretched(scale))
        self._marks = self._marks.on(self.table)
        apart = np.sqrt((self.layouts.distances_mm[found.faces] ** 2).mean(1))
        even = np.abs(scales / scale - 1) < np.maximum(MARK.uneven, MARK.uneven_mm / apart)
        found = posed(self.layouts, self._marks, found.faces[even], found.marks[even])
        first = self._weighed_by_marks(found)
        certain = first.take(first.log_odds > VERDICT.marked)
        colours, hues = self.layouts.colours[certain.faces], self._looks.hues_deg[certain.marks]
        # Colours as printed named a whole card wrong under a window's edge.
        self._palette = self._palette.fitted(colours.ravel(), hues.ravel())
        return self._explained(found)

    def part_cards(self, known_mm: Floats) -> Hypotheses:
        """Return the cards with two visible whole marks, beside the known cards (k, 4, 2)."""
        known_px = np.concatenate([self.table.to_px(known_mm), self._keep_out_px])
        for ground, (side, foreground) in enumerate(zip(self.layouts.grounds, self._foregrounds, strict=True)):
            own = self._marks.ground == ground
            whole, radii = self._marks.take(own), self.layouts.radii_mm(ground)
            arcs, towards = cut_marks(self._sampler, foreground, known_px, whole, self._free[own], radii)
            looks = looks_of(self._sampler, self.layouts, arcs, side, towards)
            self._marks, self._looks = Marks.joined([self._marks, arcs]), MarkLooks.joined([self._looks, looks])
            self._free = np.concatenate([self._free, looks.free])
        return self._explained(part_cards(self.layouts, self._marks, self._free, self._likely()))

    def lone_cards(self) -> Hypotheses:
        """Return the cards with one visible whole mark and a straight edge."""
        lone = np.flatnonzero(self._free & self._looks.clear)
        lines = find_lines(self._sampler.work, self.table, self._marks.centres_mm[lone])
        return self._explained(lone_mark_cards(self.layouts, self._marks, lone, self._likely()[lone], lines))

    def fitted(self, first: Hypotheses) -> Hypotheses:
        """Return the likeliest cards, moved to the contours in the picture."""
        first = first.take(np.argsort(-first.log_odds, kind="stable")[: MARK.most_looks])
        seen_mm = np.where((first.marks >= 0)[..., None], self._marks.centres_mm[first.marks], np.nan)
        return refined(self._sampler, first, self.layouts, seen_mm) if len(first) else first

    def weighed(self, fitted: Hypotheses, known_mm: Floats) -> tuple[Hypotheses, Hypotheses]:
        """Return fitted cards weighed by their contours beside the known cards (k, 4, 2).

        Also return those that are not refuted, with their odds by marks alone but no longer certain: coins and counters
        on a grey table have no ground all round them.
        """
        log_odds, printed = fitted.log_odds.copy(), np.zeros(len(fitted), bool)
        for ground, side in enumerate(self.layouts.grounds):
            on = np.flatnonzero(self.layouts.ground[fitted.faces] == ground)
            if len(on):
                some = fitted.take(on)
                colours = self._colours_of(some, side)
                log_odds[on], printed[on] = contour_odds(self._sampler, some, self.layouts, colours, known_mm, side)
        possible = fitted.weighed(np.minimum(fitted.log_odds, VERDICT.marked - 0.5))
        return fitted.weighed(log_odds), possible.take((log_odds > MARK.refuted) | printed)

    def pieces(self, whole: Hypotheses) -> list[FlatShape]:
        """Return the marks of certain cards with three marks: pieces of known size on the table."""
        certain = whole.take(whole.log_odds > VERDICT.marked)
        return [
            FlatShape(self.layouts.centres_mm[face], self._marks.centres_px[marks], MARK.sigma_px)
            for face, marks in zip(certain.faces, certain.marks, strict=True)
        ]

    def _explained(self, found: Hypotheses) -> Hypotheses:
        """Weigh cards by their marks, and take the marks of certain ones off those left to explain."""
        cards = self._weighed_by_marks(found)
        numbers = cards.marks[cards.log_odds > VERDICT.marked].ravel()
        self._free[self._marks.same_as(numbers[numbers >= 0])] = False
        return cards

    def _weighed_by_marks(self, found: Hypotheses) -> Hypotheses:
        """Weigh cards by the number, places and colours of their marks; leave out the unlikely ones."""
        seen = found.marks >= 0
        densities = self._densities()[found.marks]
        density = np.take_along_axis(densities, self.layouts.colours[found.faces][..., None], 2)[..., 0]
        colour = (np.log(360 * density) * seen).sum(1)
        log_odds = np.array(MARK.prior)[seen.sum(1)] + colour - 0.5 * (found.residual_mm / MARK.residual_mm) ** 2
        return replace(found, log_odds=log_odds, colour=colour).take(log_odds > MARK.worth_a_look)

    def _densities(self) -> Floats:
        """Return the density (n, colours) per degree of each mark's hue under each colour."""
        return self._palette.likelihood(self._looks.hues_deg, self._looks.spread_deg)

    def _likely(self) -> Flags:
        """Return whether (n, faces, 3) the marks may be those of the faces by their grounds and colours."""
        likely = (self._densities() > MARK.likely)[:, self.layouts.colours]
        return np.asarray(likely & (self._marks.ground[:, None] == self.layouts.ground)[..., None])

    def _colours_of(self, cards: Hypotheses, side: str) -> CardColours:
        """Return the colours of cards with one `side` up, in their light.

        The ground is that round the first mark that was found.
        """
        seen, rings = cards.marks >= 0, self._looks.rings[cards.marks]
        ground = np.take_along_axis(rings, seen.argmax(1)[:, None, None], 1)[:, 0]
        hues = self._palette.hues_deg[self.layouts.colours[cards.faces]]
        chroma = least_print(self._looks.chroma[cards.marks], cards.marks, side)
        return CardColours(ground, np.where(seen[..., None], rings, ground[:, None]), hues, chroma)
