"""The rims of marks, whatever their hue: they name cards in plain sight that a reflection has spoilt, or refute them.

Light that clips takes a mark's colour, and blooms over black until a crescent is a disc, so that no patch has a mark's
size and shape any more. But where all of a card lies open, it is known where each face of the deck has its rims: print
is lighter than black all round them, and darker than white. It is template matching by the sign of steps, which even
light does not change; a card is as sure as its least mark is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.contours import RIM, SIDE, CardViews, refined
from vision.marked.layouts import (
    ANY_SHAPE,
    OUT_OF_SHAPE,
    Hypotheses,
    Layouts,
    concatenated,
    no_cards,
    part_cards,
    whole_cards,
)
from vision.marked.marks import Marks, coincide
from vision.marked.outline import corners_of, edge_steps, edge_support
from vision.marked.sampler import Sampler
from vision.marked.scoring import LOOKED_AT, SURE, Verdicts
from vision.marked.side_model import SideModel
from vision.quads import apart

_GRID_MM = 0.75
_ACROSS_MM = _GRID_MM * np.arange(-3, 4)
_STEP = 3  # of those places: light blooms by a millimetre or two
_LEAST_STEP = 9.0  # grey levels, all channels together
_OVER_GRAIN = _OVER_OTHER_WAY = 1.5
_DEVIATION = 1.48  # of a normal distribution, by its median distance from the middle
_FINALISTS = 6
_SLACK_MM = 1.6  # between two marks: a crescent that blooms has another middle
# Log-odds. Of 550 plain cards without their own face in the deck the best other one showed 0.55 of its least rim, of
# 400 places at random 0.59; of the plain cards themselves 99 in 100 show more than 0.8.
_RIM_WEIGHT, _RIM_EVEN = 24.0, 0.5
_SIDES_WEIGHT, _SIDES_EVEN = 4.0, 0.6
# Of 3,000 cards with three whole marks one was wrong, with log-odds of 5.1: it showed 0.41 of its least rim, and of
# 1,500 in drawn heaps one, with 6.4 and 0.59. Nearly all true ones show more than 0.8, small ones in the dark 0.77.
_NO_DOUBT, _PRINTED = 12.0, 0.8


def open_cards(
    sampler: Sampler,
    deck: Deck,
    model: SideModel,
    marks: Marks,
    left: NDArray[np.bool_],
    beside: NDArray[np.bool_],
    likely: NDArray[np.bool_],
    quads_mm: Floats,
) -> Verdicts:
    """Judge the best face of one side in each of the outlines (n, 4, 2), clockwise, on the table.

    Cards are also looked for where two of the `marks` that are `left`, (m,), may be theirs, and their sides show, and
    where three of those that lie `beside` known cards, (m,), have their rims. Each is given those of all marks that lie
    in the middle of its own. It is not sure if one of them has a colour that is not `likely`, (m, faces, 3), for its
    face, and few of its sides show: the dots of a tablecloth have rims as well.
    """
    rims, layouts = _Rims(sampler, deck, model), model.layouts
    any_hue = np.ones((len(marks), len(layouts.faces), 3), dtype=bool)
    pairs = part_cards(layouts, marks, _SLACK_MM, left, any_hue, OUT_OF_SHAPE)
    outlines = [quads_mm, rims.outlined(pairs)]
    # Where all marks are round, those of two neighbours may lie like those of a third card.
    if not layouts.all_round:
        whole, _ = whole_cards(layouts, marks, _SLACK_MM, beside, loose=ANY_SHAPE)
        outlines.append(rims.rimmed(whole))
    found, odds = [no_cards()], [np.zeros(0)]
    for quad in np.concatenate(outlines):
        card, best = rims.best_in(quad)
        found.append(card)
        odds.append(np.array([best]))
    cards = _with_marks(concatenated(found), layouts, marks)
    verdicts = Verdicts(layouts, cards, np.concatenate(odds), dict.fromkeys(LOOKED_AT, np.zeros(len(cards))))
    return verdicts.lowered(_otherwise_coloured(cards, likely) & (rims.sides(cards) < _SIDES_EVEN))


def unprinted(sampler: Sampler, deck: Deck, model: SideModel, whole: Verdicts) -> NDArray[np.bool_]:
    """(n,) which of the cards with three marks in sight are not sure any more for what one mark's rim lacks.

    A piece of a reflection on a black card may have a mark's size and lie where another face has one, and so may what
    others leave in sight of marks in a heap.
    """
    rims, found = _Rims(sampler, deck, model), np.zeros(len(whole.hypotheses), dtype=bool)
    for k in np.flatnonzero(whole.sure & (whole.log_odds < _NO_DOUBT)):
        card = whole.hypotheses.take(np.array([k]))
        least = _least_step(rims.light_on(card))
        rim = rims.least_shown(rims.and_moved(card), least).max()
        found[k] = whole.log_odds[k] + _RIM_WEIGHT * min(rim - _PRINTED, 0.0) < SURE
    return found


@dataclass(frozen=True, eq=False)
class _Rims:
    """Looks at the rims that cards of one side of a deck would show in one picture."""

    sampler: Sampler
    deck: Deck
    model: SideModel

    def outlined(self, cards: Hypotheses) -> Floats:
        """(n, 4, 2) places in mm of those cards of which most of the sides show, each place once."""
        return self._places(cards, self.sides(cards), _SIDES_EVEN)

    def rimmed(self, cards: Hypotheses) -> Floats:
        """(n, 4, 2) places in mm of those cards of which each mark's rim shows, each place once."""
        if not len(cards):
            return np.zeros((0, 4, 2))
        moved = self._moved(cards)
        return self._places(moved, self.least_shown(moved, _LEAST_STEP), _RIM_EVEN)

    def best_in(self, quad_mm: Floats) -> tuple[Hypotheses, float]:
        """The likeliest card in an outline (4, 2), and its log-odds or its lead over the next face, the lesser."""
        upright = _poses(quad_mm, self.deck)
        light = self.light_on(upright)
        least = _least_step(light)
        faces = self._finalists(upright, light, least)
        total = self._log_odds(faces, least)
        best = int(total.argmax())
        lead = total[best] - total[faces.faces != faces.faces[best]].max(initial=-np.inf)
        # A hull's rectangle may be turned by a degree or two: the second move begins where the first one ended.
        return self._moved(faces.take(np.array([best]))), float(min(total[best], lead))

    def light_on(self, upright: Hypotheses) -> Floats:
        """(h, w) levels all over the first card, every `_GRID_MM`, of all channels together."""
        axes = [
            np.linspace(0.0, side, last + 1)
            for side, last in zip(self.deck.card_mm, _last_cell(self.deck), strict=True)
        ]
        grid = np.stack(np.meshgrid(*axes), axis=-1)
        card = upright.take(np.array([0]))
        return np.asarray(CardViews(self.sampler, card, self.deck).levels(grid[None])[0].sum(-1))

    def and_moved(self, cards: Hypotheses) -> Hypotheses:
        """The cards moved to where their contours are, and after them the same as they lie."""
        return concatenated([self._moved(cards), cards])

    def least_shown(self, cards: Hypotheses, least: float) -> Floats:
        """(n,) how much shows of the rim that shows least; see `_least_step`."""
        light = CardViews(self.sampler, cards, self.deck).levels(_across_rims(self.model, cards.faces)).sum(-1)
        return np.asarray(_shown(light, least, self.model).min(1))

    def _places(self, cards: Hypotheses, shown: Floats, least: float) -> Floats:
        """(k, 4, 2) places in mm of the cards that show more than the least, (n,), the plainest of each place."""
        order = np.argsort(-shown, kind="stable")
        quads = cards.to_table(corners_of(self.deck))[order[shown[order] > least]]
        return np.asarray(quads[apart(quads)])

    def sides(self, cards: Hypotheses) -> Floats:
        """(n,) the share of the cards' sides that shows."""
        return np.asarray(edge_support(*edge_steps(self.sampler, cards, self.deck)).mean(1))

    def _moved(self, cards: Hypotheses) -> Hypotheses:
        unseen = np.full((len(cards), 3, 2), np.nan)
        return refined(self.sampler, cards, self.deck, self.model.contours, self.model.layouts, unseen)

    def _finalists(self, upright: Hypotheses, light: Floats, least: float) -> Hypotheses:
        """Give the likeliest faces in an outline, either way up, moved to where their contours are and as it lies."""
        cells = _rim_cells(self.deck, self.model)
        shown = np.concatenate([_shown(turned[cells], least, self.model) for turned in (light, light[::-1, ::-1])])
        likeliest = np.argsort(-shown.min(1) - shown.mean(1), kind="stable")[:_FINALISTS]
        way, face = np.divmod(likeliest, len(self.model.layouts.faces))
        return self.and_moved(replace(upright.take(way), faces=face))

    def _log_odds(self, faces: Hypotheses, least: float) -> Floats:
        """(n,) how much speaks for each face: by the mark whose rim shows least, and by the card's sides."""
        rim, sides = self.least_shown(faces, least), self.sides(faces)
        return np.asarray(_RIM_WEIGHT * (rim - _RIM_EVEN) + _SIDES_WEIGHT * (sides - _SIDES_EVEN))


