"""Who rang the one bell: arms as they come and go, a ring in between."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.games.piccolino.watching.ringer import ArmEyes
from referee.scoring.seats import SeatRing
from referee.watchers.table_arms import Place
from vision.table import Table

MS = 1_000_000
SIZE = (640, 360)
SEATS = {0: (320, 359), 1: (0, 180), 2: (320, 0), 3: (639, 180)}
COLOURS = ((110, 60, 40), (60, 60, 150), (70, 110, 60), (140, 170, 222))


def place() -> Place:
    # Two millimetres a pixel, seen from straight above.
    camera = np.array([[1000.0, 0, 320], [0, 1000.0, 180], [0, 0, 1]])
    homography = np.array([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 1]])
    table = Table(camera, np.zeros(5), homography, SIZE, 0.0)
    corners = np.array([[1200.0, 660], [80, 660], [80, 60], [1200, 60]])
    return Place(table, SeatRing(corners, 4))


class Film:
    """Frames 33 ms apart; `arms` gives how far each seat's hand is from the bell, px, None: not in play."""

    def __init__(self) -> None:
        where = place()
        self.eyes = ArmEyes(lambda: where)
        self.number = 0
        self.named: list[tuple[int, int]] = []
        for _ in range(25):
            self.show({})

    @property
    def now_ns(self) -> int:
        return (1000 + 33 * self.number) * MS

    def show(self, arms: dict[int, float]) -> None:
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
        for seat, away in arms.items():
            start, bell = np.array(SEATS[seat]), np.array([320, 180])
            tip = bell + (start - bell) / np.linalg.norm(start - bell) * (away + 12)
            cv2.line(image, SEATS[seat], (round(float(tip[0])), round(float(tip[1]))), COLOURS[seat], 24)
        self.number += 1
        self.named += self.eyes.look(Frame(self.now_ns, self.now_ns, image, self.number))

    def ring(self) -> int | None:
        """Ring between the last frame and the next."""
        return self.eyes.rang(self.now_ns + 15 * MS)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_only_arm_in_sight_rang(seat: int) -> None:
    film = Film()
    for away in (140, 90, 40, 10):
        film.show({seat: away})
    assert film.ring() == seat


def test_a_hand_that_is_quick_is_named_by_the_frame_after_the_ring() -> None:
    film = Film()
    film.show({1: 120})
    film.show({1: 60})
    assert film.ring() is None
    ring_ns = film.now_ns + 15 * MS
    film.show({1: 0})
    assert film.named == [(ring_ns, 1)]


def test_who_was_there_first_rang_though_another_comes_a_moment_later() -> None:
    film = Film()
    for mine, others in ((140, 170), (60, 150), (5, 130)):
        film.show({0: mine, 2: others})
    film.ring()
    film.show({0: 0, 2: 90})
    assert [seat for _, seat in film.named] == [0]


@pytest.mark.parametrize(
    "arms",
    [
        {},
        {1: 100},
        {0: 10, 2: 20},
        {0: 4, 1: 4, 3: 140},
    ],
)
def test_where_nobody_or_more_than_one_is_at_the_bell_nobody_is_named(arms: dict[int, float]) -> None:
    film = Film()
    for _ in range(3):
        film.show(arms)
    assert film.ring() is None
    for _ in range(8):
        film.show(arms)
    assert film.named == []


@pytest.mark.parametrize("lost", [{1: 100.0}, {}])
def test_who_was_at_the_bell_before_may_be_there_still_though_his_hand_is_out_of_sight(lost: dict[int, float]) -> None:
    film = Film()
    for mine in (60, 12, 12):
        film.show({1: mine, 3: 140})
    film.show({**lost, 3: 4})
    assert film.ring() is None
    for _ in range(8):
        film.show({**lost, 3: 4})
    assert film.named == []


@pytest.mark.parametrize("lost", [{1: 100.0}, {}])
def test_the_only_hand_at_the_bell_rang_though_it_goes_out_of_sight_on_a_table_of_its_colour(
    lost: dict[int, float],
) -> None:
    film = Film()
    for mine in (90, 40, 10):
        film.show({1: mine})
    film.show(lost)
    assert film.ring() is None
    ring_ns = film.now_ns + 15 * MS
    film.show(lost)
    assert film.named == [(ring_ns, 1)]


@pytest.mark.parametrize("other", [{2: 60.0}, {2: 140.0}])
def test_a_hand_that_goes_out_of_sight_rang_for_nobody_if_another_arm_is_near(other: dict[int, float]) -> None:
    film = Film()
    for mine in (90, 40, 10):
        film.show({1: mine})
    film.show({1: 100})
    film.ring()
    for _ in range(8):
        film.show({1: 100, **other})
    assert film.named == []


def test_a_sleeve_that_stops_a_hand_from_the_bell_may_have_rung_though_no_hand_is_seen() -> None:
    film = Film()
    for mine, others in ((150, 130), (80, 118), (10, 113)):
        film.show({0: mine, 2: others})
    assert film.ring() is None
    for _ in range(8):
        film.show({0: 2, 2: 113})
    assert film.named == []


def test_a_sleeve_that_lay_there_all_the_time_did_not_ring() -> None:
    film = Film()
    for mine in (150, 150, 150, 150, 150, 150, 150, 150, 150, 150, 80, 10):
        film.show({0: mine, 2: 113})
    assert film.ring() == 0


def test_a_hand_that_left_the_bell_a_while_ago_did_not_ring() -> None:
    film = Film()
    film.show({1: 10})
    for _ in range(5):
        film.show({1: 100})
    assert film.ring() is None
    for _ in range(8):
        film.show({1: 100})
    assert film.named == []


def test_an_arm_from_where_two_seats_meet_is_nobodys_for_certain() -> None:
    where = place()
    eyes = ArmEyes(lambda: where)
    for number in range(30):
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
        if number > 25:
            cv2.line(image, (20, 340), (310, 186), COLOURS[0], 24)
        eyes.look(Frame(number * 33 * MS, number * 33 * MS, image, number))
    assert eyes.rang(29 * 33 * MS + 10) is None


def test_an_arm_that_came_in_at_its_own_seat_may_move_on_to_where_two_meet() -> None:
    where = place()
    eyes = ArmEyes(lambda: where)
    for number in range(36):
        image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
        if number > 25:
            # Seat 0's part of the lower edge begins near x = 110.
            cv2.line(image, (190 - 8 * (number - 26), 359), (310, 186), COLOURS[0], 24)
        eyes.look(Frame(number * 33 * MS, number * 33 * MS, image, number))
    assert eyes.rang(35 * 33 * MS + 10) == 0


def test_without_a_table_nobody_is_named() -> None:
    eyes = ArmEyes(lambda: None)
    assert eyes.look(Frame(1, 1, np.zeros((4, 4, 3), np.uint8), 0)) == ()
    assert eyes.rang(2) is None
