"""Cards as rigid things: where a rectangle of known size lies, judged by the edges along all four sides at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.unknown.card_plane import CardPlane
from vision.unknown.weighted_lab import weighted_at

STEP = 0.5  # of offsets across a side, in the plane's units: about pixels
_ALONG = np.linspace(-0.86, 0.86, 48)  # places along a side; rounded corners are left out
_ROWS = np.arange(len(_ALONG))[:, None]
_CLIP = 10.0  # one print or neighbour on the line must not outweigh the rest of it
_HALF = round(1.0 / STEP)
_TURNS = np.linspace(-0.045, 0.045, 13)
_LEAST_FLOOR = 0.35  # weighted 8-bit Lab: what a mean along a side is uncertain by, at the very least
_FLOOR_PERCENTILE = 35
_UNSURE, _SURE = 1.5, 6.0  # times the floor


@dataclass(frozen=True, eq=False)
class Poses:
    """Where n cards lie in the plane: `centre` (n, 2) and `across` (n, 2), the direction of their shorter sides."""

    centre: Floats
    across: Floats

    def take(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Poses:
        """The same for some of the cards."""
        return Poses(*(getattr(self, field.name)[keep] for field in fields(self)))

    def quads(self, plane: CardPlane) -> NDArray[np.float32]:
        """Their corners (n, 4, 2), clockwise, in the picture."""
        u, v = self.across * plane.size[0] / 2, _turned(self.across) * plane.size[1] / 2
        corners = [self.centre - u - v, self.centre + u - v, self.centre + u + v, self.centre - u + v]
        return np.asarray(plane.to_picture(np.stack(corners, axis=1)), np.float32)


def _turned(vectors: Floats) -> Floats:
    """Turned by a right angle, clockwise as one sees the picture."""
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)


def poses_of(plane: CardPlane, quads: NDArray[np.floating]) -> Poses:
    """The rectangles that come nearest to quadrilaterals (n, 4, 2), clockwise."""
    corners = plane.to_plane(quads)
    side = np.roll(corners, -1, axis=1) - corners
    length = np.linalg.norm(side, axis=2)
    short_first = (length[:, 0] + length[:, 2] <= length[:, 1] + length[:, 3])[:, None]
    first, second = side[:, 0] - side[:, 2], side[:, 1] - side[:, 3]
    u, v = np.where(short_first, first, second), np.where(short_first, second, -first)
    u, v = (w / np.maximum(np.linalg.norm(w, axis=1, keepdims=True), 1e-9) for w in (u, v))
    u = u - _turned(v)
    return Poses(corners.mean(axis=1), u / np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-9))


@dataclass(frozen=True, eq=False)
class Evidence:
    """How much speaks for an edge beside the sides of n cards.

    `offsets` (k,) outward from the sides in the plane's units; `turns` (t,) in radians; `strength` (n, t, 4, k) the
    change of the colour across, averaged along the side; `change` (n, t, 4, k, 3) the same with its direction, weighted
    8-bit Lab; `floor` (n, 4) what changes there anyway. Sides are top, right, bottom and left, the top being a
    shorter one.
    """

    offsets: Floats
    turns: Floats
    strength: NDArray[np.float32]
    change: NDArray[np.float32]
    floor: NDArray[np.float32]

    def certainty(self) -> NDArray[np.float32]:
        """The strength (n, t, 4, k) as what it says: 0 nothing, 1 an edge beyond doubt."""
        ratio = self.strength / self.floor[:, None, :, None]
        return np.asarray(np.clip((ratio - _UNSURE) / (_SURE - _UNSURE), 0, 1), np.float32)


def look_beside(
    image_lab: NDArray[np.uint8],
    plane: CardPlane,
    poses: Poses,
    inward: float,
    outward: float,
    turns: Floats = _TURNS,
    step: Floats | None = None,
) -> Evidence:
    """Look for edges from `inward` to `outward` of the sides of cards, in the plane's units.

    If `step` (3,) is not 0, only changes in that direction count: so shadows end unnoticed beside the edges.
    """
    offsets = np.arange(-inward, outward + STEP / 2, STEP)
    change = _changes(_colours(image_lab, plane, poses, offsets))
    change *= np.minimum(1, _CLIP / np.maximum(_size(change), 1e-6))[..., None]
    mean = np.zeros((len(poses.centre), len(turns), 4, len(offsets), 3), np.float32)
    for t, turn in enumerate(turns):
        for side, half in enumerate(_half(plane)):
            index = _turned_lines(half, turn, len(offsets))
            mean[:, t, side] = change[:, side][:, _ROWS, index].mean(axis=1)
    if step is None or not step.any():
        strength = np.linalg.norm(mean, axis=-1)
    else:
        strength = np.asarray(np.maximum(mean @ step, 0), np.float32)
    floor = np.percentile(strength, _FLOOR_PERCENTILE, axis=(1, 3))
    return Evidence(offsets, turns, strength, mean, np.asarray(np.maximum(floor, _LEAST_FLOOR), np.float32))


def steepness_beside(
    image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, offsets: Floats, turns: Floats
) -> NDArray[np.float32]:
    """How steeply the colour changes at `offsets` (k,) beside the sides of n cards turned by `turns` (n, 4): (n, 4, k).

    The strength in `Evidence` is the same for all that is strong; this one tells a card's edge from the softer end of
    the shadow beside it.
    """
    change = _changes(_colours(image_lab, plane, poses, offsets))
    size = _size(change)
    change *= (_CLIP * np.log1p(size / _CLIP) / np.maximum(size, 1e-6))[..., None]
    mean = np.zeros((*turns.shape, len(offsets), 3), np.float32)
    for side, half in enumerate(_half(plane)):
        for turn in np.unique(turns[:, side]):
            some = turns[:, side] == turn
            mean[some, side] = change[some, side][:, _ROWS, _turned_lines(half, turn, len(offsets))].mean(axis=1)
    return np.asarray(np.linalg.norm(mean, axis=-1), np.float32)


def _turned_lines(half: float, turn: float, offsets: int) -> NDArray[np.intp]:
    """Which of the offsets (along, offsets) lie on lines beside a side, `half` as long, that are turned."""
    shift = np.rint(turn * half * _ALONG / STEP).astype(int)
    return np.asarray(np.clip(np.arange(offsets) + shift[:, None], 0, offsets - 1), np.intp)


def profiles_beside(
    image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, inward: float, outward: float
) -> tuple[Floats, NDArray[np.float32]]:
    """Offsets (k,) from the sides of n cards and the typical colours (n, 4, k, 3) there, weighted 8-bit Lab."""
    offsets = np.arange(-inward, outward + STEP / 2, STEP)
    return offsets, np.asarray(np.median(_colours(image_lab, plane, poses, offsets), axis=2), np.float32)


def side_ends(plane: CardPlane, poses: Poses, offsets: Floats, turns: Floats) -> NDArray[np.float32]:
    """Both ends, in the picture, of lines beside the sides of n cards, (n, 4, 2, 2).

    They are moved outward by `offsets` (n, 4) and turned by `turns` (n, 4) as in `Evidence`.
    """
    normal, along, half, middle = sides_of(plane, poses)
    ends = np.array([-1.0, 1.0])
    outward = offsets[..., None] + turns[..., None] * half[:, None] * ends
    line = middle[:, :, None] + (along * half[:, None])[:, :, None] * ends[:, None]
    points = line + normal[:, :, None] * outward[..., None]
    return np.asarray(plane.to_picture(points), np.float32)


def sides_of(plane: CardPlane, poses: Poses) -> tuple[Floats, Floats, Floats, Floats]:
    """Outward and along directions (n, 4, 2), half lengths (4,) and middles (n, 4, 2) of the sides of cards."""
    u, v = poses.across, _turned(poses.across)
    normal, along = np.stack([-v, u, v, -u], axis=1), np.stack([u, v, -u, -v], axis=1)
    half = _half(plane)
    return normal, along, half, poses.centre[:, None] + normal * half[[1, 0, 3, 2], None]


def _colours(image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, offsets: Floats) -> NDArray[np.float32]:
    """Colours (n, 4, along, offsets, 3) beside the sides of cards, weighted 8-bit Lab."""
    normal, along, half, middle = sides_of(plane, poses)
    line = middle[:, :, None] + (along * half[:, None])[:, :, None] * _ALONG[:, None]
    points = np.asarray(plane.to_picture(line[:, :, :, None] + normal[:, :, None, None] * offsets[:, None]), np.float32)
    return weighted_at(image_lab, points)


def _half(plane: CardPlane) -> Floats:
    """Half the lengths (4,) of the sides of cards."""
    return np.array([plane.size[0], plane.size[1]] * 2) / 2


def _changes(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """The change of colour (n, 4, along, offsets, 3) about each place."""
    change = np.zeros_like(lab)
    change[..., _HALF:-_HALF, :] = lab[..., 2 * _HALF :, :] - lab[..., : -2 * _HALF, :]
    return change


def _size(change: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(np.einsum("...c,...c->...", change, change)), np.float32)


def settled(
    image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, reach: float, step: Floats | None = None
) -> tuple[Poses, NDArray[np.float32]]:
    """Cards moved by up to `reach` and turned a little to where most speaks for them, and the certainty (n, 4)."""
    if len(poses.centre) == 0:
        return poses, np.zeros((0, 4), np.float32)
    seen = look_beside(image_lab, plane, poses, reach + 4, reach + 4, step=step)
    certainty = seen.certainty()
    moves = np.arange(-reach, reach + STEP / 2, STEP)
    at = len(seen.offsets) // 2 + np.rint(moves / STEP).astype(int)
    # Strength breaks ties among places that are all beyond doubt.
    score = certainty + 0.1 * np.minimum(seen.strength, _CLIP) / _CLIP
    right_left = score[:, :, 1][..., at] + score[:, :, 3][..., at[::-1]]
    down_up = score[:, :, 2][..., at] + score[:, :, 0][..., at[::-1]]
    near = -0.02 * np.abs(moves) / reach
    best = (right_left + near).max(axis=-1) + (down_up + near).max(axis=-1) - 0.02 * np.abs(seen.turns) / 0.045
    rows, turn = np.arange(len(best)), best.argmax(axis=1)
    dx, dy = ((pair[rows, turn] + near).argmax(axis=-1) for pair in (right_left, down_up))
    found = np.stack(
        [certainty[rows, turn, side, index] for side, index in enumerate((at[::-1][dy], at[dx], at[dy], at[::-1][dx]))],
        axis=1,
    )
    u, v = poses.across, _turned(poses.across)
    centre = poses.centre + moves[dx][:, None] * u + moves[dy][:, None] * v
    # Positive turns move the far end of each side outward: against the clock.
    across = u - seen.turns[turn][:, None] * v
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return Poses(centre, across), np.asarray(found, np.float32)
