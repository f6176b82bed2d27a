"""Looks closer at a framed card: fits the art to what is seen, its place and its light together.

Every picture of the deck is fitted as well as it can be, with the few tenths of a mm by which a frame's corners were
off, and only then are they compared, by what is in sight of them: what lies on a card lies over its margin, too, so it
is found and left out, and so is what a lamp has bleached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.effort import YARDSTICK, spend
from vision.pictured.face_match import FaceMatch
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_frames import shifted
from vision.pictured.pile_pattern import PatternReader
from vision.pictured.pile_view import View, Viewer
from vision.prints.covered_cells import cover_of
from vision.prints.light_model import CAP, OUTLIER, Light, LightModel
from vision.prints.light_ranking import Ranking
from vision.prints.lit_art import LitArt, lit_art, places_of
from vision.prints.reflections import DARKER, glare_of

_STILL_MM = 0.03
_STEPS = 3
_COARSE = 3  # cells from one to the next that ranks the pictures
_ROUNDS, _SHADE_ROUNDS = 2, 2
# The mean error of a cell that noise as expected makes, and how much less noise a picture may prove to have.
_USUAL_ERROR, _QUIETER = 0.7, (0.3, 1.0)
_PAINT_ALONE = 0.4  # of log-odds that only a paint gives: a camera's ways of mixing colours are not known any better
_NO_RIVAL = 100.0  # log-odds by which a picture is behind that cannot be the right one
_BLANK = 30.0  # by how much smooth colours must be likelier to be nothing else
_COVERED = 0.03  # of a frame: what is less makes no difference


@dataclass(frozen=True, eq=False)
class _Fit:
    """One picture fitted to a frame that begins at its top-left."""

    art: LitArt
    light: Light
    view: View
    frame_px: Floats

    @property
    def likelihood(self) -> float:
        """The logarithm of how likely all is that is seen."""
        return float(self.light.score(self.view.seen.known))


class FaceFitter:
    """Fits the pictures of one deck."""

    def __init__(self, faces: FaceReader) -> None:
        self.faces = faces
        self.patterns = PatternReader(faces)
        self._viewer = Viewer(faces)
        self._used, self._framed = self._viewer.used, self._viewer.framed
        places = 2 * places_of(self._used)
        self._model = LightModel(*places)
        self._arts = [lit_art(picture, self._used, faces.deck.card_mm) for picture in faces.pictures]
        # For a first ranking of all pictures, a few cells are enough.
        some = np.zeros_like(self._used)
        some[1::_COARSE, 1::_COARSE] = True
        self._ranking = Ranking([art.fields for art in self._arts], places, some[self._used])

    def read(self, image_bgr: Image, frame_px: Floats) -> tuple[FaceMatch, Floats]:
        """Compare one framed card with every picture; gives the match, and the frame (4, 2) where it fits best.

        The frame is given in the order of `frame_px`; the match's `turn` counts from its first corner.
        """
        return self._read(image_bgr, frame_px, self._views(image_bgr, frame_px))

    def read_in_shadow(self, image_bgr: Image, frame_px: Floats) -> tuple[FaceMatch, Floats] | None:
        """The same with a shadow across the card in every picture's light; None if none lies there."""
        views = self._views(image_bgr, frame_px, in_shadow=True)
        return self._read(image_bgr, frame_px, views) if views else None

    def _read(self, image_bgr: Image, frame_px: Floats, views: dict[int, View]) -> tuple[FaceMatch, Floats]:
        """Compare a frame with every picture by what it shows at each turn."""
        turns: dict[int, int] = {}
        fits: dict[int, _Fit] = {}
        uncovered: tuple[_Fit, Flags, _Fit] | None = None
        placed = False
        for picture, turn, view, amounts in self._chosen(views):
            spend(4 * YARDSTICK)
            frame = np.roll(frame_px, -turn, axis=0)
            # Where the first one fits, the white is the same.
            view = self._viewer.view(image_bgr, frame, view) if placed else view
            art = self._arts[picture]
            light = self._model.fitted(art.fields, view.seen, view.seen.known, amounts, _ROUNDS)
            fit = self._shaded(_Fit(art, light, view, frame), _SHADE_ROUNDS)
            fit = self._shaded(self._settled(image_bgr, fit, None, 1 if placed else _STEPS), 1)
            if picture not in fits or fit.likelihood > fits[picture].likelihood:
                fits[picture], turns[picture] = fit, turn
            if placed:
                continue
            in_sight, _ = self._in_sight(fit)
            if self._hidden(fit, in_sight):
                uncovered = fit, in_sight, self._settled(image_bgr, fit, in_sight, 1)
                fit = uncovered[-1]
                in_sight, _ = self._in_sight(fit)
            if self._better_than_blank(fit, in_sight) > -_BLANK:
                # The first one is most often right: the others begin where it fits.
                placed, frame_px = True, np.roll(fit.frame_px, turn, axis=0)
            elif not fit.view.seen.bleached:
                break
        best = max(fits, key=lambda picture: fits[picture].likelihood)
        likely = [picture for picture in fits if fits[picture].likelihood > fits[best].likelihood - _NO_RIVAL]
        in_sight, stray = self._in_sight(fits[best], [fits[picture] for picture in likely])
        if len(fits) > 1 and self._hidden(fits[best], in_sight):
            fits = {picture: self._settled_again(image_bgr, fit, in_sight, uncovered) for picture, fit in fits.items()}
            in_sight, stray = self._in_sight(fits[best], [fits[picture] for picture in likely])
        match = self._match(fits, best, turns[best], in_sight, stray)
        return match, np.roll(fits[best].frame_px, turns[best], axis=0)

    def _views(self, image_bgr: Image, frame_px: Floats, *, in_shadow: bool = False) -> dict[int, View]:
        """What a frame shows at each turn; nothing if no shadow lies on it in which it is to be seen."""
        views: dict[int, View] = {}
        look = self._viewer.in_shadow if in_shadow else self._viewer.view
        for turn in self.faces.turns(frame_px):
            other = views.get(turn - 2) if self.faces.centred else None
            view = other.turned() if other else look(image_bgr, np.roll(frame_px, -turn, axis=0))
            if view is None:
                return {}
            views[turn] = view
        return views

    def _chosen(self, views: dict[int, View]) -> Iterator[tuple[int, int, View, Floats]]:
        """The pictures worth fitting, the likeliest first: numbers, turns, what shows so, and amounts to begin with."""
        for one in self._ranking.likeliest({turn: view.seen for turn, view in views.items()}):
            yield one.picture, one.turn, views[one.turn], one.amounts

    def _match(self, fits: dict[int, _Fit], best: int, turn: int, in_sight: Flags, stray: float) -> FaceMatch:
        fit = fits[best]
        odds = printed = self._better_than_blank(fit, in_sight)
        told = np.zeros(0, bool)
        if len(fits) > 1:
            mine = float(fit.light.score(in_sight))
            leads = {k: mine - float(other.light.score(in_sight)) for k, other in fits.items() if k != best}
            leads = {k: lead * (_PAINT_ALONE if self.faces.alike(best, k) else 1) for k, lead in leads.items()}
            rival = min(leads, key=lambda picture: leads[picture])
            odds = min(odds, leads[rival])
            differ = self.faces.apart(best, rival) & in_sight[self._framed]
            told = fit.light.cells[self._framed][differ] < OUTLIER
        cells = fit.light.cells[in_sight & self._framed]
        error = float(np.minimum(cells, CAP).mean()) if len(cells) else CAP
        return FaceMatch(
            self.faces.names[best],
            turn,
            odds / float(np.clip(error / _USUAL_ERROR, *_QUIETER)),
            error / CAP,
            float((cells > OUTLIER).mean()) if len(cells) else 1.0,
            float(told.mean()) if len(told) else 0.0,
            fit.view.white,
            len(cells) / int(self._framed.sum()),
            stray,
            float((~fit.view.seen.known | self._glare(fit))[self._framed].mean()),
            float(fit.light.bent),
            printed,
            fit.view.seen.bleached,
        )

    def _shaded(self, fit: _Fit, rounds: int) -> _Fit:
        """The same fit with a shadow where its picture says that it lies, if there is any."""
        for _ in range(rounds if fit.view.shadow is not None else 0):
            view = self._viewer.shaded(fit.view, fit.art.fields, fit.light)
            light = self._model.fitted(fit.art.fields, view.seen, view.seen.known, fit.light.amounts, _ROUNDS)
            fit = _Fit(fit.art, light, view, fit.frame_px)
        return fit

    def _settled(self, image_bgr: Image, fit: _Fit, in_sight: Flags | None, steps: int) -> _Fit:
        """The same fit after a few steps to where the picture fits best, by what is in sight if that is known."""
        moved = np.zeros(6)
        art, light, view, frame_px = fit.art, fit.light, fit.view, fit.frame_px
        for left in reversed(range(steps)):
            spend(YARDSTICK)
            open_to_see = light.cells < CAP if in_sight is None else (light.cells < CAP) & in_sight
            step = art.step(light, open_to_see, moved)
            moved += step
            frame_px = shifted(self.faces.deck, frame_px, step)
            view = self._viewer.view(image_bgr, frame_px, view)
            last = not left or np.abs(step).max() < _STILL_MM
            known = view.seen.known if in_sight is None else in_sight
            # The light of a place that the next step leaves need not be known so well.
            rounds = _ROUNDS if last else 1
            light = self._model.fitted(art.fields, view.seen, known, light.amounts, rounds)
            if last:
                break
        return _Fit(art, light, view, frame_px)

    def _settled_again(
        self, image_bgr: Image, fit: _Fit, in_sight: Flags, done: tuple[_Fit, Flags, _Fit] | None
    ) -> _Fit:
        """The same fit after a step by what is in sight; `done` is one that was taken: from, what was in sight, to."""
        if done is not None and fit is done[0] and np.array_equal(in_sight, done[1]):
            return done[2]
        return self._settled(image_bgr, fit, in_sight, 1)

    def _hidden(self, fit: _Fit, in_sight: Flags) -> bool:
        """Whether something hides so much of a print that a fit should be repeated without it."""
        return bool((fit.view.seen.known & ~in_sight)[self._framed].mean() > _COVERED)

    def _in_sight(self, fit: _Fit, likely: Sequence[_Fit] = ()) -> tuple[Flags, float]:
        """Which cells nothing covers, (cells,), and the share of the frame that looks otherwise for no reason.

        What is a reflection to one picture may be another one's white hat, so it must be one to all `likely` ones.
        """
        glare = self._glare(fit)
        for other in likely if glare.any() else ():
            glare &= self._glare(other)
        known = fit.view.seen.known & ~glare
        odd = np.zeros(self._used.shape, bool)
        odd[self._used] = (fit.light.cells > OUTLIER) & known
        covered, strange = cover_of(odd, self.faces.margin, self._used)
        judged = known & self._framed
        stray = float(strange[self._used][judged].sum()) / max(1, int(judged.sum()))
        return known & ~covered[self._used], stray

    def _glare(self, fit: _Fit) -> Flags:
        """Which cells a reflection has changed, (cells,)."""
        shines = fit.view.seen.shines & self._framed
        if not shines.any():
            return shines
        odd = (fit.light.cells > OUTLIER) & fit.view.seen.known & self._framed
        lit = odd & (fit.light.gap.max(axis=0) < DARKER)
        return glare_of(shines, self._model.without_gloss(fit.art.fields, fit.light), odd, lit, self._used)

    def _better_than_blank(self, fit: _Fit, in_sight: Flags) -> float:
        """By how much a picture is likelier than none: smoothly changing colours, judged as the picture there is."""
        colours, weight = fit.view.seen.levels, fit.light.weight * in_sight
        blank = self._model.blank_score(colours[:, self._framed], weight[self._framed], self._framed)
        return float(fit.light.score(in_sight)) - blank
