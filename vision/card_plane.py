"""Cards of one deck have one size: finds the tilt of the table and the card size that most quadrilaterals agree on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FOCAL_SHARE = 0.85  # focal length by the picture's longer side: phones, webcams and the Pi's cameras lie near it
_ASPECT = (1.18, 2.0)  # square sheets (markers, coasters) are no cards, nor are strips
_ROUGH_SPREAD = 0.09  # of the logarithm of a side, before the tilt is known exactly
_TILT_PRIOR = 0.5  # radians
_FOCAL_PRIOR = 0.15  # of the logarithm of the focal length
_GUESSES = 12
_NEAR = 0.5  # quadrilaterals farther off than that have no say in the fit
_SEEDS = 90
_LARGER_COUNTS_MORE = 0.2  # power of the area: stripes in a mark are seldom outnumbered by cards
_TIE = 0.5
_WIDE = (0.1, 0.08, 0.06, 0.04, 0.03, 0.03)
_NARROW = (0.025, 0.02, 0.015, 0.015)  # sides on a frame and sides on the edge must not mix


@dataclass(frozen=True, eq=False)
class CardPlane:
    """The table as seen.

    `homography` (3, 3) leads from the picture to a plane where all cards are rectangles of `size` (shorter, longer
    side), in pixels as at the middle of the picture.
    """

    homography: Floats
    size: tuple[float, float]
    parameters: Floats
    size_wh: tuple[int, int]

    def refitted(self, quads: NDArray[np.floating], weight: NDArray[np.floating]) -> CardPlane:
        """The plane and size on which the cards found, (n, 4, 2) with weights (n,), agree best."""
        outlines, weights = np.asarray(quads, np.float64), np.asarray(weight, np.float64)
        return _plane(_refined(outlines, weights, self.size_wh, self.parameters, _NARROW), self.size_wh)

    def resized(self, short: float, long: float) -> CardPlane:
        """The same plane for cards of another size."""
        return CardPlane(self.homography, (short, long), self.parameters, self.size_wh)

    def to_plane(self, points: NDArray[np.floating]) -> Floats:
        """Picture points (..., 2) in the plane."""
        return apply_homography(self.homography, np.asarray(points, np.float64))

    def to_picture(self, points: NDArray[np.floating]) -> Floats:
        """Plane points (..., 2) in the picture."""
        return apply_homography(np.asarray(np.linalg.inv(self.homography)), np.asarray(points, np.float64))

    def completed(self, quads: NDArray[np.floating], side: NDArray[np.intp]) -> Floats:
        """The quadrilaterals (n, 4, 2) with side number `side` (n,) put where the card's size wants it."""
        rows = np.arange(len(quads))
        corners = self.to_plane(quads)
        near, far = corners[rows, (side + 3) % 4], corners[rows, (side + 2) % 4]
        opposite = np.linalg.norm(near - far, axis=1)
        lies_short = np.abs(np.log(opposite / self.size[0])) < np.abs(np.log(opposite / self.size[1]))
        length = np.where(lies_short, self.size[1], self.size[0])[:, None]
        for corner, base in ((side, near), ((side + 1) % 4, far)):
            direction = corners[rows, corner] - base
            direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-6)
            corners[rows, corner] = base + length * direction
        return self.to_picture(corners)

    def deviation(self, quads: NDArray[np.floating]) -> Floats:
        """How far each quadrilateral (n, 4, 2) is from a card: the largest relative error of a side or an angle."""
        shape, _ = _shape(self.to_plane(quads))
        log_size = np.log(np.asarray(self.size))
        side_error = np.abs(shape[:, :4] - log_size[[0, 0, 1, 1]])
        return np.asarray(np.concatenate([side_error, np.abs(shape[:, 4:])], axis=1).max(axis=1))


def apply_homography(homography: Floats, points: Floats) -> Floats:
    """Map points (..., 2) by a (3, 3) homography."""
    homogeneous = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(homogeneous[..., :2] / homogeneous[..., 2:])


def _rectifier(tilt: Floats, size_wh: tuple[int, int], log_focal: float = 0.0) -> Floats:
    """Homography that looks straight down on a table tilted by (rx, ry, 0) radians, with scale 1 at the middle.

    `log_focal` is the logarithm of the focal length by its usual one.
    """
    focal = FOCAL_SHARE * max(size_wh) * float(np.exp(log_focal))
    to_ray = np.array([[1, 0, -size_wh[0] / 2], [0, 1, -size_wh[1] / 2], [0, 0, focal]]) / focal
    angle = float(np.hypot(*tilt))
    axis = np.array([tilt[0], tilt[1], 0.0]) / max(angle, 1e-9)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    # Scale 1 at the middle needs the depth there, which the rotated ray gives.
    depth = rotation[2, 2]
    from_ray = np.array([[focal * depth, 0, 0], [0, focal * depth, 0], [0, 0, 1]])
    return np.asarray(from_ray @ rotation @ to_ray)