def _poses(quad_mm: Floats, deck: Deck) -> Hypotheses:
    """The two ways to lay a card in an outline (4, 2), with the first face and no mark of it seen."""
    width, height = deck.card_mm
    one, other = np.linalg.norm(quad_mm[1] - quad_mm[0]), np.linalg.norm(quad_mm[2] - quad_mm[1])
    ways = [0, 2] if (one < other) == (width < height) else [1, 3]
    along = np.roll(quad_mm, -1, axis=0)[ways] - quad_mm[ways]
    turn = np.arctan2(along[:, 1], along[:, 0])
    return Hypotheses(np.zeros(2, np.intp), np.full((2, 3), -1), turn, quad_mm[ways], np.zeros(2))


def _last_cell(deck: Deck) -> tuple[int, int]:
    """The last column and row of the grid of places on a card."""
    width, height = deck.card_mm
    return round(width / _GRID_MM), round(height / _GRID_MM)


@lru_cache(maxsize=4)
def _rim_cells(deck: Deck, model: SideModel) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column in that grid of the places across the rims of all n faces, both (n, 3·RIM, k)."""
    points = _across_rims(model, np.arange(len(model.layouts.faces))) / deck.card_mm
    column, row = np.moveaxis(np.rint(points.clip(0, 1) * _last_cell(deck)).astype(np.intp), -1, 0)
    return row, column


def _least_step(light: Floats) -> float:
    """The least step that is none of the card's grain."""
    grain = np.abs(light[:, _STEP:] - light[:, :-_STEP])
    return max(_LEAST_STEP, _OVER_GRAIN * _DEVIATION * float(np.median(grain)))


