"""Who owns a card: seats evenly round the markers' rectangle, clockwise from the bottom edge's middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.scoring.seats import SeatRing, marker_rectangle, rectangle_of, share_out
from vision.deck import load_deck
from vision.markers import SQUARE_MM, Marker
from vision.reading import Card, Reading
from vision.table import Table

Points = NDArray[np.float64]

# Table mm are picture px here: the camera looks straight down from 1000 mm.
FLAT = Table(np.diag([1000.0, 1000.0, 1.0]), np.zeros(5), np.eye(3), (1000, 700), 0.0)
RECTANGLE = np.array([[800.0, 500], [0, 500], [0, 0], [800, 0]])
DECK = load_deck("confetti")


def turned(points: Points, degrees: float) -> Points:
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]))


def marker(number: int, x: float, y: float, degrees: float) -> Marker:
    return Marker(number, turned(SQUARE_MM, degrees) + np.array([x, y]))


@pytest.mark.parametrize(
    ("players", "seats"),
    [
        (1, [(400, 500)]),
        (2, [(400, 500), (400, 0)]),
        (4, [(400, 500), (0, 250), (400, 0), (800, 250)]),
        (3, [(400, 500), (0, 33.3), (800, 33.3)]),
        (7, [(400, 500), (28.6, 500), (0, 157.1), (214.3, 0), (585.7, 0), (800, 157.1), (771.4, 500)]),
    ],
)
def test_seats_follow_clockwise_at_equal_distances(players: int, seats: list[tuple[float, float]]) -> None:
    ring = SeatRing(RECTANGLE, players)
    middles = [part[len(part) // 2] for part in (ring.part_of(seat) for seat in range(players))]
    np.testing.assert_allclose(middles, seats, atol=0.1)


def test_a_card_belongs_to_the_nearest_part_of_the_edge_within_180_mm() -> None:
    ring = SeatRing(RECTANGLE, 4)
    assert ring.seat_at((400, 321)) == 0
    assert ring.seat_at((400, 319)) is None
    assert ring.seat_at((400, 679)) == 0
    assert ring.seat_at((400, 681)) is None
    assert [ring.seat_at(point) for point in ((-100, 250), (400, -100), (900, 250))] == [1, 2, 3]
    # 650 mm of edge are each seat's own: seat 0's part ends 75 mm before the corner.
    assert (ring.seat_at((76, 490)), ring.seat_at((74, 490))) == (0, 1)
    assert SeatRing(RECTANGLE, 4, reach_mm=260).seat_at((400, 250)) is not None


@given(
    players=st.integers(1, 7),
    way=st.floats(0, 1),
    inwards=st.floats(-170, 170),
    degrees=st.floats(-34, 34),
)
def test_turning_the_table_changes_no_owner(players: int, way: float, inwards: float, degrees: float) -> None:
    ring = SeatRing(RECTANGLE, players)
    point = np.array([800 * way, 500 - inwards])
    there = SeatRing(turned(RECTANGLE, degrees), players)
    x, y = turned(point[None], degrees)[0]
    # At the border of two seats rounding may decide.
    near = {ring.seat_at((point[0] + dx, point[1] + dy)) for dx in (-0.01, 0, 0.01) for dy in (-0.01, 0, 0.01)}
    assert there.seat_at((float(x), float(y))) in near


@given(degrees=st.floats(-34, 34), width=st.floats(400, 1500), height=st.floats(200, 390))
def test_the_rectangle_follows_the_table(degrees: float, width: float, height: float) -> None:
    corners = turned(np.array([[width, height], [0, height], [0, 0], [width, 0]]), degrees)
    np.testing.assert_allclose(rectangle_of(corners[[2, 0, 3, 1]]), corners, atol=0.5)


@pytest.mark.parametrize("seen", [[0, 1, 2, 3], [0, 1, 2], [1, 2, 3], [0, 2], [1, 3]])
def test_covered_markers_are_done_without_if_the_others_lie_straight(seen: list[int]) -> None:
    corners = turned(RECTANGLE, 6.0)
    places = {number: corners[[2, 3, 0, 1][number]] for number in seen}
    markers = [marker(number, float(x), float(y), 6.0 + 90 * number) for number, (x, y) in places.items()]
    np.testing.assert_allclose(marker_rectangle(markers, FLAT), corners, atol=1.0)


@pytest.mark.parametrize(
    ("markers", "complaint"),
    [
        ([], "no marker card is in sight"),
        ([marker(2, 0, 0, 0)], "only marker card 2 is in sight, 0, 1 and 3 are missing"),
        ([marker(0, 0, 0, 0), marker(1, 800, 0, 0)], "only marker cards 0 and 1 are in sight, 2 and 3 are missing"),
        ([marker(0, 0, 0, 5), marker(2, 800, 500, 40)], "only marker cards 0 and 2 are in sight, 1 and 3 are missing"),
        ([marker(n, 250.0 * n, 2.0 * n, 0) for n in range(4)], "marker cards 0, 1, 2 and 3 lie on one line"),
    ],
)
def test_too_few_markers_are_named(markers: list[Marker], complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint) as caught:
        marker_rectangle(markers, FLAT)
    assert "lay marker cards" in str(caught.value)


def card(number: int, side: str, x: float, y: float) -> Card:
    return Card(DECK.side(side)[number], 0.999, np.zeros((4, 2)), (x, y))


def unclear(x: float, y: float, side: str | None = None) -> Card:
    return Card(None, 0.0, np.zeros((0, 2)), (x, y), "covered", (x, y), side)


def test_most_cards_before_the_seats_say_which_side_is_played() -> None:
    heap = tuple(card(number, "white", 400, 250) for number in range(10, 16))
    cards = (card(0, "black", 400, 480), card(1, "black", 420, 490), card(2, "white", 300, 480), *heap)
    ring = SeatRing(RECTANGLE, 2)
    shared = share_out(Reading(cards, (unclear(400, 10), unclear(400, 250))), ring, None)
    assert shared.side == "black"
    assert [len(hand.cards) for hand in shared.seats] == [2, 0]
    assert [len(hand.other_side) for hand in shared.seats] == [1, 0]
    assert [len(hand.unclear) for hand in shared.seats] == [0, 1]
    assert (len(shared.heap), len(shared.heap_unclear)) == (6, 1)
    assert [len(hand.cards) for hand in share_out(Reading(cards, ()), ring, "white").seats] == [1, 0]


@pytest.mark.parametrize(("side", "doubts"), [(None, 1), ("white", 1), ("black", 0)])
def test_a_hidden_card_of_the_side_that_is_not_played_leaves_no_doubt(side: str | None, doubts: int) -> None:
    cards = (card(0, "white", 400, 480), card(1, "white", 440, 490), card(2, "black", 300, 480))
    shared = share_out(Reading(cards, (unclear(310, 480, side),)), SeatRing(RECTANGLE, 2), None)
    assert [len(hand.unclear) for hand in shared.seats] == [doubts, 0]
