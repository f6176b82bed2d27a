"""A hand is certain only where the picture could have shown each of its cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.commands import main
from referee.scoring.seated_reading import SeatedReader, SeatedReading
from referee.scoring.seats import Sharing, share_out
from referee.scoring.unseen_cards import UnseenCards
from simulation.still import table_picture
from simulation.view import Look
from vision.deck import Deck
from vision.image import load_image
from vision.quads import enlarged
from vision.reading import Card, reasons_of

Image = NDArray[np.uint8]

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def table() -> Image:
    return load_image(DATA / "tables" / "confetti-three-seats.jpg")


def shared(image: Image, deck: Deck, players: int = 3) -> Sharing:
    seated = UnseenCards(deck).doubt(image, SeatedReader(deck, None, players).read(image))
    return share_out(seated.reading, seated.ring, None)


def reasons(sharing: Sharing) -> list[set[str]]:
    return [set(reasons_of(hand.unclear)) for hand in sharing.seats]


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda image: image * 0.06, "darkness"),
        (lambda image: np.minimum(image * 4.0, 255), "light"),
        (lambda image: cv2.GaussianBlur(image, (0, 0), 4), "blur"),
        (lambda image: image * 0.25 + 130.0, "blur"),
    ],
)
def test_a_picture_that_shows_too_little_is_doubted_at_every_seat(
    alter: Callable[[Image], NDArray[np.floating]], reason: str, table: Image, deck: Deck
) -> None:
    found = reasons(shared(np.asarray(alter(table), np.uint8), deck))
    assert all(found)
    assert reason in set.union(*found)


def test_where_even_the_markers_black_is_bright_every_seat_is_doubted(deck: Deck) -> None:
    image, _ = table_picture(deck, 6, seed=4, size=(960, 540), side="black", look=Look("plain"))
    assert all("light" not in found for found in reasons(shared(image, deck)))
    light = (image / 255.0) ** 2.2 * 4.0
    bright = np.asarray(255 * np.minimum(light + 0.2, 1) ** (1 / 2.2), np.uint8)
    assert all("light" in found for found in reasons(shared(bright, deck)))


def test_a_card_with_a_thing_on_it_is_doubted_at_its_seat(table: Image, deck: Deck) -> None:
    seated = SeatedReader(deck, None, 3).read(table)
    first = next(card for card in seated.reading.cards if card.centre_mm and seated.ring.seat_at(card.centre_mm) == 0)
    thing = enlarged(first.corners_px[None], 0.7)[0]
    covered = cv2.fillConvexPoly(table.copy(), np.rint(thing).astype(np.int32), (160, 60, 40))
    assert reasons(shared(np.asarray(covered, np.uint8), deck)) == [{"thing"}, set(), set()]


def test_an_arm_over_the_table_is_doubted_however_far_from_cards_it_is(table: Image, deck: Deck) -> None:
    arm = cv2.rectangle(table.copy(), (1270, 560), (1600, 700), (60, 130, 40), -1)
    assert {"thing"} in reasons(shared(np.asarray(arm, np.uint8), deck))


@pytest.mark.parametrize(
    "look", [Look("checked"), Look("cloth", gradient=0.6), Look("white"), Look("plain", noise=6.0)]
)
def test_no_table_is_taken_for_a_thing_that_lies_on_it(look: Look, deck: Deck) -> None:
    image, _ = table_picture(deck, 8, seed=4, size=(1280, 720), look=look)
    for found in reasons(shared(image, deck)):
        assert found <= {"covered", "between"}


@pytest.mark.parametrize(("off_mm", "first"), [(-10.0, set()), (0.3, {"apart"}), (10.0, set())])
def test_a_card_where_a_seat_ends_and_the_middle_begins_is_doubted_there(
    off_mm: float, first: set[str], table: Image, deck: Deck
) -> None:
    seated = SeatedReader(deck, None, 3).read(table)
    corner, next_corner, _, last_corner = seated.ring.corners_mm
    inward = (last_corner - corner) / np.linalg.norm(last_corner - corner)
    # From the middle of the first seat's edge.
    place = (corner + next_corner) / 2 + (seated.ring.reach_mm + off_mm) * inward
    assert with_first_card_at(place, seated, table, deck) == [first, set(), set()]


def test_a_card_on_the_border_of_two_seats_is_doubted_at_both(table: Image, deck: Deck) -> None:
    seated = SeatedReader(deck, None, 3).read(table)
    first, second = seated.ring.part_of(0)[-1], seated.ring.part_of(1)[-1]
    place = first + 0.5 * (second - first) / np.linalg.norm(second - first)
    assert with_first_card_at(place, seated, table, deck) == [{"between"}, {"between"}, set()]


def test_a_covered_card_near_a_border_is_doubted_at_both_seats(table: Image, deck: Deck) -> None:
    seated = SeatedReader(deck, None, 3).read(table)
    first = seated.ring.part_of(0)[-1]
    inward = seated.ring.corners_mm.mean(0) - first
    along = seated.ring.part_of(0)[-2] - first
    x, y = first + 10.0 * inward / np.linalg.norm(inward) + 10.0 * along / np.linalg.norm(along)
    corners = seated.reading.cards[0].corners_px
    hidden = Card(None, 0.0, corners, (float(x), float(y)), "covered")
    seen = replace(seated.reading, unclear=(hidden,))
    doubted = UnseenCards(deck).doubt(table, replace(seated, reading=seen))
    assert reasons(share_out(doubted.reading, doubted.ring, None)) == [{"covered"}, {"between"}, set()]


def with_first_card_at(place: NDArray[np.float64], seated: SeatedReading, table: Image, deck: Deck) -> list[set[str]]:
    card, *others = seated.reading.cards
    moved = (replace(card, centre_mm=(float(place[0]), float(place[1]))), *others)
    doubted = UnseenCards(deck).doubt(table, replace(seated, reading=replace(seated.reading, cards=moved)))
    return reasons(share_out(doubted.reading, doubted.ring, None))


def test_the_sentence_names_the_cause_and_what_to_do(
    tmp_path: Path, table: Image, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "dark.png"), np.asarray(table * 0.05, np.uint8))
    assert main(["score", "confetti", "--image", str(tmp_path / "dark.png"), "--players", "3"]) == 0
    said = capsys.readouterr().out.splitlines()[:3]
    assert all("it is too dark there to see every card, make more light" in line for line in said)