def _shape(quads: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Logarithms of the two shorter and the two longer sides and four cosines of angles (n, 8); which begin short."""
    side = np.roll(quads, -1, axis=1) - quads
    length = np.maximum(np.linalg.norm(side, axis=2), 1e-6)
    short_first = length[:, 0] + length[:, 2] <= length[:, 1] + length[:, 3]
    ordered = np.where(short_first[:, None], length[:, [0, 2, 1, 3]], length[:, [1, 3, 0, 2]])
    unit = side / length[..., None]
    cosine = (unit * np.roll(unit, -1, axis=1)).sum(axis=2)
    return np.concatenate([np.log(ordered), cosine], axis=1), short_first


def agree_on_plane(
    quads: NDArray[np.floating], quality: NDArray[np.floating], size_wh: tuple[int, int]
) -> CardPlane | None:
    """The plane and card size that the most quadrilaterals (n, 4, 2) agree on; None if none can be a card.

    `quality` (n,) says how much each counts; of those that overlap and agree, all share one vote. The first ones
    should come from all over the picture, as sizes are guessed from them. `size_wh` is the size of the picture.
    """
    if len(quads) == 0:
        return None
    outlines, weight = np.asarray(quads, np.float64), np.asarray(quality, np.float64)
    overlap = _box_overlap(outlines)
    guesses: list[tuple[float, Floats, Floats]] = []
    for tilt in _tilts():
        ranking, sizes = _votes_for_sizes(apply_homography(_rectifier(tilt, size_wh), outlines), weight, overlap)
        level = float(np.exp(-(np.hypot(*tilt) ** 2) / (8 * _TILT_PRIOR**2)))
        guesses += [(float(ranking[k]) * level, tilt, sizes[k]) for k in np.argsort(-ranking)[:6]]
    guesses.sort(key=lambda guess: -guess[0])
    best: Floats | None = None
    most = 0.0
    tried: list[Floats] = []
    for score, tilt, size in guesses:
        if score <= 0 or len(tried) >= _GUESSES:
            break
        if any(np.abs(size - other).max() < 0.08 for other in tried):
            continue
        tried.append(size)
        x = _refined(outlines, weight, size_wh, np.concatenate([tilt, size, [0.0]]), _WIDE)
        # Squares may look like cards until the tilt has settled.
        if np.log(_ASPECT[0]) < x[3] - x[2] < np.log(_ASPECT[1]):
            votes = _votes(x, outlines, weight, overlap, size_wh)
            if votes > most:
                best, most = x, votes
    if best is None:
        return None
    x = _outermost(best, outlines, weight, overlap, size_wh)
    return _plane(x, size_wh)


def _plane(x: Floats, size_wh: tuple[int, int]) -> CardPlane:
    return CardPlane(_rectifier(x[:2], size_wh, float(x[4])), (float(np.exp(x[2])), float(np.exp(x[3]))), x, size_wh)


def _votes(x: Floats, quads: Floats, quality: Floats, overlap: Floats, size_wh: tuple[int, int]) -> float:
    plane = _plane(x, size_wh)
    agreeing = quality * np.clip(1 - (plane.deviation(quads) / 0.1) ** 2, 0, 1)
    return float(_shared(agreeing[None], overlap)[0] * np.exp(_LARGER_COUNTS_MORE * (x[2] + x[3])))


def _outermost(x: Floats, quads: Floats, quality: Floats, overlap: Floats, size_wh: tuple[int, int]) -> Floats:
    """Among sizes near that of `x` with about as many votes, the largest.

    Frames printed on the cards, and mixtures of frame and edge, agree as well as the cards themselves.
    """
    shape, _ = _shape(apply_homography(_rectifier(x[:2], size_wh, float(x[4])), quads))
    size = np.stack([shape[:, :2].mean(axis=1), shape[:, 2:4].mean(axis=1)], axis=1)
    straight = np.clip(1 - np.abs(shape[:, 4:]).max(axis=1) / 0.15, 0, 1)
    apart = np.maximum(*(np.abs(size[:, None, k] - size[None, :, k]) for k in (0, 1))) / 0.045
    votes = _shared(np.clip(1 - apart**2, 0, 1) * quality * straight, overlap)
    votes[np.abs(size - x[2:4]).max(axis=1) > 0.3] = 0
    good = np.flatnonzero(votes > _TIE * votes.max())
    chosen = size[good[size[good].sum(axis=1).argmax()]]
    return _refined(quads, quality, size_wh, np.concatenate([x[:2], chosen, x[4:]]), _NARROW)


def _box_overlap(quads: Floats) -> Floats:
    """Shared area of the bounding boxes of each two quadrilaterals by the smaller one's, (n, n)."""
    low, high = quads.min(axis=1), quads.max(axis=1)
    shared = [
        np.minimum(high[:, None, k], high[None, :, k]) - np.maximum(low[:, None, k], low[None, :, k]) for k in (0, 1)
    ]
    box = np.prod(high - low, axis=1)
    return np.asarray(
        np.maximum(shared[0], 0) * np.maximum(shared[1], 0) / np.maximum(np.minimum(box[:, None], box[None]), 1e-6)
    )


def _shared(agreeing: Floats, overlap: Floats) -> Floats:
    """Votes (m,) from how well (m, n) quadrilaterals agree with m guesses; those that overlap share theirs."""
    return np.asarray((agreeing**2 / np.maximum(agreeing @ overlap, 1e-9)).sum(axis=1))


def _votes_for_sizes(quads: Floats, quality: Floats, overlap: Floats) -> tuple[Floats, Floats]:
    """Votes (m,) for the sizes of the first m quadrilaterals, and the logarithms of those sizes' sides (m, 2)."""
    shape, _ = _shape(quads)
    size = np.stack([shape[:, :2].mean(axis=1), shape[:, 2:4].mean(axis=1)], axis=1)
    skew = np.abs(shape[:, 4:]).max(axis=1) + 0.5 * np.abs(shape[:, [0, 2]] - shape[:, [1, 3]]).max(axis=1)
    aspect = size[:, 1] - size[:, 0]
    card_like = (aspect > np.log(_ASPECT[0])) & (aspect < np.log(_ASPECT[1]))
    fit = quality * np.clip(1 - skew / 0.35, 0, 1) * card_like
    seed = size[:_SEEDS]
    apart = np.maximum(*(np.abs(seed[:, None, k] - size[None, :, k]) for k in (0, 1))) / _ROUGH_SPREAD
    votes = _shared(np.clip(1 - apart**2, 0, 1) * fit, overlap) * card_like[:_SEEDS]
    return np.asarray(votes * np.exp(_LARGER_COUNTS_MORE * seed.sum(axis=1))), seed


def _tilts() -> list[Floats]:
    directions = np.arange(8) * np.pi / 4
    return [np.zeros(2)] + [
        np.radians(angle) * np.array([np.cos(d), np.sin(d)]) for angle in (15, 30, 45) for d in directions
    ]


def _refined(quads: Floats, weight: Floats, size_wh: tuple[int, int], x: Floats, spreads: tuple[float, ...]) -> Floats:
    """Gauss-Newton on tilt and size, x = (rx, ry, log short, log long, log focal).

    Quadrilaterals that disagree by more than each step's spread hardly count.
    """

    def residuals(x: Floats) -> Floats:
        shape, _ = _shape(apply_homography(_rectifier(x[:2], size_wh, float(x[4])), quads))
        shape[:, :4] -= x[[2, 2, 3, 3]]
        return shape

    near = np.abs(residuals(x)).max(axis=1) < _NEAR
    quads, weight = quads[near], weight[near]
    for spread in spreads:
        r = residuals(x)
        jacobian = np.stack([(residuals(x + step) - r) / 1e-4 for step in np.eye(5) * 1e-4], axis=-1)
        w = weight / (1 + (np.abs(r).max(axis=1) / spread) ** 2) ** 2
        normal = np.einsum("n,nki,nkj->ij", w, jacobian, jacobian)
        # One card alone hardly tells tilt from shape; the prior then keeps the table near level.
        normal += np.diag([0.01 / _TILT_PRIOR**2, 0.01 / _TILT_PRIOR**2, 1e-9, 1e-9, 0.01 / _FOCAL_PRIOR**2])
        right = -np.einsum("n,nki,nk->i", w, jacobian, r)
        right[:2] -= 0.01 / _TILT_PRIOR**2 * x[:2]
        right[4] -= 0.01 / _FOCAL_PRIOR**2 * x[4]
        step = np.linalg.solve(normal, right)
        x = x + np.clip(step, -0.15, 0.15)
    return x