def _across_rims(model: SideModel, faces: NDArray[np.intp]) -> Floats:
    """(n, 3·RIM, k, 2) places in mm from within each rim to beyond it, on the faces (n,)."""
    points, normals = (some[faces, 4 * SIDE :, None] for some in (model.contours.points_mm, model.contours.normals))
    return np.asarray(points + _ACROSS_MM[:, None] * normals)


def _shown(light: Floats, least: float, model: SideModel) -> Floats:
    """(n, 3) the share of each rim that shows; `light` (n, 3·RIM, k): levels across it."""
    step = light[..., :-_STEP] - light[..., _STEP:]
    if model.layouts.side == "white":
        step = -step
    most, other_way = step.max(-1), -step.min(-1)
    shows = (most > least) & (most > _OVER_OTHER_WAY * other_way)
    return np.asarray(shows.reshape(len(light), 3, RIM).mean(2))


def _with_marks(cards: Hypotheses, layouts: Layouts, marks: Marks) -> Hypotheses:
    """The same cards, each with the marks that must be its own."""
    places = cards.to_table(layouts.centres_mm[cards.faces])[:, :, None]
    radii = np.sqrt(layouts.areas_mm2[cards.faces] / np.pi)[:, :, None]
    own = coincide(places, radii, marks.centres_mm, np.sqrt(marks.areas_mm2 / np.pi))
    return replace(cards, marks=np.where(own.any(-1), own.argmax(-1), -1) if len(marks) else cards.marks)


def _otherwise_coloured(cards: Hypotheses, likely: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) which of the cards have a mark of a colour that is not their face's."""
    card, slot = np.nonzero(cards.marks >= 0)
    found = np.zeros(len(cards), dtype=bool)
    np.logical_or.at(found, card, ~likely[cards.marks[card, slot], cards.faces[card], slot])
    return found
