"""What the local contrasts of a framed card say of its picture, whatever light lies on it.

A lamp's reflection adds light and takes contrast, and its edge may be steep; but in a place of a few millimetres what
the print shows of its drawing is still the drawing, more or less of it. So the picture and the art are compared place
by place, by how their differences from the place's own mean agree (zero-mean normalised correlation; with what is
clipped left out: Padfield, Masked object registration in the Fourier domain, IEEE Trans. Image Process. 2012). What
lies on a card agrees with nothing, and says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats, Image, Singles
from vision.pictured.pile_faces import CELL_MM, CLIPPED, FINE, FaceReader
from vision.pictured.pile_frames import shifted

_PLACE_MM = 9.0  # about a lozenge of a back, or a mouth
_RIM_MM = 1.0  # within the frame, where a card that lies a little off shows its margin
_SOFT = 0.8  # samples: a picture's own blur
_NOISE, _DARK_NOISE = 0.012, 0.15  # a level's, of white, and from what level on it is noise of light
_FAINT = 1e-3  # variance of a place's art that tells nothing
_MOST = 0.999  # of a correlation
_HOPEFUL = 0.1  # likeness of a frame that lies a little off
_STEPS_MM = (1.5, 0.75, 0.4)
_WAYS = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


@dataclass(frozen=True, eq=False)
class PatternMatch:
    """Which picture of the deck a frame's local contrasts agree with.

    `picture` is its number and `turn` counts quarter turns from the frame's first corner; `lead` is by how much more of
    the contrasts it explains than the next best picture, a sum of logarithms over all cells; `likeness` the mean
    correlation, 1 for the art itself; `frame_px` (4, 2) is where it fits best, in the order of the frame given.
    """

    picture: int
    turn: int
    lead: float
    likeness: float
    frame_px: Floats


@dataclass(frozen=True, eq=False)
class _Scale:
    """The deck's art at `fine` samples to a cell's side: what lies `inside` its frame, as linear light, (h, w, 3) each.

    A place about a sample has `side` samples across.
    """

    fine: int
    inside: tuple[slice, slice]
    art: tuple[Singles, ...]
    side: int

    def sums(self, values: cv2.typing.MatLike) -> Singles:
        """The sums of values (h, w, 3) over the place about each sample."""
        side = (self.side, self.side)
        return np.asarray(cv2.boxFilter(values, -1, side, normalize=False, borderType=cv2.BORDER_CONSTANT), np.float32)


class PatternReader:
    """Compares framed cards with the art of one deck, by local contrasts alone."""

    def __init__(self, faces: FaceReader) -> None:
        self._faces = faces
        self._rough, self._fine = (_scaled(faces, fine) for fine in (1, FINE))

    def read(self, image_bgr: Image, frame_px: Floats) -> PatternMatch | None:
        """Compare one framed card, `frame_px` (4, 2) its frame clockwise; None if it agrees with no picture at all."""
        best = (0.0, 0.0, 0, 0)
        for turn in self._faces.turns(frame_px):
            cells = self._faces.levels(image_bgr, np.roll(frame_px, -turn, axis=0))
            scores, likeness = _compared(cells, self._rough)
            picture = int(scores.argmax())
            best = max(best, (float(scores[picture]), float(likeness[picture]), picture, turn))
        _, like, picture, turn = best
        if like < _HOPEFUL:
            return None
        frame = self._settled(image_bgr, np.roll(frame_px, -turn, axis=0), picture)
        scores, likeness = _compared(self._faces.samples(image_bgr, frame), self._fine)
        lead = float(scores[picture] - np.delete(scores, picture).max())
        return PatternMatch(picture, turn, lead, float(likeness[picture]), np.roll(frame, turn, axis=0))

    def lead(self, image_bgr: Image, frame_px: Floats, picture: int) -> float:
        """By how much a card is more like a picture, by its number, than like any that is drawn otherwise.

        `frame_px` (4, 2) begins at the picture's top-left. The difference of two mean correlations, -1 to 1.
        """
        likeness = _compared(self._faces.samples(image_bgr, frame_px), self._fine)[1]
        others = [k for k in range(len(likeness)) if k != picture and not self._faces.alike(picture, k)]
        return float(likeness[picture] - likeness[others].max()) if others else 1.0

    def _settled(self, image_bgr: Image, frame_px: Floats, picture: int) -> Floats:
        """Where a picture agrees best, by steps to the sides; the frame begins at its top-left."""
        best = -1.0
        for step in _STEPS_MM:
            here = frame_px
            for way in ((0, 0), *_WAYS):
                moved = shifted(self._faces.deck, here, np.array([way[0] * step, 0, 0, way[1] * step, 0, 0]))
                score = float(_compared(self._faces.samples(image_bgr, moved), self._fine, picture)[0][0])
                if score > best:
                    best, frame_px = score, moved
        return frame_px


def _scaled(faces: FaceReader, fine: int) -> _Scale:
    """A deck's art, `fine` samples to a cell's side."""
    columns, rows = (side * fine for side in faces.cells)
    by_mm = fine / CELL_MM
    x, y, across, down = faces.deck.frame
    edges = (x + _RIM_MM, y + _RIM_MM, x + across - _RIM_MM, y + down - _RIM_MM)
    left, top, right, bottom = (round(edge * by_mm) for edge in edges)
    inside = (slice(top, bottom), slice(left, right))
    shrunk = (cv2.resize(art, (columns, rows), interpolation=cv2.INTER_AREA) for art in faces.pictures)
    light = ((art.astype(np.float32) / 255) ** 2 for art in shrunk)
    soft = tuple(np.asarray(cv2.GaussianBlur(art, (0, 0), _SOFT * fine / FINE)[inside], np.float32) for art in light)
    return _Scale(fine, inside, soft, 2 * int(_PLACE_MM * by_mm / 2) + 1)


def _compared(levels: Image | Singles, scale: _Scale, only: int | None = None) -> tuple[Floats, Floats]:
    """What pictures, or only one, explain of a card's grey levels (h, w, 3), and their likeness, (pictures,) each."""
    # A sample beside one that is clipped is half clipped.
    clipped = cv2.dilate((levels >= CLIPPED).astype(np.uint8), np.ones((3, 3), np.uint8))
    known = 1 - clipped[scale.inside].astype(np.float32)
    seen = levels[scale.inside].astype(np.float32) / 255
    count = np.maximum(scale.sums(known), 1)
    light = seen * seen * known
    mean = scale.sums(light) / count
    noise = (_NOISE * 2 * (np.sqrt(mean) + _DARK_NOISE)) ** 2
    varies = (scale.sums(light * light) - (mean * mean - noise) * count).sum(axis=2)
    least, weight = _FAINT * count.sum(axis=2), known.sum(axis=2)
    scores, likeness = [], []
    for picture in scale.art if only is None else scale.art[only : only + 1]:
        art = picture * known
        its_mean = scale.sums(art) / count
        its = (scale.sums(art * art) - its_mean * its_mean * count).sum(axis=2) + least
        both = (scale.sums(light * art) - mean * its_mean * count).sum(axis=2)
        agrees = np.minimum(both / np.sqrt(np.maximum(varies * its, 1e-9)), _MOST)
        explained = -0.5 * np.log(1 - np.maximum(agrees, 0) ** 2)
        scores.append(float((explained * weight).sum()) / scale.fine**2)
        likeness.append(float((agrees * weight).sum()) / max(1.0, float(weight.sum())))
    return np.array(scores), np.array(likeness)
