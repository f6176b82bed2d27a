"""Looks closer at a framed card: fits the art to what is seen, its place and its light together.

What lamps and cameras do to a card's colours is, in linear light, nearly a sum of few known fields: gloss takes
contrast, more of it towards the lamp; a camera bends its tone curve, changes saturation and blurs. So the light is a
least squares fit with a prior for each field, and so are the few tenths of a mm by which a frame's corners were off.
Every picture of the deck is fitted as well as it can be, and only then are they compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pile_faces import CAP, INDEPENDENT, OUTLIER, FaceMatch, FaceReader, spread_of

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_FINE = 4  # samples to a cell's side, for the art's slopes
_SOFT = 1.5  # of those samples: about a picture's own blur, and how far a first frame may be off
_LUMINANCE = np.array([0.0722, 0.7152, 0.2126], np.float32)
# Each field's expected amount and how much it varies: contrast, its slope across and down, saturation, the gains of
# blue and red, the tone curve's bend, blur, and, where the white is as bright as the camera can tell, overexposure.
_EXPECTED = np.array([1.0, 0, 0, 0, 0, 0, 0, 0.3, 0])
_VARIES = np.array([0.2, 0.25, 0.25, 0.15, 0.06, 0.06, 0.35, 0.4, 0.001])
_OVEREXPOSED = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0.1])
_LEAST_LIGHT, _CLEAR_LIGHT = 0.0004, 0.02
_NOISE, _EDGE = 0.08, 0.6  # as in `pile_faces`: less of both, for colours and place are fitted
_CLIPPED = 247.0
_ROUNDS = 2
_MOVES = np.array([0.5, 0.8, 0.8, 0.5, 0.8, 0.8])  # mm: a frame's middle, and by how much its edges may be off
_STILL_MM = 0.03
_RIVALS, _HOPELESS = 4, 100.0  # how many pictures are fitted, and how far behind the best one it is not worth while


@dataclass(frozen=True, eq=False)
class _Art:
    """One picture of the deck as the fit needs it; rows are cells of the frame, channel after channel."""

    fields: Singles  # (3 * cells, fields)
    slopes: Singles  # (3 * cells, 6), by the six moves
    weight: Singles  # (cells,)


@dataclass(frozen=True, eq=False)
class _Fit:
    """One picture fitted: its score, the cells' errors (cells,), where the frame is then, and the margin's share."""

    score: float
    cells: Singles
    frame_px: Floats
    white: float


class FaceFitter:
    """Fits the pictures of one deck."""

    def __init__(self, faces: FaceReader) -> None:
        self.faces = faces
        self._size = faces.deck.card_mm
        columns, rows = faces.cells
        across, down = np.meshgrid((np.arange(columns) + 0.5) / columns - 0.5, (np.arange(rows) + 0.5) / rows - 0.5)
        self._place = np.stack([across, down])[:, faces.frame].astype(np.float32)
        self._ramp = np.column_stack([np.ones(self._place.shape[1]), *self._place]).astype(np.float32)
        arts = [self._art(picture) for picture in faces.pictures]
        # All pictures at once, for a first ranking.
        self._all = np.stack([art.fields for art in arts])
        self._arts = [replace(art, fields=fields) for art, fields in zip(arts, self._all, strict=True)]
        weight = np.stack([np.tile(art.weight, 3) for art in self._arts])
        expected = self._all @ _EXPECTED.astype(np.float32)
        light = np.clip(1 - expected, _CLEAR_LIGHT, 1)
        pull = self._all * (INDEPENDENT * weight / (4 * light))[:, :, None]
        self._pulls = np.ascontiguousarray(pull.transpose(0, 2, 1)).reshape(-1, pull.shape[1])
        self._weights = weight
        self._normal = pull.transpose(0, 2, 1) @ self._all + np.diag(1 / _VARIES**2)

    def _art(self, picture: Image) -> _Art:
        columns, rows = self.faces.cells
        fine = cv2.resize(picture, (columns * _FINE, rows * _FINE), interpolation=cv2.INTER_AREA)
        fine = cv2.GaussianBlur(fine.astype(np.float32) / 255, (0, 0), _SOFT)
        art = self._cells(fine)
        right, down = (
            self._flat(self._cells(np.gradient(fine, axis=axis)) * _FINE * count / side)
            for axis, count, side in ((1, columns, self._size[0]), (0, rows, self._size[1]))
        )
        missing = 1 - art**2
        blurred = 1 - cv2.GaussianBlur(art, (0, 0), 1.0) ** 2
        x, y = (np.tile(way, 3) for way in self._place)
        flat = self._flat(missing)
        blue, _, red = np.repeat(np.eye(3, dtype=np.float32), len(x) // 3, axis=1)
        colourless = self._flat(np.repeat((missing @ _LUMINANCE)[:, :, None], 3, axis=2))
        soft = self._flat(blurred)
        fields = [flat, flat * x, flat * y, flat - colourless, flat * blue, flat * red, flat * (1 - flat), soft - flat]
        slopes = [right, right * x, right * y, down, down * x, down * y]
        noise = _NOISE**2 + (_EDGE * spread_of(art)[self.faces.frame]) ** 2
        return _Art(
            np.stack([*fields, np.ones_like(flat)], axis=1).astype(np.float32),
            np.stack(slopes, axis=1).astype(np.float32),
            np.asarray(1 / noise, np.float32),
        )

    def _cells(self, fine: cv2.typing.MatLike) -> Singles:
        shrunk = cv2.resize(np.asarray(fine, np.float32), self.faces.cells, interpolation=cv2.INTER_AREA)
        return np.asarray(shrunk, np.float32)

    def _flat(self, cells: cv2.typing.MatLike) -> Singles:
        return np.asarray(cells[self.faces.frame].T.reshape(-1), np.float32)

    def read(self, image_bgr: Image, frame_px: Floats) -> tuple[FaceMatch, Floats]:
        """Compare one framed card with every picture; gives the match, and the frame (4, 2) where it fits best.

        The frame is given in the order of `frame_px`; the match's `turn` counts from its first corner.
        """
        ranked = []
        for turn in self.faces.turns(frame_px):
            seen, _, _ = self.faces.rectified(image_bgr, np.roll(frame_px, -turn, axis=0))
            ranked += [(float(score), picture, turn) for picture, score in enumerate(self._ranking(seen))]
        ranked.sort(reverse=True)
        chosen: dict[int, int] = {}
        for score, picture, turn in ranked:
            if len(chosen) < 2 or (len(chosen) < _RIVALS and score > ranked[0][0] - _HOPELESS):
                chosen.setdefault(picture, turn)
        fits = {
            picture: self._fit(image_bgr, np.roll(frame_px, -turn, axis=0), self._arts[picture])
            for picture, turn in chosen.items()
        }
        best, rival = sorted(fits, key=lambda picture: -fits[picture].score)[:2]
        fit = fits[best]
        blank = self._blank(image_bgr, fit.frame_px, self._arts[best])
        differ = self.faces.apart(best, rival)
        match = FaceMatch(
            self.faces.names[best],
            chosen[best],
            fit.score - max(fits[rival].score, blank),
            float(np.minimum(fit.cells, CAP).mean()) / CAP,
            float((fit.cells > OUTLIER).mean()),
            float((fit.cells[differ] < OUTLIER).mean()) if differ.any() else 0.0,
            fit.white,
        )
        return match, np.roll(fit.frame_px, chosen[best], axis=0)

    def _ranking(self, seen: Singles) -> Singles:
        """A score for every picture, its light fitted without regard to what may be in the way."""
        pulled = (self._pulls @ (1 - seen**2)).reshape(len(self._arts), -1)
        amounts = np.linalg.solve(self._normal, (pulled + _EXPECTED / _VARIES**2)[:, :, None])
        light = np.clip(1 - (self._all @ amounts.astype(np.float32))[:, :, 0], _LEAST_LIGHT, 1)
        error = (np.sqrt(light) - seen) ** 2 * self._weights
        cells = error.reshape(len(self._arts), 3, -1).sum(axis=1)
        odd = (amounts[:, :, 0] - _EXPECTED) / _VARIES
        score = -1.5 * INDEPENDENT * np.minimum(cells, CAP).sum(axis=1) - 0.5 * (odd**2).sum(axis=1)
        return np.asarray(score, np.float32)

    def _fit(self, image_bgr: Image, frame_px: Floats, art: _Art) -> _Fit:
        """Fit one picture to a frame that begins at the picture's top-left."""
        moved = np.zeros(6)
        step = np.ones(6)
        for left in range(_ROUNDS, -1, -1):
            seen, white, share = self.faces.rectified(image_bgr, frame_px)
            clipped = seen * np.repeat(white, len(seen) // 3).astype(np.float32) >= _CLIPPED
            varies = _VARIES + _OVEREXPOSED * float(white.max() >= _CLIPPED)
            amounts, gap, cells = _light_fitted(art, seen, clipped, varies)
            if not left or np.abs(step).max() < _STILL_MM:
                break
            pull = art.slopes * np.tile(INDEPENDENT * art.weight * (cells < CAP), 3)[:, None] * np.float32(amounts[0])
            normal = pull.T @ art.slopes * np.float32(amounts[0]) + np.diag(1 / _MOVES**2)
            step = np.linalg.solve(normal, -(pull.T @ gap) - moved / _MOVES**2)
            moved += step
            frame_px = self._moved(frame_px, step)
        odd = (amounts - _EXPECTED) / varies
        score = -1.5 * INDEPENDENT * float(np.minimum(cells, CAP).sum()) - 0.5 * float(odd @ odd)
        return _Fit(score, cells, frame_px, share)

    def _blank(self, image_bgr: Image, frame_px: Floats, art: _Art) -> float:
        """The score of no picture at all: a smooth patch of any colour, judged as the picture in its place is."""
        seen, _, _ = self.faces.rectified(image_bgr, frame_px)
        colours, open_to_see = seen.reshape(3, -1).T, np.ones_like(art.weight)
        for _ in range(_ROUNDS):
            pull = self._ramp * (art.weight * open_to_see)[:, None]
            smooth = self._ramp @ np.linalg.solve(pull.T @ self._ramp, pull.T @ colours)
            cells = ((smooth - colours) ** 2).sum(axis=1) * art.weight
            open_to_see = np.minimum(CAP / np.maximum(cells, 1e-9), 1) ** 2
        return -1.5 * INDEPENDENT * float(np.minimum(cells, CAP).sum())

    def _moved(self, frame_px: Floats, step: Floats) -> Floats:
        """The frame after its art has been moved by a step (6,): mm to the right and down, and what they grow by."""
        x, y, across, down = self.faces.deck.frame_mm
        frame = np.array([[x, y], [x + across, y], [x + across, y + down], [x, y + down]])
        way = frame / self._size - 0.5
        shift = np.column_stack([np.ones(4), way]) @ step.reshape(2, 3).T
        warp = cv2.getPerspectiveTransform(frame.astype(np.float32), frame_px.astype(np.float32))
        return np.asarray(cv2.perspectiveTransform((frame - shift)[None].astype(np.float32), warp)[0], np.float64)


def _light_fitted(
    art: _Art, seen: Singles, clipped: NDArray[np.bool_], varies: Floats
) -> tuple[Floats, Singles, Singles]:
    """The amount of each field, by how much the fitted art is brighter than what is seen, and the cells' errors.

    Where the camera saw nothing but the brightest that it can tell, the art may be brighter than that.
    """
    amounts = _EXPECTED
    missing = 1 - seen**2
    light = np.clip(1 - art.fields @ amounts.astype(np.float32), _LEAST_LIGHT, 1)
    gap, cells = _gap(art, light, seen, clipped)
    for _ in range(2):
        open_to_see = np.minimum(CAP / np.maximum(cells, 1e-9), 1) ** 2
        weight = INDEPENDENT * np.tile(art.weight * open_to_see, 3) / (4 * np.maximum(light, _CLEAR_LIGHT))
        weight[clipped & (gap == 0)] = 0
        pull = art.fields * weight[:, None]
        amounts = np.linalg.solve(
            pull.T @ art.fields + np.diag(1 / varies**2), pull.T @ missing + _EXPECTED / varies**2
        )
        light = np.clip(1 - art.fields @ amounts.astype(np.float32), _LEAST_LIGHT, 1)
        gap, cells = _gap(art, light, seen, clipped)
    return amounts, gap, cells


def _gap(art: _Art, light: Singles, seen: Singles, clipped: NDArray[np.bool_]) -> tuple[Singles, Singles]:
    gap = np.sqrt(light) - seen
    gap[clipped & (gap > 0)] = 0
    return gap, (gap**2).reshape(3, -1).sum(axis=0) * art.weight
