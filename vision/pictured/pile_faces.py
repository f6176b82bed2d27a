"""Tells which picture a card shows, once its frame has been found, by comparing it with the deck's art.

The card's own white margin is the reference: brightness by that of the white around it does not depend on lamp, shadow
or exposure. Every comparison is a sum over cells of the card, each capped, so that glare, a finger or a bent corner
costs no more than what it hides.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles
from vision.effort import YARDSTICK, spend
from vision.pictured.card_frame import corners_mm
from vision.pictured.face_match import FaceMatch
from vision.prints.light_model import CAP, INDEPENDENT, OUTLIER, spread_of
from vision.prints.print_deck import Print, PrintDeck

CELL_MM = 1.5
FINE = 2  # samples to a cell's side
_NOISE = 0.11  # of white: what light, print and JPEG change
_EDGE = 0.9  # how much of the art's own variation round a cell counts as noise: cards lie a little off
_GAIN = (0.5, 1.1)  # contrast by that of the art: gloss and haze take some, hard tone curves add some
_GAIN_SIGMA = 0.16
_DARKER, _DARKER_COST = 1.35, 0.6  # power of the linear light
CLIPPED = 247.0  # of 255
_OVEREXPOSED = (1.3, 1.7, 2.3)
_OVER_SIGMA = 0.5  # of the logarithm
_MARGIN_MM = 0.8  # of the white that is too close to the frame or the card's edge
LIKE_WHITE = 0.16  # of white: what light and print change of it
_ENOUGH, _BRIGHTEST = 0.1, 0.6  # of a margin: what may tell the colour of white, and what is less bright
WHOLE = 0.85  # share of a margin that is white, from which nothing hides any of it
_STEADY = 1e-6
_TOLD_BY_DRAWING = 15.0  # log-odds from which a picture's drawing tells it from another one, whatever the colours
_BENT = 0.047  # rms by which cameras and lamps bend a paint, all over a card alike: measured, a channel, of white
_TURNS = 4
_CENTRED_MM = 0.1


class FaceReader:
    """Compares framed cards with the art of one deck.

    Raises:
        ValueError: it has no frame, or no back.
    """

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        columns, rows = (round(side / CELL_MM) for side in deck.card_mm)
        self.cells = (columns, rows)
        if deck.back is None:
            raise ValueError(f"nobody knows the back of the framed cards of {deck.name}")
        self.back: Print = deck.back
        self.names: list[Print | None] = [*deck.fronts, None]
        self.pictures = [*(face.art for face in deck.fronts), deck.back.art]
        art = np.stack([cv2.resize(p, (columns, rows), interpolation=cv2.INTER_AREA) for p in self.pictures])
        shown = art.astype(np.float32) / 255
        spread = np.stack([spread_of(picture) for picture in shown])
        self.frame, self.margin = self._masks()
        across, down = np.meshgrid((np.arange(columns) + 0.5) / columns - 0.5, (np.arange(rows) + 0.5) / rows - 0.5)
        self._basis = np.stack([np.ones_like(across), across, down], axis=-1)
        self._margin_basis = self._basis[self.margin]
        # Channel after channel, (pictures, 3 * cells): sums over a cell's channels are then sums of long rows.
        self._art = np.ascontiguousarray(shown[:, self.frame].transpose(0, 2, 1).reshape(len(shown), -1))
        noise = _NOISE**2 + (_EDGE * spread[:, self.frame]) ** 2
        self._weight = np.tile(1 / noise, (1, 3)).astype(np.float32)
        self._missing = np.asarray(1 - self._art**2, np.float32)
        self._darker = np.asarray((1 - self._missing) ** (_DARKER / 2), np.float32)
        self._pull = INDEPENDENT * self._weight * self._missing
        self._power = (self._pull * self._missing).sum(axis=1)
        self._n_frame = int(self.frame.sum())
        drawn, painted = self._compare_drawings()
        self._alike = (drawn < _TOLD_BY_DRAWING) & ~np.eye(len(drawn), dtype=bool)
        # The most by which a picture can beat those with the same drawing in another paint.
        self._most = np.where(self._alike & (painted > 0), drawn + painted, np.inf).min(axis=1)
        x, y, wide, tall = deck.frame
        self.centred = max(abs(2 * x + wide - deck.card_mm[0]), abs(2 * y + tall - deck.card_mm[1])) < _CENTRED_MM

    def _masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Cells within the frame, and cells that are only white."""
        columns, rows = self.cells
        width, height = self.deck.card_mm
        x = (np.arange(columns)[None] + 0.5) * width / columns
        y = (np.arange(rows)[:, None] + 0.5) * height / rows
        left, top, across, down = self.deck.frame
        half = CELL_MM / 2
        in_frame = (x > left + half) & (x < left + across - half) & (y > top + half) & (y < top + down - half)
        gap = _MARGIN_MM + half
        clear = (x < left - gap) | (x > left + across + gap) | (y < top - gap) | (y > top + down + gap)
        on_card = (x > gap) & (x < width - gap) & (y > gap) & (y < height - gap)
        return np.asarray(in_frame), np.asarray(clear & on_card)

    def read(self, image_bgr: Image, frame_px: Floats) -> FaceMatch:
        """Compare one framed card, `frame_px` (4, 2) its frame clockwise, with every picture at every turn."""
        spend(0.7 * YARDSTICK)
        turns = self.turns(frame_px)
        matches = [self._compared(*view) for view in self._views(image_bgr, frame_px, turns)]
        scores = np.stack([score for score, _, _ in matches])
        way, picture = (int(index) for index in np.unravel_index(int(scores.argmax()), scores.shape))
        others = scores.max(axis=0)
        best = float(others[picture])
        others[picture] = -np.inf
        rival = int(others.argmax())
        _, cells, white = matches[way]
        error = cells[picture]
        differ = self.apart(picture, rival)
        return FaceMatch(
            self.names[picture],
            turns[way],
            min(best - float(others[rival]), float(self._most[picture])),
            float(np.minimum(error, CAP).mean()) / CAP,
            float((error > OUTLIER).mean()),
            float((error[differ] < OUTLIER).mean()) if differ.any() else 0.0,
            white,
        )

    def _compare_drawings(self) -> tuple[Floats, Floats]:
        """Log-odds by which drawings tell pictures from others, and paints alone, (pictures, pictures) each."""
        drawn, painted = np.zeros((2, len(self._art), len(self._art)))
        for picture, rival in np.argwhere(~np.eye(len(self._art), dtype=bool)):
            differ = self.apart(picture, rival)
            if not differ.any():
                continue
            gap = (self._art[rival] - self._art[picture]).reshape(3, -1)[:, differ]
            weight = self._weight[picture].reshape(3, -1)[0, differ]
            shift = (gap @ weight / weight.sum())[:, None]
            cells = ((gap - shift) ** 2).sum(axis=0) * weight
            drawn[picture, rival] = 1.5 * INDEPENDENT * float(np.minimum(cells, CAP).sum())
            painted[picture, rival] = 0.5 * float((shift**2).sum()) / _BENT**2
        return drawn, painted

    def alike(self, picture: int, rival: int) -> bool:
        """Whether nothing but its paint tells a picture from another one."""
        return bool(self._alike[picture, rival])

    def apart(self, picture: int, rival: int) -> NDArray[np.bool_]:
        """Which cells of the frame tell a picture from another one."""
        gap = (self._art[picture] - self._art[rival]) ** 2 * self._weight[picture]
        return np.asarray(gap.reshape(3, self._n_frame).sum(axis=0) > CAP)

    def turns(self, frame_px: Floats) -> tuple[int, ...]:
        """Give the turns at which a frame may hold a picture: two where its sides tell which of them are short."""
        sides = np.linalg.norm(np.roll(frame_px, -1, axis=0) - frame_px, axis=1)
        aspect = (sides[0] + sides[2]) / (sides[1] + sides[3])
        width, height = self.deck.frame[2:]
        if 0.78 < aspect < 1.28:
            return 0, 1, 2, 3
        return (0, 2) if (aspect < 1) == (width < height) else (1, 3)

    def _views(
        self, image_bgr: Image, frame_px: Floats, turns: tuple[int, ...]
    ) -> Iterator[tuple[Singles, Floats, float]]:
        """What the frame shows at each turn: its cells by the white, flat, that white, (3,), and the margin's share."""
        seen: dict[int, tuple[Singles, Floats, float]] = {}
        for turn in turns:
            if self.centred and (turn + 2) % _TURNS in seen:
                # The other way up it is the same picture from its last cell to its first.
                flat, white, share = seen[(turn + 2) % _TURNS]
                turned = flat.reshape(3, -1)[:, ::-1].reshape(-1)
                seen[turn] = np.ascontiguousarray(turned), white, share
            else:
                seen[turn] = self.rectified(image_bgr, np.roll(frame_px, -turn, axis=0))
            yield seen[turn]

    def _compared(self, seen: Singles, white: Floats, share: float) -> tuple[Singles, Singles, float]:
        """Score, (pictures,), every cell's error, (pictures, cells), and how white the margin is."""
        # Light that the card's gloss adds takes contrast from all colours alike, as linear light does; a square is
        # near enough to a camera's tone curve.
        prior = 1 / _GAIN_SIGMA**2
        gain = np.clip((self._pull @ (1 - seen**2) + prior) / (self._power + prior), *_GAIN)
        expected = gain[:, None].astype(np.float32) * self._missing
        np.subtract(1, np.minimum(expected, 1, out=expected), out=expected)
        score, cells = self._errors(seen, np.sqrt(expected, out=expected))
        score -= 0.5 * ((gain - 1) / _GAIN_SIGMA) ** 2
        # Cameras that spare the highlights show all but white darker.
        darker, its_cells = self._errors(seen, self._darker)
        better = darker - _DARKER_COST > score
        score = np.where(better, darker - _DARKER_COST, score)
        cells[better] = its_cells[better]
        clipped = white >= CLIPPED
        # Where the white is as bright as the camera can tell, all colours may be brighter than they look by it.
        for over in _OVEREXPOSED if clipped.any() else ():
            factor = np.repeat(np.where(clipped, over, 1.0), self._n_frame).astype(np.float32)
            brighter, its_cells = self._errors(seen, np.minimum(np.sqrt(factor) * self._art, 1))
            brighter -= 0.5 * (np.log(over) / _OVER_SIGMA) ** 2
            better = brighter > score
            score = np.where(better, brighter, score)
            cells[better] = its_cells[better]
        return score, cells, share

    def _errors(self, seen: Singles, expected: Singles) -> tuple[Singles, Singles]:
        """Score and cells' errors of what should be seen, (pictures, 3 * cells)."""
        error = expected - seen
        error *= error
        error *= self._weight
        cells = error.reshape(-1, 3, self._n_frame)
        cells = cells[:, 0] + cells[:, 1] + cells[:, 2]
        score = -0.5 * 3 * INDEPENDENT * np.minimum(cells, CAP).sum(axis=1)
        return np.asarray(score, np.float32), np.asarray(cells, np.float32)

    def rectified(self, image_bgr: Image, frame_px: Floats) -> tuple[Singles, Floats, float]:
        """The frame's cells by the white around it, flat, that white, (3,), and the share of the margin that is."""
        card = self.levels(image_bgr, frame_px)
        white, share = self.white(card)
        return (card / white)[self.frame].T.reshape(-1), white.mean(axis=(0, 1)), share

    def levels(self, image_bgr: Image, frame_px: Floats) -> Singles:
        """The cells of the card that is framed at `frame_px` (4, 2): (h, w, 3) grey levels."""
        shrunk = cv2.resize(self.samples(image_bgr, frame_px), self.cells, interpolation=cv2.INTER_AREA)
        return shrunk.astype(np.float32)

    def samples(self, image_bgr: Image, frame_px: Floats) -> Image:
        """The card that is framed at `frame_px` (4, 2), FINE samples to a cell's side: (h, w, 3) grey levels."""
        columns, rows = self.cells
        frame_mm, _ = corners_mm(self.deck)
        scale = np.array([columns, rows]) * FINE / self.deck.card_mm
        target = (frame_mm * scale - 0.5).astype(np.float32)
        warp = cv2.getPerspectiveTransform(frame_px.astype(np.float32), target)
        size, border = (columns * FINE, rows * FINE), cv2.BORDER_REPLICATE
        return np.asarray(cv2.warpPerspective(image_bgr, warp, size, borderMode=border), np.uint8)

    def white(self, card: Singles) -> tuple[Singles, float]:
        """The white of the card's ground at every cell, (h, w, 3), and how much of the margin agrees with it."""
        some, seen = self._margin_basis, card[self.margin].astype(np.float64)
        bright = seen.sum(1)
        keep = _brightest(bright, 0.7)
        for _ in range(3):
            # By normal equations: quicker than lstsq, and three terms of like size are no trouble for them.
            kept = some * keep[:, None]
            plane = np.linalg.solve(kept.T @ some + _STEADY * np.eye(3), kept.T @ seen)
            flat = some @ plane
            gap = (seen - flat) / np.maximum(flat, 8)
            keep = np.abs(gap).max(axis=1) < LIKE_WHITE
            if keep.sum() < 12:
                keep = _brightest(bright, 0.5)
        white = np.maximum(self._basis @ plane, 8.0)
        # Nothing that lies on a card is brighter than its white: what is, a lamp shines on.
        return white.astype(np.float32), float((gap.min(axis=1) > -LIKE_WHITE).mean())

    def ground(self, card: Singles) -> tuple[Singles, float]:
        """The white at every cell, (h, w, 3), of one colour all over the card, and the share of the margin that is.

        A hand across a card would make a white that fades to skin; white is what is brightest of the margin.
        """
        plane, _ = self.white(card)
        margin = card[self.margin]
        told = margin[margin.max(axis=1) < CLIPPED]
        told = margin if len(told) < _ENOUGH * len(margin) else told
        bright = told.sum(axis=1)
        rank = int(_BRIGHTEST * len(bright))
        colour = told[bright >= np.partition(bright, rank)[rank]].mean(axis=0)
        ground = plane.mean(axis=2, keepdims=True) * (colour / colour.mean())
        # Nothing that lies on a card is brighter than its white: what is, a lamp shines on.
        agrees = (margin > (1 - LIKE_WHITE) * ground[self.margin]).all(axis=1)
        return np.asarray(ground, np.float32), float(agrees.mean())


def _brightest(bright: Floats, share: float) -> NDArray[np.bool_]:
    """Which of some values, (n,), are among the brightest `share` of them."""
    rank = int(np.ceil((1 - share) * (len(bright) - 1)))
    return np.asarray(bright >= np.partition(bright, rank)[rank])
