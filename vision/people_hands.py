"""Finds people's hands in a picture of a table: a hand or forearm may hide cards.

MediaPipe's two networks, trained on photographs of hands, find them. One finds palms in squares of a fixed size in mm,
in four turns; the other finds the joints of each and the probability of a hand. See `models/README.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np

from vision.arrays import Image, Points, Singles
from vision.library_output import caught_from_libraries
from vision.table import Table

_MODELS = Path(__file__).parent / "models"
_PALM_PX, _JOINTS_PX = 192, 224  # the networks' input, square
_GRIDS = ((24, 2), (12, 6))  # the palm network's: cells along a side, candidates a cell
_SQUARE_MM = 450.0  # finds all pasted hands of 0.4 to 1.1 of an adult's size; squares of 900 find a third
_STEP_MM = 250.0  # every hand is whole in one of the squares
_TURNS = (0.0, 90.0, 180.0, 270.0)  # degrees; the palm network tolerates 45 either way
_PALM_MM = (40.0, 160.0)  # from a child's to an adult's close to the camera
_WORTH_A_LOOK = 0.15  # palm score from which the joint network decides
_CERTAIN = 0.55  # a card reached 0.51 in pictures without hands; 30 rendered hands reached 0.57 and more
_SAME = 0.5  # of a palm's size: closer palms are one
_WRIST, _INDEX, _MIDDLE, _RING = 0, 5, 9, 13  # joints: the wrist, and the base of three fingers
_ROUND_JOINTS_MM = 12.0  # of flesh
_FOREARM_MM = (300.0, 45.0)  # length that reaches over cards, and half of its width in a sleeve


@dataclass(frozen=True, eq=False)
class PersonsHand:
    """A hand in a picture: its joints (21, 2) in px, in MediaPipe's order, and its confidence, 0 to 1."""

    joints_px: Points
    certainty: float

    def hides_mm(self, table: Table) -> Points:
        """Return the outline (k, 2), in mm, of the area under the hand and its forearm."""
        joints = table.to_mm(self.joints_px)
        outwards = joints - joints.mean(0)
        hand = joints + _ROUND_JOINTS_MM * outwards / np.maximum(np.linalg.norm(outwards, axis=1, keepdims=True), 1.0)
        wrist = joints[_WRIST]
        back = wrist - joints[[_INDEX, _MIDDLE, _RING]].mean(0)
        back /= max(float(np.linalg.norm(back)), 1.0)
        length, half = _FOREARM_MM
        aside = half * np.array([-back[1], back[0]])
        ends = (wrist + aside, wrist - aside, wrist + length * back + aside, wrist + length * back - aside)
        return np.asarray(cv2.convexHull(np.vstack([hand, *ends]).astype(np.float32))[:, 0], np.float64)


class HandFinder:
    """Finds people's hands by both networks."""

    @cached_property
    def _palms(self) -> _Network:
        return _Network("palm_detection_full")

    @cached_property
    def _joints(self) -> _Network:
        return _Network("hand_landmark_lite")

    def find(self, image: Image, table: Table, area_mm: Points) -> list[PersonsHand]:
        """Return the hands in a picture, (h, w, 3) BGR, over the table's upright rectangle around `area_mm` (n, 2)."""
        copies = _Copies(image)
        palms: list[_Palm] = []
        for centre_px, side_px in _squares(table, area_mm):
            for turn in _TURNS:
                palms += self._palms_in(copies, centre_px, side_px, np.radians(turn))
        hands: list[PersonsHand] = []
        for palm in _apart(palms):
            hand = self._hand_at(copies, palm)
            if hand.certainty > _CERTAIN and not any(_alike(hand, other) for other in hands):
                hands.append(hand)
        return hands

    def _palms_in(self, copies: _Copies, centre_px: Points, side_px: float, turn: float) -> Iterator[_Palm]:
        square, to_picture = copies.square(centre_px, side_px, turn, _PALM_PX)
        boxes, scores = self._palms.run(square)
        certainty = 1 / (1 + np.exp(-np.clip(scores.reshape(-1).astype(np.float64), -50, 50)))
        size_px = side_px / _PALM_PX
        for at in np.flatnonzero(certainty > _WORTH_A_LOOK):
            box = boxes.reshape(-1, 18)[at].astype(np.float64)
            points = np.vstack([box[:2], box[4:].reshape(7, 2)]) + _anchors()[at] * _PALM_PX
            size = float(box[2:4].max()) * size_px
            if _PALM_MM[0] < size / side_px * _SQUARE_MM < _PALM_MM[1]:
                points = points @ to_picture[:, :2].T + to_picture[:, 2]
                yield _Palm(points[0], points[1], points[3], size, float(certainty[at]))

    def _hand_at(self, copies: _Copies, palm: _Palm) -> PersonsHand:
        """Return the joints near a palm, found a second time in a square by the first joints."""
        up = _direction(palm.wrist_px, palm.middle_px)
        first = self._joints_in(copies, palm.centre_px + 0.5 * palm.size_px * up, 2.6 * palm.size_px, up)
        up = _direction(first.joints_px[_WRIST], first.joints_px[_MIDDLE])
        across = np.array([-up[1], up[0]])
        shares = first.joints_px @ np.array([across, up]).T
        low, high = shares.min(0), shares.max(0)
        middle = (low + high) / 2
        second = self._joints_in(copies, middle[0] * across + middle[1] * up, 2 * float((high - low).max()), up)
        return max(first, second, key=lambda hand: hand.certainty)

    def _joints_in(self, copies: _Copies, centre_px: Points, side_px: float, up: Points) -> PersonsHand:
        turn = -float(np.arctan2(up[1], up[0])) - np.pi / 2
        square, to_picture = copies.square(centre_px, max(side_px, 1.0), turn, _JOINTS_PX)
        joints, certainty = self._joints.run(square)
        points = joints.reshape(21, 3)[:, :2].astype(np.float64)
        return PersonsHand(points @ to_picture[:, :2].T + to_picture[:, 2], float(certainty.item()))


