"""Ranks all faces in all turns for a rectified card, by small blocks, quickly and roughly.

Each of 36 blocks of a card is scored by itself, by its patterns of brightness and of tint and by its mean colour: a
cover on a part of the card spoils the blocks there and no others.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles
from vision.channels import largest
from vision.deck import Deck
from vision.read.rectify import Covers, Pyramid


@dataclass(frozen=True)
class RankParams:
    """Parameters of a card's blocks and their scores; levels are shares of white."""

    # blocks across and down, cells of a block in the same way
    blocks: int = 6
    cells: int = 6
    # Variance of a block's pattern that counts as no difference: noise, softness, a pose a cell off. With 0.0012 the
    # four best looks lack the face of 3 cards in 100 of two decks, with this of none.
    still: float = 0.004
    tint: float = 1.5  # weight of a tint's pattern beside brightness, which shadows change
    # difference in the mean brightness and in the mean tint at which a block no longer matches
    mean_brightness: float = 0.3
    mean_tint: float = 0.1
    at_once: int = 64
    least_open: float = 0.25  # of a block: with less of it seen it does not count
    # the bright quantile, and a share of it: pixels as light as that are the ground
    bright: float = 0.9
    paper: float = 0.8
    shared: float = 0.08  # difference of the faces' grounds that still counts as one
    darkest: float = 0.1


RANK = RankParams()

_SIDE, _CHANNELS, _TERMS = RANK.blocks * RANK.cells, 3, 3
_COLOURS = np.array([[0.114, 0, RANK.tint], [0.587, -RANK.tint, -RANK.tint], [0.299, RANK.tint, 0]], np.float32)
_SPREAD = np.array([RANK.mean_brightness, *2 * [RANK.tint * RANK.mean_tint]], np.float32)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Scores of each look of a deck at n places.

    `scores` (n, k) from 0 to 1, `blank` (n,) of a card without print; `whites` (n, 3) BGR 0..1 of white paper, by the
    cards' own ground, None where the faces share none.
    """

    scores: Singles
    blank: Singles
    whites: Floats | None

    @property
    def promise(self) -> Singles:
        """Return how much better (n,) the best look fits than a card without print."""
        return np.asarray(self.scores.max(axis=1) - self.blank, np.float32)

    def and_(self, other: Ranks) -> Ranks:
        """Return these and others of the same deck."""
        whites = None
        if self.whites is not None and other.whites is not None:
            whites = np.concatenate([self.whites, other.whites])
        return Ranks(np.concatenate([self.scores, other.scores]), np.concatenate([self.blank, other.blank]), whites)

    def take(self, places: NDArray[np.intp]) -> Ranks:
        """Return those of some places."""
        return Ranks(self.scores[places], self.blank[places], None if self.whites is None else self.whites[places])

    def paper(self, place: int, white: Floats | None) -> Floats:
        """Return white paper (3,) BGR 0..1 at one place, by its own ground if there is one, else by the lamp's `white`.

        In a shadow another light falls on a card than on the marker cards, which give `white`.
        """
        if self.whites is not None:
            return np.asarray(self.whites[place], np.float64)
        return np.ones(3) if white is None else white


@dataclass(frozen=True, eq=False)
class Ranker:
    """Compares cards with all looks of a deck: each face in each turn that its shape allows.

    `faces` (k,) is the number of a look's face in the deck, `turns` (k,) its quarter turns, `due` (k,) by how much it
    fits itself better than a card without print does. `ground` (3,) BGR 0..1 is the shared ground of all fronts, None
    where they share none.
    """

    faces: NDArray[np.intp]
    turns: NDArray[np.intp]
    due: Singles
    ground: Floats | None
    _looks: Singles  # (blocks * channels, cells, k)

    def rank(self, picture: Pyramid, quads: Floats, white: Floats | None, covers: Covers | None = None) -> Ranks:
        """Return the scores of each look on quads (n, 4, 2); `white` (3,) BGR 0..1 of white paper under the lamp.

        Cells under `covers` and outside the picture are left out.
        """
        scores = np.zeros((len(quads), len(self.faces)), np.float32)
        blank = np.zeros(len(quads), np.float32)
        whites = None if self.ground is None else np.zeros((len(quads), 3))
        for k in range(0, len(quads), RANK.at_once):
            some = slice(k, k + RANK.at_once)
            sheets, open_cells = _sheets(picture, quads[some], covers)
            level = None if white is None else white[None]
            if whites is not None and self.ground is not None:
                whites[some] = _grounds(sheets, open_cells) / self.ground
                level = whites[some] if white is None else level
            scores[some], blank[some] = self._some(sheets, level, open_cells)
        return Ranks(scores, blank, whites)

    def _some(self, sheets: Singles, white: Floats | None, open_cells: Flags) -> tuple[Singles, Singles]:
        shown = _described(sheets, white, open_cells)
        weight = _in_blocks(open_cells[..., None].astype(np.float32))
        counted = weight[:, ::_CHANNELS].sum(2)
        counts = np.maximum(weight.sum(2, keepdims=True), 1)
        mean = (shown * weight).sum(2, keepdims=True) / counts
        shown = (shown - mean) * weight
        energy = _of_pattern((shown * shown).sum(2, keepdims=True) / counts)
        like = _of_pattern(_sums(shown, self._looks) / counts)
        # Without a cover these are the same for all places.
        weight, counts = (weight[:1], counts[:1]) if open_cells.all() else (weight, counts)
        meant = _sums(weight, self._looks) / counts
        due = _of_pattern(_sums(weight, self._looks * self._looks) / counts - meant * meant)
        fits = np.maximum((2 * like + RANK.still) / (energy + np.maximum(due, 0) + RANK.still), 0).sum(2)
        off = (mean - meant).reshape(len(sheets), -1, _CHANNELS, len(self.faces)) / _SPREAD[:, None]
        fits += np.exp(-0.5 * np.minimum((off * off).sum(2), 50))
        share = np.where(counted >= RANK.least_open * RANK.cells**2, counted, 0)
        share /= np.maximum(share.sum(1, keepdims=True), 1)
        scores = np.einsum("nbk,nb->nk", fits / _TERMS, share, optimize=True)
        return scores.astype(np.float32), (_like_blank(energy) * share).sum(1).astype(np.float32)


def ranker_of(deck: Deck) -> Ranker:
    """Return a ranker for all faces of a deck, with backs."""
    looks = [(face, turn) for face in range(len(deck.faces)) for turn in deck.turns]
    small = [
        cv2.resize(face.art, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        for face in deck.faces
    ]
    upright = np.stack([np.rot90(small[face], turn) for face, turn in looks]).astype(np.float32)
    shown = _described(upright, np.ones(3), np.ones(upright.shape[:3], bool))
    of = np.array(looks)
    fronts = [k for k, (face, _) in enumerate(looks) if deck.faces[face].side != "back"]
    blank = _like_blank(_of_pattern(shown.var(axis=2, keepdims=True))).mean(1)
    return Ranker(
        of[:, 0],
        of[:, 1],
        np.asarray(1 - blank, np.float32),
        _shared(_grounds(upright[fronts], np.ones((len(fronts), _SIDE, _SIDE), bool))),
        shown.transpose(1, 2, 0).copy(),
    )


def _sheets(picture: Pyramid, quads: Floats, covers: Covers | None) -> tuple[Singles, Flags]:
    """Return pixels of cards on quads (n, 4, 2), (n, side, side, 3), and their open cells."""
    sheets = picture.straight(quads, _SIDE, _SIDE)
    open_cells = np.asarray(~np.isnan(sheets[..., 0]))
    if covers is not None:
        open_cells &= ~covers.over(quads, _SIDE, _SIDE)
    return np.nan_to_num(sheets), open_cells


def _grounds(sheets: Singles, open_cells: Flags) -> Singles:
    """Return the colour (n, 3) of the light ground on sheets (n, side, side, 3), by open cells (n, side, side)."""
    grounds = np.full((len(sheets), 3), RANK.darkest, np.float32)
    for k, (sheet, cells) in enumerate(zip(sheets, open_cells, strict=True)):
        if cells.any():
            colours = sheet[cells]
            # Yellow print is nearly as bright as paper, but not in its darkest channel.
            light = colours.min(axis=1)
            grounds[k] = np.median(colours[light >= RANK.paper * np.quantile(light, RANK.bright)], axis=0)
    return np.maximum(grounds, RANK.darkest)


def _shared(grounds: Singles) -> Floats | None:
    """Return the ground (3,) of all faces (n, 3), None where they differ."""
    if not len(grounds):
        return None
    ground = np.median(grounds, axis=0)
    return np.asarray(ground, np.float64) if np.abs(grounds - ground).max() < RANK.shared else None


def _of_pattern(sums: Singles) -> Singles:
    """Return sums (n, blocks * channels, k) as those of brightness and of both tints (n, blocks, 2, k)."""
    split = sums.reshape(len(sums), -1, _CHANNELS, sums.shape[2])
    return np.stack([split[:, :, 0], split[:, :, 1] + split[:, :, 2]], axis=2)


def _like_blank(energy: Singles) -> Singles:
    """Return the fit (n, blocks) of a card without print to blocks of some variance: its colour is unknown."""
    return np.asarray((RANK.still / (energy[..., 0] + RANK.still)).sum(2) / _TERMS, np.float32)


def _sums(sheets: Singles, looks: Singles) -> Singles:
    """Return sums (n, blocks, k) over each block's cells of sheets (n, blocks, cells) by looks (blocks, cells, k)."""
    return np.asarray(np.matmul(sheets.transpose(1, 0, 2), looks).transpose(1, 0, 2), np.float32)


