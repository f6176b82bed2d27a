"""Finds cards of a known size on a table of known scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.effort import spend
from vision.find.above import FromAbove, View
from vision.find.network import Cells, Network, shipped_network
from vision.find.scale import CELL_PX, SHORT_PX
from vision.find.sides import Refined, closer_corners, corners_of, refined
from vision.find.votes import Clusters, clusters_of, merged

Floats = NDArray[np.float64]

_SQUARE = 1.05  # aspect up to which a card looks the same after a quarter turn
_LEAST_SCORE = 0.1  # some 1.4 hypotheses a card; a verifier decides
_WITHIN = np.stack(np.meshgrid(*2 * [(np.arange(14) + 0.5) / 14 - 0.5]), -1).reshape(-1, 2)  # of a card, by its sides
_STEPS_A_PX = 1 / 20  # of effort: a view of 544x320 px takes 9 yardsticks


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Cards that may be on a table, as parallel arrays of length n, the best first.

    `corners_px` (n, 4, 2): corners in the picture, clockwise as seen from above, the first side a short one;
    `scores` (n,) 0..1: how well votes and edges agree, no calibrated probability; `in_sight` (n,): visible share of
    the card, 0..1.
    """

    corners_px: Floats
    scores: Floats
    in_sight: Floats

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, eq=False)
class Look:
    """One pass of the network over a view: its answer `cells`, their `clusters`, and the `refined` poses of those."""

    above: FromAbove
    aspect: float
    cells: Cells
    clusters: Clusters
    refined: Refined

    @cached_property
    def in_sight(self) -> Floats:
        """(n,) visible shares: of the cells within a card's outline those that vote for it."""
        cos, sin = np.cos(self.refined.poses[:, 2, None]), np.sin(self.refined.poses[:, 2, None])
        across, down = _WITHIN[:, 0] * SHORT_PX, _WITHIN[:, 1] * SHORT_PX * self.aspect
        x = self.refined.poses[:, :1] + cos * across - sin * down
        y = self.refined.poses[:, 1:2] + sin * across + cos * down
        column, row = (np.floor(v / CELL_PX).astype(np.intp) for v in (x, y))
        height, width = self.clusters.owners.shape
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        owners = self.clusters.owners[row.clip(0, height - 1), column.clip(0, width - 1)]
        own = inside & (owners == np.arange(len(owners))[:, None])
        return np.asarray(own.mean(1), np.float64)

    @property
    def scores(self) -> Floats:
        """(n,) scores: probability, agreement of votes, evidence of edges."""
        spread = np.sqrt(np.linalg.det(self.clusters.errors).clip(0))  # px²
        agreement = 1 / (1 + spread / 30)
        edges = 0.4 + 0.6 * np.minimum(1, self.refined.evidence / 0.5)
        return np.asarray(self.clusters.probability * agreement * edges)

    @property
    def corners_px(self) -> Floats:
        """(n, 4, 2) corners, in the picture, of cards of the size that was searched for."""
        return self._in_picture(corners_of(self.refined.poses, SHORT_PX, SHORT_PX * self.aspect))

    @property
    def own_corners_px(self) -> Floats:
        """(n, 4, 2) corners, in the picture, where each side by itself is on an edge."""
        return self._in_picture(self.refined.corners)

    def _in_picture(self, corners: Floats) -> Floats:
        return self.above.to_picture(corners.reshape(-1, 2)).reshape(-1, 4, 2)

    def hypotheses(self, corners_px: Floats) -> Hypotheses:
        """All but the worst of the clusters, with these corners (n, 4, 2)."""
        scores = self.scores
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] >= _LEAST_SCORE]
        return Hypotheses(corners_px[order], scores[order], self.in_sight[order])


def closer(look: Look, finer: int = 3) -> Look:
    """The same cards, with corners from a picture at so many times the network's scale."""
    image = look.above.view.from_above(SHORT_PX / look.above.per_unit / finer).image
    corners = closer_corners(image, look.cells, look.clusters, look.refined.corners, finer)
    return replace(look, refined=replace(look.refined, corners=corners))


class CardFinder:
    """Finds cards with the shipped network."""

    def __init__(self, network: Network | None = None) -> None:
        self._network = network or shipped_network()

    def find(self, view: View, card: tuple[float, float], known: Sequence[Floats] = ()) -> Hypotheses:
        """Hypotheses for cards of a size (sides in units of the view: mm of a table) that are not yet known.

        `known` are the corners (4, 2), in px of the picture, of cards that are identified: they are taken off, and
        what they partly cover is searched for.
        """
        look = self.look(view, card, known)
        return look.hypotheses(look.corners_px)

    def look(self, view: View, card: tuple[float, float], known: Sequence[Floats] = ()) -> Look:
        """One pass, all clusters included."""
        short, long = sorted(card)
        aspect = long / short
        above = view.from_above(short)
        marks = np.zeros(above.image.shape[:2], np.uint8)
        for corners in known:
            inside = np.round(above.from_picture(np.asarray(corners, np.float64)) * 16).astype(np.int32)
            cv2.fillConvexPoly(marks, inside, (1,), cv2.LINE_8, 4)
        spend(marks.size * _STEPS_A_PX)
        cells = self._network.run(above.image, marks, aspect)
        taken_off = cv2.resize(marks, cells.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
        cells[taken_off, 0] = -10
        clusters = clusters_of(cells, aspect < _SQUARE)
        poses = refined(above.image, cells, clusters, aspect)
        single = merged(clusters, poses.poses, aspect < _SQUARE)
        if len(single.poses) < len(clusters.poses):
            clusters, poses = single, refined(above.image, cells, single, aspect)
        return Look(above, aspect, cells, clusters, poses)