class _Network:
    """One of the networks, in one thread."""

    def __init__(self, name: str) -> None:
        # The runtime takes 10 MB, so only a search for hands loads it.
        from ai_edge_litert.interpreter import Interpreter

        with caught_from_libraries():  # it prints messages while it loads
            self._interpreter = Interpreter(str(_MODELS / f"{name}.tflite"), num_threads=1)
            self._interpreter.allocate_tensors()
        self._input = self._interpreter.get_input_details()[0]["index"]
        outputs = {output["name"]: output["index"] for output in self._interpreter.get_output_details()}
        self._outputs = outputs["Identity"], outputs["Identity_1"]

    def run(self, square: Image) -> tuple[Singles, Singles]:
        """Return the network's outputs, places and scores, for a picture (side, side, 3) BGR of its input's size."""
        levels = cv2.cvtColor(square, cv2.COLOR_BGR2RGB).astype(np.float32) / 255
        self._interpreter.set_tensor(self._input, levels[None])
        self._interpreter.invoke()
        places, scores = (np.asarray(self._interpreter.get_tensor(index), np.float32) for index in self._outputs)
        return places, scores


@dataclass(frozen=True, eq=False)
class _Palm:
    """A detection of the palm network: middle, wrist and base of the middle finger, (2,) px each; its size in px."""

    centre_px: Points
    wrist_px: Points
    middle_px: Points
    size_px: float
    score: float


class _Copies:
    """A picture and copies reduced by whole factors, so that small crops do not alias."""

    def __init__(self, image: Image) -> None:
        self._copies = {1: image}

    def square(self, centre_px: Points, side_px: float, turn: float, size_px: int) -> tuple[Image, Points]:
        """Return a square around a point, turned by `turn` (rad), as `size_px` pixels, and the map (2, 3) back."""
        shrink = max(1, int(side_px / size_px))
        if shrink not in self._copies:
            height, width = self._copies[1].shape[:2]
            size = (max(1, width // shrink), max(1, height // shrink))
            small = cv2.resize(self._copies[1], size, interpolation=cv2.INTER_AREA)
            self._copies[shrink] = np.asarray(small, np.uint8)
        scale = size_px / side_px
        linear = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        offset = size_px / 2 - linear @ centre_px
        # The middle of a reduced pixel is between the middles of its source pixels.
        shift = offset + linear @ np.full(2, (shrink - 1) / 2)
        cut = cv2.warpAffine(
            self._copies[shrink], np.column_stack([shrink * linear, shift]), (size_px, size_px), flags=cv2.INTER_LINEAR
        )
        back = np.linalg.inv(linear)
        return np.asarray(cut, np.uint8), np.column_stack([back, -back @ offset])


def _direction(start: Points, end: Points) -> Points:
    """Return the unit vector from one point (2,) to another; (0, 0) if they are equal."""
    along = end - start
    return np.asarray(along / max(float(np.linalg.norm(along)), 1e-6))


@cache
def _anchors() -> Points:
    """Return the middles (2016, 2) of the palm network's cells, as shares of its input, in the order of its output."""
    rows = []
    for cells, guesses in _GRIDS:
        y, x = np.mgrid[:cells, :cells]
        middles = (np.stack([x, y], axis=-1).reshape(-1, 2) + 0.5) / cells
        rows.append(np.repeat(middles, guesses, axis=0))
    return np.concatenate(rows)


def _squares(table: Table, area_mm: Points) -> Iterator[tuple[Points, float]]:
    """Yield middle (2,) and side, px, of squares that cover the upright rectangle around an area."""
    low, high = area_mm.min(0), area_mm.max(0)
    along = [_spread(float(start), float(end)) for start, end in zip(low, high, strict=True)]
    centres = np.array([(x, y) for x in along[0] for y in along[1]])
    centres_px = table.to_px(centres)
    for centre_px, px_per_mm in zip(centres_px, table.px_per_mm(centres_px), strict=True):
        yield centre_px, _SQUARE_MM * float(px_per_mm)


def _spread(start: float, end: float) -> Points:
    """Return the middles of overlapping squares that cover the interval from `start` to `end`."""
    room = end - start - _SQUARE_MM
    if room <= 0:
        return np.array([(start + end) / 2])
    return np.linspace(start + _SQUARE_MM / 2, end - _SQUARE_MM / 2, int(np.ceil(room / _STEP_MM)) + 1)


def _apart(palms: list[_Palm]) -> list[_Palm]:
    """Return the most confident one of each group of palms."""
    kept: list[_Palm] = []
    for palm in sorted(palms, key=lambda one: -one.score):
        if all(np.linalg.norm(palm.centre_px - one.centre_px) > _SAME * max(palm.size_px, one.size_px) for one in kept):
            kept.append(palm)
    return kept


def _alike(one: PersonsHand, other: PersonsHand) -> bool:
    """Return whether two hands are one: the distance of their joints is below a hand's length."""
    middles = [hand.joints_px.mean(0) for hand in (one, other)]
    length = float(np.linalg.norm(one.joints_px[_MIDDLE] - one.joints_px[_WRIST]))
    return float(np.linalg.norm(middles[0] - middles[1])) < _SAME * length
