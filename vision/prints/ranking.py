"""Which faces a card that was put straight may be: all faces in all turns, by small blocks, quickly and roughly.

Each of 36 blocks of a card says for itself how well a face fits it, by its detail and by its tint: what lies on a part
of the card spoils the blocks there and no others.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.prints.print_deck import PrintDeck
from vision.prints.straight import Pyramid

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

_BLOCKS, _CELLS = 6, 6  # blocks across and down, cells of a block likewise
_SIDE = _BLOCKS * _CELLS
_STILL = 0.0012  # variance of a block that is plain: a camera's noise and a lamp's slope
_TINT = 0.1  # of the white: how far off a block's tint is no longer like
_LUMINANCE = np.array([0.114, 0.587, 0.299], np.float32)
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Ranker:
    """Compares cards with all looks of a deck: each face in each turn that its shape allows.

    `faces` (k,) is the number of a look's face in the deck, `turns` (k,) in how many quarters it is turned.
    """

    faces: NDArray[np.intp]
    turns: NDArray[np.intp]
    _detail: Singles  # (blocks, cells, k)
    _energy: Singles  # (blocks, k)
    _tint: Singles  # (blocks, 3, k)

    def scores(self, picture: Pyramid, quads: Floats, white: Floats | None) -> Singles:
        """(n, k) how well each look fits quads (n, 4, 2), from 0 to 1; `white` (3,) BGR 0..1 of white paper there."""
        found = np.empty((len(quads), len(self.faces)), np.float32)
        for k in range(0, len(quads), _AT_ONCE):
            found[k : k + _AT_ONCE] = self._some(picture.straight(quads[k : k + _AT_ONCE], _SIDE, _SIDE), white)
        return found

    def plainness(self, picture: Pyramid, quads: Floats) -> Singles:
        """(n,) the score that a face without any print would have by detail alone, from 0 to 0.5."""
        found = np.empty(len(quads), np.float32)
        for k in range(0, len(quads), _AT_ONCE):
            detail, _ = _described(np.nan_to_num(picture.straight(quads[k : k + _AT_ONCE], _SIDE, _SIDE)), None)
            found[k : k + _AT_ONCE] = (_STILL / ((detail * detail).mean(2) + _STILL)).mean(1) / 2
        return found

    def _some(self, sheets: Singles, white: Floats | None) -> Singles:
        seen = np.asarray(~np.isnan(sheets).any(axis=(1, 2, 3)))
        sheets = np.nan_to_num(sheets)
        detail, tint = _described(sheets, white)
        energy = (detail * detail).mean(2)
        like = np.einsum("nbc,bck->nbk", detail, self._detail, optimize=True) / _CELLS**2
        fits = (2 * like + _STILL) / (energy[..., None] + self._energy[None] + _STILL)
        off = (tint[..., None] - self._tint[None]) / _TINT
        alike = np.exp(-0.5 * np.minimum((off * off).sum(2), 50))
        return np.where(seen[:, None], (np.maximum(fits, 0) + alike).mean(1) / 2, 0).astype(np.float32)


def ranker_of(deck: PrintDeck) -> Ranker:
    """A ranker for all faces of a deck, its backs among them."""
    square = abs(deck.card_mm[0] / deck.card_mm[1] - 1) < 0.02
    turns = (0, 1, 2, 3) if square else (0, 2)
    looks = [(face, turn) for face in range(len(deck.faces)) for turn in turns]
    small = [
        cv2.resize(face.art, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        for face in deck.faces
    ]
    detail, tint = _described(np.stack([np.rot90(small[face], turn) for face, turn in looks]), np.ones(3))
    energy = (detail * detail).mean(2)
    of = np.array(looks)
    return Ranker(of[:, 0], of[:, 1], detail.transpose(1, 2, 0).copy(), energy.T.copy(), tint.transpose(1, 2, 0).copy())


def _described(sheets: Singles, white: Floats | None) -> tuple[Singles, Singles]:
    """The detail (n, blocks, cells) and tint (n, blocks, 3) of sheets (n, side, side, 3).

    Where no white is known a card's brightest tenth stands for it, in brightness only.
    """
    count = len(sheets)
    if white is None:
        bright = np.quantile(sheets.reshape(count, -1, 3).max(2), 0.9, axis=1)
        level = np.maximum(bright, 0.1)[:, None, None, None].astype(np.float32)
    else:
        level = np.asarray(white, np.float32).reshape(1, 1, 1, 3)
    sheets = sheets / level
    grey = sheets @ _LUMINANCE
    blocks = _in_blocks(grey[..., None])[..., 0]
    detail = blocks - blocks.mean(2, keepdims=True)
    colour = _in_blocks(sheets).mean(2)
    brightness = colour @ _LUMINANCE
    # Brightness is what shadows change: it counts by a third.
    tint = np.stack([colour[..., 2] - colour[..., 1], colour[..., 0] - colour[..., 1], brightness / 3], axis=2)
    return detail, tint


def _in_blocks(sheets: Singles) -> Singles:
    """(n, blocks, cells, channels) of (n, side, side, channels)."""
    count, channels = len(sheets), sheets.shape[-1]
    split = sheets.reshape(count, _BLOCKS, _CELLS, _BLOCKS, _CELLS, channels)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(count, _BLOCKS**2, _CELLS**2, channels)
