"""Decks of prints that nobody framed: drawn cards on a drawn table, read by their faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.decks.finding import find_print_deck
from simulation.lesson import lesson_picture
from tests.support.drawn_clowns import CARD_MM, clown
from tests.support.drawn_columns import SCALE, SIZE, as_seen, grained_table, lay_column
from tests.support.drawn_suits import CARD_MM as SUITS_MM
from tests.support.drawn_suits import black_six
from tests.support.flat_cards import flat_table
from vision.prints.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.prints.reader import PrintReader, PrintReading
from vision.prints.straight import Pyramid
from vision.prints.verdict import SURE, confidence_of

Image = NDArray[np.uint8]

_COLOURS = {"red": (40, 40, 200), "blue": (190, 90, 30), "green": (60, 150, 50), "yellow": (40, 200, 230)}


def _face(colour: str, symbol: str) -> Image:
    """A pale card of 56 × 87 mm with a coloured symbol and two small ones in its corners: no frame, no border."""
    art = np.full((174, 112, 3), (225, 235, 240), np.uint8)
    for centre, radius in (((56, 87), 34), ((16, 18), 9), ((96, 156), 9)):
        if symbol == "ring":
            cv2.circle(art, centre, radius, _COLOURS[colour], max(3, radius // 3), cv2.LINE_AA)
        elif symbol == "disc":
            cv2.circle(art, centre, radius, _COLOURS[colour], -1, cv2.LINE_AA)
        else:
            x, y = centre
            points = np.array([[x, y - radius], [x + radius, y + radius], [x - radius, y + radius]])
            cv2.fillPoly(art, [points], _COLOURS[colour], cv2.LINE_AA)
    return art


@cache
def _deck() -> PrintDeck:
    faces = [
        Print(f"{colour}-{symbol}", "front", {"colour": colour}, _face(colour, symbol))
        for colour in _COLOURS
        for symbol in ("ring", "disc", "tent")
    ]
    back = np.full((174, 112, 3), (90, 60, 50), np.uint8)
    back[::12] = (200, 190, 180)
    return PrintDeck("drawn", (56.0, 87.0), (*faces, Print("back", "back", {}, back)))


@cache
def _reader(taught: tuple[str, ...] | None = None) -> PrintReader:
    deck = _deck()
    faces = deck.faces if taught is None else tuple(face for face in deck.faces if face.id in taught)
    return PrintReader(PrintDeck(deck.name, deck.card_mm, faces))


def _lay(image: Image, face: str | Image, at_mm: tuple[float, float], degrees: float) -> None:
    art = _deck().by_id[face].art if isinstance(face, str) else face
    height, width = art.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, SCALE / ART_PX_PER_MM)
    matrix[:, 2] += np.array(at_mm) * SCALE - (width / 2, height / 2)
    card = cv2.warpAffine(art, matrix, SIZE, flags=cv2.INTER_AREA)
    there = cv2.warpAffine(np.full((height, width), 255, np.uint8), matrix, SIZE)
    shadow = cv2.GaussianBlur(there, (9, 9), 3)[..., None] / 255 * 0.25
    image[:] = np.where(there[..., None] > 127, card, image * (1 - shadow)).astype(np.uint8)


def _named(reading: PrintReading) -> dict[str, tuple[float, float]]:
    return {card.face.id: card.centre_mm for card in reading.cards if card.face and card.centre_mm}


_LAID = (("red-ring", (90, 90), 20), ("blue-tent", (260, 110), -75), ("yellow-disc", (440, 100), 170))


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5)], ids=["day", "dim"])
def test_cards_apart_are_named_with_their_places(light: tuple[float, float, float]) -> None:
    image, table = grained_table()
    for face, at, turn in _LAID:
        _lay(image, face, at, turn)
    named = _named(_reader().read(as_seen(image, light), table))
    assert named.keys() == {"red-ring", "blue-tent", "yellow-disc"}
    for face, at, _ in _LAID:
        assert np.hypot(*np.subtract(named[face], at)) < 2


@pytest.mark.parametrize("light", [(0.42, 0.5, 0.62), (0.6, 0.5, 0.42), (0.9, 0.8, 0.55)], ids=["warm", "blue", "cyan"])
def test_under_a_lamp_whose_colour_nothing_tells_the_cards_own_ground_tells_it(
    light: tuple[float, float, float],
) -> None:
    image, table = grained_table()
    for face, at, turn in _LAID:
        _lay(image, face, at, turn)
    reading = _reader().read(as_seen(image, light), table)
    assert _named(reading).keys() == {face for face, _, _ in _LAID}
    assert len(reading.cards) + len(reading.unclear) == len(_LAID)


def test_cards_are_named_amid_more_of_another_deck_where_nothing_tells_how_large_they_are() -> None:
    image, _ = grained_table()
    _lay(image, "red-ring", (150, 180), 3)
    _lay(image, "blue-tent", (330, 190), -4)
    for k in range(8):
        x, y = 60 + 110 * k, 40 + 12 * (k % 2)
        cv2.rectangle(image, (x, y), (x + 60, y + 84), (235, 240, 240), -1)
        cv2.circle(image, (x + 30, y + 42), 14, (40, 120, 120), 3)
    deck = _reader().deck
    reading = PrintReader(PrintDeck(deck.name, deck.card_mm, deck.faces, has_true_size=False)).read(as_seen(image))
    assert {card.face.id for card in reading.cards if card.face} == {"red-ring", "blue-tent"}


def test_the_corners_begin_at_the_faces_own_top_left() -> None:
    image, table = grained_table()
    _lay(image, "green-tent", (200, 150), 0)
    _lay(image, "blue-tent", (400, 150), 180)
    upright = {card.face.id: card.corners_px[0] for card in _reader().read(as_seen(image), table).cards if card.face}
    assert np.abs(upright["green-tent"] - np.array([172, 106.5]) * SCALE).max() < 4
    assert np.abs(upright["blue-tent"] - np.array([428, 193.5]) * SCALE).max() < 4


def test_a_card_half_under_another_is_named_or_unclear_but_never_another_face() -> None:
    image, table = grained_table()
    _lay(image, "green-ring", (200, 150), 10)
    _lay(image, "red-disc", (235, 165), 35)
    named = _named(_reader().read(as_seen(image), table))
    assert "red-disc" in named and named.keys() <= {"red-disc", "green-ring"}


@pytest.mark.parametrize("face", ["red-disc", "blue-tent"])
def test_a_hand_across_a_card_is_no_proof_against_what_is_seen_of_it(face: str) -> None:
    image, table = grained_table()
    _lay(image, face, (200, 150), 0)
    hand = np.array([[150, 120], [187, 110], [193, 150], [187, 200], [150, 200]]) * SCALE
    cv2.fillPoly(image, [hand.astype(np.int32)], (120, 150, 205), cv2.LINE_AA)
    assert _named(_reader().read(as_seen(image), table)).keys() == {face}
    corners = np.array([[172, 106.5], [228, 106.5], [228, 193.5], [172, 193.5]]) * SCALE
    picture, verifier = Pyramid(as_seen(image)), _reader().verifier
    verdict = verifier.judge(picture, corners, verifier.ranker.scores(picture, corners[None], None)[0], None)
    assert verdict is not None and verdict.strange.mean() > 0.2
    assert verdict.evidence() == pytest.approx(verdict.evidence(~verdict.strange))


@pytest.mark.parametrize("aside_mm", [(0, 0, 0, 0, 0, 0), (0, 5, 1, -4, 2, -3)], ids=["straight", "by eye"])
@pytest.mark.parametrize("strip_mm", [14, 24])
def test_all_cards_of_a_column_are_named_of_which_only_strips_show(strip_mm: float, aside_mm: Sequence[float]) -> None:
    deck = find_print_deck("coloretto")
    image, table = grained_table()
    laid = ("green", "red", "joker", "blue", "plus2", "red")
    lay_column(image, deck, laid, strip_mm, aside_mm)
    reading = PrintReader(deck).read(as_seen(image), table)
    found = sorted((card.centre_mm[1], card.face.id) for card in reading.cards if card.face and card.centre_mm)
    assert [face for _, face in found] == list(laid)
    assert reading.unclear == ()


def test_a_column_is_read_on_wood_whose_grain_has_hundreds_of_edges_longer_than_a_cards() -> None:
    deck = find_print_deck("coloretto")
    image, table = grained_table()
    luck = np.random.default_rng(8)
    for _ in range(900):
        x, y, long, drop = (int(luck.integers(*span)) for span in ((-100, 800), (0, 640), (130, 260), (-3, 4)))
        shade = (np.array([70.0, 95, 130]) - luck.integers(8, 22)).tolist()
        cv2.line(image, (x, y), (x + long, y + drop), shade, 2, cv2.LINE_AA)
    laid = ("green", "red", "joker", "blue")
    lay_column(image, deck, laid, 20, (0, 3, 0, -2))
    reading = PrintReader(deck).read(as_seen(image), table)
    found = sorted((card.centre_mm[1], card.face.id) for card in reading.cards if card.face and card.centre_mm)
    assert [face for _, face in found] == list(laid)


def test_a_card_of_a_column_that_nobody_can_read_is_said_and_hides_none_below_it() -> None:
    deck = find_print_deck("coloretto")
    image, table = grained_table()
    blank = replace(deck.by_id["blue"], id="blank", art=np.full_like(deck.by_id["blue"].art, (190, 170, 175)))
    laid = ("green", "red", "blank", "yellow", "pink")
    lay_column(image, replace(deck, faces=(*deck.faces, blank)), laid, 20, (0, 3, 0, -2, 1))
    reading = PrintReader(deck).read(as_seen(image), table)
    found = sorted((card.centre_mm[1], card.face.id) for card in reading.cards if card.face and card.centre_mm)
    assert [face for _, face in found] == ["green", "red", "yellow", "pink"]
    assert [card.reason for card in reading.unclear] == ["covered"]


def test_between_two_cards_that_lie_side_by_side_on_grained_wood_nothing_is_said_to_stick_out() -> None:
    clowns = {f"{colour}-{happy}": clown(colour, happy=happy) for colour in ("red", "blue") for happy in (True, False)}
    deck = PrintDeck("clowns", CARD_MM, tuple(Print(name, "front", {}, art) for name, art in clowns.items()))
    art = list(clowns.values())
    reading = PrintReader(deck).read(lesson_picture(art[::-1], CARD_MM, 5, (800, 450)))
    assert len(reading.cards) == len(art)
    assert reading.unclear == ()


@pytest.mark.parametrize("shadow", [170, None], ids=["with a shadow", "white on white"])
def test_cards_of_a_large_deck_are_named_by_the_sign_in_the_one_corner_that_shows(shadow: int | None) -> None:
    deck = find_print_deck("everdeck")
    table = flat_table((1200, 900), 3.0)
    image = np.full((900, 1200, 3), (60, 85, 70), np.uint8)
    laid = ("3-crown", "9-heart", "2-spade", "7-coin", "K-moon")
    for k, (face, aside) in enumerate(zip(laid, (0, 18, -12, 15, -9), strict=True)):
        width, height = (round(side * 3.0) for side in deck.card_mm)
        left, top = 300 + aside, 150 + 66 * k
        image[top : top + height, left : left + width] = cv2.resize(
            deck.by_id[face].art, (width, height), interpolation=cv2.INTER_AREA
        )
        if shadow is not None:
            cv2.rectangle(image, (left, top), (left + width, top + height), (shadow, shadow, shadow), 1)
    reading = PrintReader(deck).read(as_seen(image), table)
    found = sorted((card.centre_mm[1], card.face.id) for card in reading.cards if card.face and card.centre_mm)
    assert [face for _, face in found] == list(laid)


def test_faces_that_count_alike_need_not_be_told_apart() -> None:
    """Ranks that the camera cannot see: what a card counts as is certain, which one it is is not said to be."""
    deck = _deck()
    faces = tuple(
        Print(f"{rank}-{face.id}", "front", {"suit": face.id, "rank": rank}, face.art)
        for face in deck.faces[:3]
        for rank in "12"
    )
    image, table = grained_table()
    _lay(image, deck.faces[0].art, (90, 90), 20)
    seen = as_seen(image)
    by_face = PrintReader(PrintDeck("ranks", deck.card_mm, faces)).read(seen, table)
    assert (len(by_face.cards), len(by_face.unclear)) == (0, 1)
    by_suit = PrintReader(PrintDeck("ranks", deck.card_mm, faces, told_by=("suit",))).read(seen, table)
    (card,) = by_suit.cards
    assert card.face is not None and card.face.attributes["suit"] == deck.faces[0].id
    assert card.confidence < confidence_of(SURE)
    # Where nothing is to be told apart, there are cards all the same.
    alike = tuple(replace(face, attributes={"suit": "any"}) for face in faces)
    assert len(PrintReader(PrintDeck("ranks", deck.card_mm, alike, told_by=("suit",))).read(seen, table).cards) == 1


def test_suits_are_told_in_a_column_that_the_camera_sees_from_afar() -> None:
    deck = replace(find_print_deck("everdeck"), told_by=("kind", "colour"))
    image, table = grained_table()
    laid = ("3-crown", "9-heart", "2-spade", "7-coin", "4-moon")
    lay_column(image, deck, laid, 22, (0, 2, -1, 1, 0))
    reading = PrintReader(deck).read(as_seen(image), table)
    found = sorted(
        (card.centre_mm[1], card.face.attributes["suit"]) for card in reading.cards if card.face and card.centre_mm
    )
    assert [suit for _, suit in found] == ["crown", "heart", "spade", "coin", "moon"]


def test_what_lies_under_a_card_that_a_faint_reflection_has_washed_out_is_read() -> None:
    deck = find_print_deck("everdeck")
    image, table = grained_table()
    lay_column(image, deck, ("3-crown", "9-heart", "2-spade", "7-coin"), 22, (0, 2, -1, 1))
    box = np.s_[round(116 * SCALE) : round(206 * SCALE), round(140 * SCALE) : round(280 * SCALE)]
    image[box] = np.asarray(0.45 * image[box] + 0.55 * 215, np.uint8)
    reading = PrintReader(deck).read(as_seen(image), table)
    assert {card.face.id for card in reading.cards if card.face} >= {"3-crown", "9-heart", "2-spade"}


def test_a_card_that_the_deck_does_not_know_is_not_given_the_nearest_face() -> None:
    image, table = grained_table()
    _lay(image, "red-ring", (90, 90), 20)
    _lay(image, "green-tent", (300, 110), -30)
    reader = _reader(("red-ring", "red-disc", "blue-ring", "yellow-tent"))
    reading = reader.read(as_seen(image), table)
    assert _named(reading).keys() == {"red-ring"}
    doubtful = [card.centre_mm for card in reading.unclear if card.centre_mm]
    assert [at for at in doubtful if np.hypot(*np.subtract(at, (300, 110))) < 5]


def test_a_black_six_that_was_never_taught_does_not_pass_for_the_other_one() -> None:
    """The shape of the marks alone tells them apart, and none of it by much."""
    six, other = (
        np.asarray(np.rint(255 * black_six(clubs=clubs, cells_per_mm=ART_PX_PER_MM)), np.uint8)
        for clubs in (True, False)
    )
    two = six.copy()
    two[:60], two[120:] = 230, 230
    taught = tuple(Print(name, "front", {}, art) for name, art in (("six", six), ("two", two)))
    reader = PrintReader(PrintDeck("sixes", SUITS_MM, taught))
    image, table = grained_table()
    _lay(image, six, (100, 90), 20)
    _lay(image, other, (300, 110), -30)
    reading = reader.read(as_seen(image), table)
    assert _named(reading).keys() == {"six"}
    assert len(reading.cards) == 1 and len(reading.unclear) == 1


def test_an_empty_table_shows_no_card() -> None:
    image, table = grained_table()
    reading = _reader().read(as_seen(image), table)
    assert not reading.cards and not reading.unclear


def test_a_picture_smaller_than_a_card_is_read_as_empty() -> None:
    reading = _reader().read(np.zeros((20, 30, 3), np.uint8))
    assert not reading.cards and not reading.unclear


def test_cards_are_read_by_their_outlines_alone_where_nothing_tells_the_scale() -> None:
    image, _ = grained_table()
    for face, at, turn in (*_LAID, ("green-disc", (300, 300), 45), ("red-tent", (480, 290), 5)):
        _lay(image, face, at, turn)
    reading = _reader().read(as_seen(image))
    faces = {card.face.id for card in reading.cards if card.face}
    assert faces == {"red-ring", "blue-tent", "yellow-disc", "green-disc", "red-tent"}
    assert all(card.centre_mm is None for card in reading.cards)
