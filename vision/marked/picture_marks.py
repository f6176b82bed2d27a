"""Finds the patches of one picture that may be marks, proposes cards from them, and weighs these by log-odds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.deck import Deck
from vision.marked.arcs import cut_marks
from vision.marked.colour import least_print, printed_palette
from vision.marked.contours import CardColours, contour_odds, refined, traces
from vision.marked.foreground import foreground_and_marks
from vision.marked.layouts import Hypotheses, layouts_of, posed
from vision.marked.looks import MarkLooks, looks_of
from vision.marked.marks import Marks, Sampler, work_image
from vision.marked.proposals import common_stretch, find_lines, lone_mark_cards, part_cards, whole_cards
from vision.quads import distance_to_quads, distances, within_quads
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
    most_looks: int = 80
    refuted: float = -1.0
    # Poses of one face within these are one card.
    same_mm: float = 4.0
    same_rad: float = 0.07
    # Of a card's scale and mm: cards in a heap are nearer to the camera, and tilted, and an error of a mark's middle
    # changes the scale of a small triangle by more.
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
        first = _likeliest(first)
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
                seen = traces(self._sampler, some, self.layouts, self._colours_of(some, side), known_mm, side)
                log_odds[on], printed[on] = contour_odds(some.marks >= 0, _misfit(some), seen)
        possible = fitted.weighed(np.minimum(fitted.log_odds, VERDICT.marked - 0.5))
        return fitted.weighed(log_odds), possible.take((log_odds > MARK.refuted) | printed)

    def mark_places(self, cards: Hypotheses) -> Floats:
        """Return (n, 3, 3) the places in mm on the table of each card's found marks, and their radii; else nan."""
        radii = np.sqrt(self.layouts.areas_mm2[cards.faces] / np.pi)
        places = np.concatenate([cards.to_table(self.layouts.centres_mm[cards.faces]), radii[..., None]], axis=2)
        return np.asarray(np.where((cards.marks >= 0)[..., None], places, np.nan))

    def pieces(self, whole: Hypotheses) -> list[FlatShape]:
        """Return the marks of certain cards with three marks: pieces of known size on the table."""
        certain = whole.take(whole.log_odds > VERDICT.marked)
        return [
            FlatShape(self.layouts.centres_mm[face], self._marks.centres_px[marks], MARK.sigma_px)
            for face, marks in zip(certain.faces, certain.marks, strict=True)
        ]

    def peeking(self, known_mm: Floats) -> list[tuple[Floats, str]]:
        """Return places (2,) in mm of marks visible beside the known cards (n, 4, 2), and the sides of their cards."""
        found: list[tuple[Floats, str]] = []
        for ground, side in enumerate(self.layouts.grounds):
            left = self._looks.clear & ~within_quads(self._marks.centres_mm, known_mm) & (self._marks.ground == ground)
            found += [(place, side) for place in _peeking_marks(self._sampler, self._marks.take(left), known_mm, side)]
        return found

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
        log_odds = np.array(MARK.prior)[seen.sum(1)] + colour - _misfit(found)
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

        The ground is the lightest round a card's marks, on black the darkest: one of two marks may be in a shadow, and
        no card has a ground between the two.
        """
        seen, rings = cards.marks >= 0, self._looks.rings[cards.marks]
        light = rings.sum(-1) if side == "white" else -rings.sum(-1)
        best = np.where(seen, light, -np.inf).argmax(1)
        ground = np.take_along_axis(rings, best[:, None, None], 1)[:, 0]
        hues = self._palette.hues_deg[self.layouts.colours[cards.faces]]
        chroma = least_print(self._looks.chroma[cards.marks], cards.marks, side)
        return CardColours(ground, np.where(seen[..., None], rings, ground[:, None]), hues, chroma)


def _misfit(cards: Hypotheses) -> Floats:
    return np.asarray(0.5 * (cards.residual_mm / MARK.residual_mm) ** 2)


def _likeliest(cards: Hypotheses) -> Hypotheses:
    """Return the likeliest cards, and of nearly equal poses of a face the best one."""
    kept: list[int] = []
    for k in np.argsort(-cards.log_odds, kind="stable").tolist():
        others = np.array(kept, np.intp)
        turned = np.abs((cards.turn[others] - cards.turn[k] + np.pi) % (2 * np.pi) - np.pi)
        near = (np.abs(cards.shift_mm[others] - cards.shift_mm[k]).max(1, initial=0) < MARK.same_mm) & (
            turned < MARK.same_rad
        )
        if not (near & (cards.faces[others] == cards.faces[k])).any():
            kept.append(k)
        if len(kept) == MARK.most_looks:
            break
    return cards.take(np.array(kept, np.intp))


@dataclass(frozen=True)
class PeekingParams:
    """Thresholds for marks beside the cards that were read: a card is under those."""

    beside_mm: float = 22.0  # how far from a read card a mark may be visible
    clear_mm: float = 2.0  # a mark nearer to a read card's edge may be that card's own shadow or rim
    one_card_mm: float = 55.0
    marks: int = 3  # on a card
    area_mm2: float = 30.0
    fullness: float = 0.7
    open: float = 0.25  # of the ring round a mark: at least so much is beside the read cards
    ring_mm: float = 1.8
    ring: int = 16
    same: float = 0.12  # of the card's level
    dim: float = 30.0  # levels of a dark picture's noise
    inset: float = 0.93  # of a card, where its ground is sampled


PEEKING = PeekingParams()


def _peeking_marks(sampler: Sampler, marks: Marks, cards_mm: Floats, side: str) -> list[Floats]:
    """Return places (2,) in mm of `marks` on a card's ground beside the read cards (n, 4, 2), one a card.

    Farther away, three marks as near to one another as on a card belong to a face that the deck does not have.
    """
    large = marks.take((marks.areas_mm2 > PEEKING.area_mm2) & (marks.fullness > PEEKING.fullness))
    if not len(cards_mm) or not len(large):
        return []
    centres = large.centres_mm
    apart = distance_to_quads(centres, cards_mm)
    card_mm = float(np.linalg.norm(cards_mm[0, 2] - cards_mm[0, 0]))
    near = (distances(centres, centres) < card_mm) & (apart.min(1) > PEEKING.clear_mm)
    beside = apart.min(1) < PEEKING.beside_mm
    on_card = np.array(
        [
            bool(off.min() > PEEKING.clear_mm and (is_beside or group.sum() >= PEEKING.marks))
            and _is_on_ground(sampler, centre, radius, cards_mm[off.argmin()], cards_mm, side)
            for centre, radius, off, is_beside, group in zip(centres, large.radii_mm, apart, beside, near, strict=True)
        ]
    )
    found: list[Floats] = []
    for centre in centres[on_card & (beside | ((near & on_card).sum(1) >= PEEKING.marks))]:
        if all(np.linalg.norm(other - centre) >= PEEKING.one_card_mm for other in found):
            found.append(centre)
    return found


def _is_on_ground(sampler: Sampler, centre: Floats, radius: float, card: Floats, cards_mm: Floats, side: str) -> bool:
    """Return whether the ground round a mark is as light as the rim of the card (4, 2) beside it."""
    inset = card.mean(0) + PEEKING.inset * (card - card.mean(0))
    rim = np.median(sampler.levels(inset)[0].astype(np.float64), axis=0)
    angle = np.linspace(0, 2 * np.pi, PEEKING.ring, endpoint=False)
    ring = centre + (radius + PEEKING.ring_mm) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring = ring[~within_quads(ring, cards_mm)]
    if len(ring) < PEEKING.open * PEEKING.ring:
        return False
    off = np.abs(sampler.levels(ring)[0].astype(np.float64) - rim).max(1)
    return bool((off < PEEKING.same * (rim.max() + PEEKING.dim if side == "white" else 255.0)).mean() > 0.5)
