"""Verifies a doubtful card: fits faces to it, each in the light that makes it most like the picture.

The first verdict (`verifier`) models a lamp that is brighter on one side and one veil of gloss. This one models
reflections on a part of a card, whites that are clipped, and cameras that mix colours (`light_model`). Covers, as thick
as a finger and over the card's edge, and cells wiped out by a lamp are left out. The other cells that differ from the
face must be next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from vision.arrays import Flags, Floats
from vision.quads import points_within
from vision.read.fit_quality import within
from vision.read.fitting import open_sheet
from vision.read.print_deck import PrintDeck
from vision.read.rectify import Pyramid
from vision.read.relight.art import lit_art, places_of
from vision.read.relight.covered import cover_of
from vision.read.relight.model import (
    CAP,
    OUTLIER,
    ArtFields,
    CardPixels,
    Light,
    LightModel,
)
from vision.read.relight.rank import Ranking
from vision.read.relight.reflections import CLIPPED, DARKER, glare_of


@dataclass(frozen=True)
class _Bounds:
    """Bounds of a certain verdict: the least evidence for its face, and the most against it."""

    lead: float
    printed: float
    in_sight: float
    stray: float
    error: float
    bent: float  # standard deviations by which a camera mixes colours


# Of 637 fully visible cards of five decks with the right face first 427 keep these bounds, their place being a mm
# off, and none of 67 with a wrong face. Of untaught cards none of 97, but 12 of 170 of a deck of thin coloured stripes:
# so only decks with all faces known are read so. The first verdict identifies nearly all others.
_WHOLE = _Bounds(lead=60.0, printed=60.0, in_sight=0.35, stray=0.03, error=0.2, bent=2.5)
# For a face that the first verdict has named, too, though not for certain. Where colours and print are both off, it is
# another face. Of 11 cards of an untaught clown's colour, which seemed not to be missing, that kept wider bounds, none
# keeps these and those of strips; four of 48 right ones do no more.
_NAMED_BEFORE = _Bounds(lead=80.0, printed=60.0, in_sight=0.35, stray=0.06, error=0.2, bent=0.8)


@dataclass(frozen=True)
class LitParams:
    """Steps of a fit of light and place; lengths in mm, levels shares of white."""

    cell_mm: float = 1.5
    bleached: float = 0.97
    farthest_mm: float = 2.0
    still_mm: float = 0.03
    steps: int = 3
    rounds: int = 2
    # cells that any card shows; from the card's edge: a cover is over these, too
    rim: int = 1
    edge_cells: int = 3
    coarse: int = 3  # cells from one to the next for ranking the faces
    no_rival: float = 100.0  # log-odds by which a face is behind that cannot be the right one


LIT = LitParams()

_CAMERA, _CAMERA_LEVEL = 0.03, 3 / 255  # the camera's noise, of white and of its range
_CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


@dataclass(frozen=True, eq=False)
class LitVerdict:
    """Verdict on a card in its own light.

    `face` is its number in the deck, `quad` (4, 2) px clockwise from the face's top left corner; `lead` the log-odds
    before
    the next likely face, `printed` before smooth colours without print, both by visible cells, which are `in_sight` of
    the
    card; `error` is the mean capped error there, `stray` the share that differs without a reason, `bent` by how many
    standard deviations a camera would have to mix colours.
    """

    face: int
    quad: Floats
    lead: float
    printed: float
    error: float
    stray: float
    in_sight: float
    bent: float

    def is_certain(self, named_before: int | None = None) -> bool:
        """Return whether next to nothing speaks against the face, and nothing else can be it.

        named_before: the number of the first verdict's likeliest face, if any.
        """
        return self._keeps(_WHOLE) or (named_before == self.face and self._keeps(_NAMED_BEFORE))

    def _keeps(self, bounds: _Bounds) -> bool:
        told = self.lead >= bounds.lead and self.printed >= bounds.printed and self.in_sight >= bounds.in_sight
        return told and self.stray <= bounds.stray and self.error <= bounds.error and self.bent <= bounds.bent


@dataclass(frozen=True, eq=False)
class _Laid:
    """One face fitted to the picture, at its best place, in its light."""

    art: ArtFields
    quad: Floats
    seen: CardPixels
    light: Light

    @property
    def likelihood(self) -> float:
        """Return the log-likelihood of the visible cells."""
        return float(self.light.score(self.seen.known))


class Relight:
    """Verifies cards of one deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self._size = np.array(deck.size_mm)
        self._columns, self._rows = (max(8, round(side / LIT.cell_mm)) for side in self._size)
        self._used = within((self._rows, self._columns), LIT.rim)
        self._edge = self._used & ~within((self._rows, self._columns), LIT.edge_cells)
        places = 2 * places_of(self._used)
        self._model = LightModel(*places)
        self._arts = [lit_art(face.art, self._used, deck.size_mm) for face in deck.faces]
        some = np.zeros_like(self._used)
        some[LIT.rim :: LIT.coarse, LIT.rim :: LIT.coarse] = True
        self._ranking = Ranking([art.fields for art in self._arts], places, some[self._used])
        self._turns = deck.turns

    def judge(self, picture: Pyramid, quad: Floats, white: Floats | None) -> LitVerdict:
        """Return the verdict for a card on a quad (4, 2) px, with the art upright or upside down.

        `white` (3,) BGR 0..1 is that of paper there, None where unknown.
        """
        seen_on = partial(self._seen, picture, white)
        views = {turn: seen_on(np.roll(quad, -turn, axis=0)) for turn in self._turns}
        laid: dict[int, _Laid] = {}
        for one in self._ranking.likeliest(views):
            # The card is at the first fit's place: that face is most often the right one.
            steps = 1 if laid else LIT.steps
            found = self._settled(seen_on, one.picture, np.roll(quad, -one.turn, axis=0), one.amounts, steps)
            if not laid:
                quad = np.roll(found.quad, one.turn, axis=0)
            if one.picture not in laid or found.likelihood > laid[one.picture].likelihood:
                laid[one.picture] = found
        return self._verdict(laid)

    def _verdict(self, laid: dict[int, _Laid]) -> LitVerdict:
        best = max(laid, key=lambda face: laid[face].likelihood)
        own = laid[best]
        others = [other for face, other in laid.items() if face != best]
        in_sight, stray = self._in_sight(own, [o for o in others if o.likelihood > own.likelihood - LIT.no_rival])
        mine = float(own.light.score(in_sight))
        lead = min((mine - float(other.light.score(in_sight)) for other in others), default=LIT.no_rival)
        blank = self._model.blank_score(own.seen.levels[:, in_sight], own.light.weight[in_sight], in_sight)
        error = float(np.minimum(own.light.cells[in_sight], CAP).mean()) / CAP if in_sight.any() else 1.0
        share = float(in_sight.mean())
        return LitVerdict(best, own.quad, lead, mine - blank, error, stray, share, float(own.light.bent))

    def _in_sight(self, own: _Laid, likely: Sequence[_Laid]) -> tuple[Flags, float]:
        """Return the uncovered cells (cells,), and the share of them that differs without a reason.

        A reflection for one face may be another one's white hat, so it must be one for all `likely` faces.
        """
        glare = self._glare(own)
        for other in likely if glare.any() else ():
            glare &= self._glare(other)
        known = own.seen.known & ~glare
        odd = np.zeros(self._used.shape, bool)
        odd[self._used] = (own.light.cells > OUTLIER) & known
        covered, strange = cover_of(odd, self._edge, self._used)
        stray = float(strange[self._used][known].sum()) / max(1, int(known.sum()))
        return known & ~covered[self._used], stray

    def _glare(self, laid: _Laid) -> Flags:
        """Return the cells (cells,) changed by a reflection."""
        if not laid.seen.shines.any():
            return laid.seen.shines
        odd = (laid.light.cells > OUTLIER) & laid.seen.known
        lit = odd & (laid.light.gap.max(axis=0) < DARKER)
        print_levels = self._model.without_gloss(laid.art, laid.light)
        return glare_of(laid.seen.shines, print_levels, odd, lit, self._used)

    def _settled(
        self, seen_on: Callable[[Floats], CardPixels], face: int, quad: Floats, amounts: Floats, steps: int
    ) -> _Laid:
        """Return a face after a few steps to its best place."""
        art = self._arts[face]
        seen = seen_on(quad)
        light = self._model.fitted(art.fields, seen, seen.known, amounts, LIT.rounds)
        for _ in range(steps):
            step = np.clip(-art.step(light, light.cells < CAP, np.zeros(6)), -LIT.farthest_mm, LIT.farthest_mm)
            quad = self._moved(quad, step)
            seen = seen_on(quad)
            light = self._model.fitted(art.fields, seen, seen.known, light.amounts, LIT.rounds)
            if np.abs(step).max() < LIT.still_mm:
                break
        return _Laid(art.fields, quad, seen, light)

    def _moved(self, quad: Floats, step: Floats) -> Floats:
        """Return a quad (4, 2) moved by mm: across, by its place across and down, then down likewise."""
        x, y = (_CORNERS - 0.5).T
        by = np.stack([step[0] + step[1] * x + step[2] * y, step[3] + step[4] * x + step[5] * y], axis=1)
        return np.asarray(points_within(quad[None], (_CORNERS + by / self._size)[None])[0])

    def _seen(self, picture: Pyramid, white: Floats | None, quad: Floats) -> CardPixels:
        """Return a card's pixels on a quad, divided by the white of paper (3,), 0..1."""
        paper = np.ones(3) if white is None else np.maximum(white, 0.02)
        # Nothing is known of hidden cells, except that they are no darker than black.
        sheet, seen = open_sheet(picture, quad, self._rows, self._columns, None)
        levels = np.ascontiguousarray(sheet[self._used].T)
        hidden = np.broadcast_to(~seen[self._used], levels.shape)
        noise = _CAMERA**2 + (_CAMERA_LEVEL / float(paper.mean())) ** 2
        by_white = np.asarray(levels / paper[:, None], np.float32)
        return CardPixels(by_white, (levels >= CLIPPED) | hidden, bool(paper.max() >= LIT.bleached), True, noise)
