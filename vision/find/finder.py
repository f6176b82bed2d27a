"""Finds cards of a known size on a table of known scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import FromAbove, TableView
from vision.find.crops import Settled, corners_of, settled
from vision.find.network import shipped_networks
from vision.find.scale import SHORT_PX
from vision.find.votes import MOST_CLUSTERS, SQUARE, clusters_of, distinct
from vision.quads import shared_area

Floats = NDArray[np.float64]

WHOLE = 0.75  # visible share from which a card counts as fully visible: such cards have 0.77 to 0.93


@dataclass(frozen=True)
class FindParams:
    """Parameters of hypotheses."""

    score: float = 0.05  # a verifier decides; at 0.1 a third of the cards of which 20-50 % show are lost
    in_sight: float = 0.03  # less is no card, or one that no verifier can identify
    passes: int = 3  # over crops: the second brings one kept-back half covered card of 21, the third one more
    # hypotheses that move farther pass again: px of the view, rad
    moved: float = 1.4
    turned: float = float(np.radians(4))
    same: float = 0.85  # of an area: two cards that cross share 0.7
    free: float = 0.1  # of an area: error of the visible share


FIND = FindParams()


@dataclass(frozen=True, eq=False)
class CardHypotheses:
    """Cards that may be on a table, as parallel arrays of length n, the best first.

    `corners_px` (n, 4, 2): corners in the picture, clockwise as seen from above, the first side a short one;
    `scores` (n,): probability of a card, fitted to synthetic tables; `in_sight` (n,): visible share of the card, 0..1.
    """

    corners_px: Floats
    scores: Floats
    in_sight: Floats

    def __len__(self) -> int:
        return len(self.scores)

    def distinct(self) -> CardHypotheses:
        """Those that are no double of a better one, and show no more than fully visible better ones leave free."""
        kept: list[int] = []
        for k, quad in enumerate(self.corners_px):
            shared = np.array([shared_area(quad, self.corners_px[j]) for j in kept])
            covered = shared[self.in_sight[kept] >= WHOLE].sum()
            if shared.max(initial=0) < FIND.same and self.in_sight[k] < 1 + FIND.free - covered:
                kept.append(k)
        return CardHypotheses(self.corners_px[kept], self.scores[kept], self.in_sight[kept])


@dataclass(frozen=True, eq=False)
class FinderLook:
    """Cards of the size `card` in units of the view `above`, the best first, in px; `marks` are 255 on known cards."""

    card: tuple[float, float]
    above: FromAbove
    marks: NDArray[np.uint8]
    cards: Settled

    def hypotheses(self, corners: Floats) -> CardHypotheses:
        """The cards with these corners (n, 4, 2) in px of the view."""
        in_picture = self.above.to_picture(corners.reshape(-1, 2)).reshape(-1, 4, 2)
        return CardHypotheses(in_picture, self.cards.scores, self.cards.in_sight)


class CardFinder:
    """Finds cards with the shipped networks."""

    def __init__(self) -> None:
        self._network, self._crop_network = shipped_networks()

    def find(self, view: TableView, card: tuple[float, float], known: Sequence[Floats] = ()) -> CardHypotheses:
        """Hypotheses for cards of a size (sides in units of the view: mm of a table) that are not yet known.

        `known` are the corners (4, 2), in px of the picture, of cards that are identified: they are taken off, and
        what they partly cover is searched for.
        """
        look = self.again(self.voted(view, card, known), size_known=True)
        return look.hypotheses(corners_of(look.cards.poses))

    def again(
        self, look: FinderLook, way: Floats | None = None, size_known: bool = False, on_edges: bool = True
    ) -> FinderLook:
        """The likely ones of the same cards, each once, after a pass over crops; those that moved pass again.

        Sizes may change, unless they are known. `way` (3,) is the direction in which colours change at the edges of
        cards, if that is known.
        """
        moving, parts = look.cards, []
        for _ in range(FIND.passes if size_known else 1):
            cards = settled(self._crop_network, look.above.fine, look.marks, moving, size_known, on_edges, way)
            x, y, turned = np.abs(cards.poses[:, :3] - moving.poses[:, :3]).T
            far = (np.hypot(x, y) > FIND.moved) | (turned > FIND.turned)
            likely = (cards.scores >= FIND.score) & (cards.in_sight >= FIND.in_sight)
            parts.append(cards[likely & ~far])
            moving = cards[likely & far]
        cards = Settled.joined([*parts, moving])
        cards = cards[np.argsort(-cards.scores, kind="stable")]
        return replace(look, cards=cards[distinct(cards.poses[:, :3], look.card[1] < SQUARE * look.card[0])])

    def voted(
        self, view: TableView, card: tuple[float, float], known: Sequence[Floats] = (), most: int = MOST_CLUSTERS
    ) -> FinderLook:
        """At most so many cards where the card network's votes put them; a few are found at one look."""
        short, long = sorted(card)
        aspect = long / short
        above = view.from_above(short)
        marks = np.zeros(above.image.shape[:2], np.uint8)
        for corners in known:
            inside = np.round(above.from_picture(np.asarray(corners, np.float64)) * 16).astype(np.int32)
            cv2.fillConvexPoly(marks, inside, (255,), cv2.LINE_8, 4)
        places, cells = self._network.run(above.image, marks, aspect, twice=most == MOST_CLUSTERS)
        poses, votes = clusters_of(places, cells, marks.shape, aspect < SQUARE, most)
        poses = np.c_[poses, np.tile((SHORT_PX, SHORT_PX * aspect), (len(poses), 1))]
        return FinderLook((short, long), above, marks, Settled.unsettled(poses, votes))
