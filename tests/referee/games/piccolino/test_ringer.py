"""Who rang the one bell: arms as they come and go, a ring in between."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.games.piccolino.watching.ringer import RingerDetector
from referee.scoring.seats import SeatRing
from referee.watchers.table_arms import ArmRegion
from vision.table import Table

MS = 1_000_000
SIZE = (640, 360)
BELL = (320, 180)
SEATS = {0: (320, 359), 1: (0, 180), 2: (320, 0), 3: (639, 180)}
COLOURS = ((110, 60, 40), (60, 60, 150), (70, 110, 60), (140, 170, 222))
Arms = dict[int, float]
Line = tuple[tuple[int, int], tuple[int, int]]


def place() -> ArmRegion:
    # Two millimetres a pixel, seen from straight above.
    camera = np.array([[1000.0, 0, 320], [0, 1000.0, 180], [0, 0, 1]])
    homography = np.array([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 1]])
    table = Table(camera, np.zeros(5), homography, SIZE, 0.0)
    return ArmRegion(table, SeatRing(np.array([[1200.0, 660], [80, 660], [80, 60], [1200, 60]]), 4))


class Film:
    """Frames 33 ms apart of a table that is bare at first."""

    def __init__(self) -> None:
        where = place()
        self.eyes = RingerDetector(lambda: where)
        self.number = 0
        self.named: list[tuple[int, int]] = []
        self.show(*[Arms()] * 25)

    @property
    def ring_ns(self) -> int:
        """An instant between the last frame and the next."""
        return (1015 + 33 * self.number) * MS

    def show(self, *frames: Arms) -> None:
        """Show arms: how far each seat's hand is from the bell, px."""
        for arms in frames:
            lines: dict[int, Line] = {}
            for seat, away in arms.items():
                start, bell = np.array(SEATS[seat]), np.array(BELL)
                tip = bell + (start - bell) / np.linalg.norm(start - bell) * (away + 12)
                lines[seat] = (SEATS[seat], (round(float(tip[0])), round(float(tip[1]))))
            self.draw(lines)

    def draw(self, lines: dict[int, Line]) -> None:
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
        for seat, (start, tip) in lines.items():
            cv2.line(image, start, tip, COLOURS[seat], 24)
        self.number += 1
        t_ns = (1000 + 33 * self.number) * MS
        self.named += self.eyes.look(Frame(t_ns, t_ns, image, self.number))


def both(seat: int, mine: tuple[int, ...], other: int, others: tuple[int, ...]) -> list[Arms]:
    return [{seat: own, other: away} for own, away in zip(mine, others, strict=True)]


def alone(seat: int, *mine: float) -> list[Arms]:
    return [{seat: away} for away in mine]


# Frames before the ring, frames after it, and who rang.
AT_ONCE: dict[str, tuple[list[Arms], int]] = {
    **{f"the only arm, of seat {seat}": (alone(seat, 140, 90, 40, 10), seat) for seat in range(4)},
    "a sleeve that lay there all the time": (both(0, (*[150] * 10, 80, 10), 2, (113,) * 12), 0),
}
LATER: dict[str, tuple[list[Arms], list[Arms], int]] = {
    "a quick hand": (alone(1, 120, 60), alone(1, 0), 1),
    "another who comes a moment later": (both(0, (140, 60, 5), 2, (170, 150, 130)), both(0, (0,), 2, (90,)), 0),
    "the only hand, lost on a table of its colour": (alone(1, 90, 40, 10, 100), alone(1, 100), 1),
    "the only hand, gone": ([*alone(1, 90, 40, 10), {}], [{}], 1),
}
NOBODY: dict[str, tuple[list[Arms], Arms]] = {
    "no arm": ([{}] * 3, {}),
    "an arm away from the bell": ([{1: 100}] * 3, {1: 100}),
    "two at the bell": ([{0: 10, 2: 20}] * 3, {0: 10, 2: 20}),
    "two at the bell and a third": ([{0: 4, 1: 4, 3: 140}] * 3, {0: 4, 1: 4, 3: 140}),
    "one who was there and draws back": ([*both(1, (60, 12, 12), 3, (140,) * 3), {1: 100, 3: 4}], {1: 100, 3: 4}),
    "one who was there and is lost": ([*both(1, (60, 12, 12), 3, (140,) * 3), {3: 4}], {3: 4}),
    "a lost hand and an arm nearby": (alone(1, 90, 40, 10, 100), {1: 100, 2: 60}),
    "a lost hand and an arm further away": (alone(1, 90, 40, 10, 100), {1: 100, 2: 140}),
    "a sleeve that comes near": (both(0, (150, 80, 10), 2, (130, 118, 113)), {0: 2, 2: 113}),
    "a hand that left a while ago": (alone(1, 10, *[100] * 5), {1: 100}),
}


@pytest.mark.parametrize("case", AT_ONCE)
def test_an_arm_that_is_at_the_bell_rang(case: str) -> None:
    frames, seat = AT_ONCE[case]
    film = Film()
    film.show(*frames)
    assert film.eyes.rang(film.ring_ns) == seat


@pytest.mark.parametrize("case", LATER)
def test_the_frames_after_a_ring_name_who_rang(case: str) -> None:
    before, after, seat = LATER[case]
    film = Film()
    film.show(*before)
    ring_ns = film.ring_ns
    assert film.eyes.rang(ring_ns) is None
    film.show(*after)
    assert film.named == [(ring_ns, seat)]


@pytest.mark.parametrize("case", NOBODY)
def test_where_nobody_or_more_than_one_may_have_rung_nobody_is_named(case: str) -> None:
    before, after = NOBODY[case]
    film = Film()
    film.show(*before)
    assert film.eyes.rang(film.ring_ns) is None
    film.show(*[after] * 8)
    assert film.named == []


@pytest.mark.parametrize(
    ("lines", "rang"),
    [
        # Where two seats meet, an arm is nobody's for certain.
        ([((20, 340), (310, 186))] * 4, None),
        # Seat 0's part of the lower edge begins near x = 110: it came in there, and moved on.
        ([((190 - 8 * step, 359), (310, 186)) for step in range(10)], 0),
    ],
)
def test_an_arm_belongs_to_the_seat_where_it_came_in(lines: list[Line], rang: int | None) -> None:
    film = Film()
    for line in lines:
        film.draw({0: line})
    assert film.eyes.rang(film.ring_ns) == rang


def test_without_a_table_nobody_is_named() -> None:
    eyes = RingerDetector(lambda: None)
    assert eyes.look(Frame(1, 1, np.zeros((4, 4, 3), np.uint8), 0)) == ()
    assert eyes.rang(2) is None