def _described(sheets: Singles, white: Floats | None, open_cells: Flags) -> Singles:
    """Return brightness and two tints (n, blocks * channels, cells) of sheets (n, side, side, 3).

    Without a known white, (n, 3) or (3,), a card's brightest tenth stands in for it, in brightness only.
    """
    count = len(sheets)
    if white is None:
        shown = np.where(open_cells, largest(sheets), 0).reshape(count, -1)
        closed = (~open_cells).reshape(count, -1).mean(1)
        # The brightest tenth of the open cells: covered cells count as dark.
        ranks = np.sort(shown, axis=1)
        at = np.minimum(((closed + 0.9 * (1 - closed)) * shown.shape[1]).astype(int), shown.shape[1] - 1)
        level = np.maximum(ranks[np.arange(count), at], 0.1)[:, None, None, None].astype(np.float32)
    else:
        level = np.asarray(white, np.float32).reshape(-1, 1, 1, 3)
    return _in_blocks((sheets / level) @ _COLOURS)


def _in_blocks(sheets: Singles) -> Singles:
    """Return sheets (n, side, side, channels) as (n, blocks * channels, cells); one channel counts for all."""
    count, channels = len(sheets), sheets.shape[-1]
    split = sheets.reshape(count, RANK.blocks, RANK.cells, RANK.blocks, RANK.cells, channels)
    split = split.transpose(0, 1, 3, 5, 2, 4)
    if channels < _CHANNELS:
        split = np.repeat(split, _CHANNELS, axis=3)
    return split.reshape(count, RANK.blocks**2 * _CHANNELS, RANK.cells**2)
