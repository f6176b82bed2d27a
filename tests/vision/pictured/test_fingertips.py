"""A fingertip across the edge of a pile's top: at a ring the card is read all the same, never the one beneath."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import SKINS, Floats, Image, PileTable, bare, hand, photographed, piccolino, pile
from vision.pictured.picture_reader import PictureReader
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.piles import PileReader
from vision.piles.pile_watch import MOST_SEARCHED, PileWatch
from vision.piles.sights import PilePlace, PileSight

SIZE = (1280, 720)
PLACE = (0.0, 40.0, 12.0)
BENEATH = "red-happy"
FITTER = FaceFitter(FaceReader(piccolino()))
CAMERA = PileTable(SIZE)
MS = 1_000_000


class CountingReader(PileReader):
    """Counts the searches that take long."""

    def __init__(self, places: list[PilePlace]) -> None:
        super().__init__(piccolino(), CAMERA.table, SIZE, places, FITTER)
        self.searched: list[int] = []

    def read_part(self, image_bgr: Image, number: int) -> PileSight | None:
        self.searched.append(number)
        return super().read_part(image_bgr, number)


def watch() -> tuple[PileWatch, CountingReader]:
    reader = CountingReader([PilePlace(0, centre_mm=PLACE[:2])])
    return PileWatch(reader), reader


def table(*names: str) -> tuple[Image, Floats]:
    """A pile with the named cards on top, and the highest one's corners, px."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    return image, pile(np.random.default_rng(2), image, CAMERA, PLACE, [*names], 5)


def touched(face: str, side: int, in_mm: float = 2.0) -> Image:
    """A pile on which `face` has been laid, with a fingertip across one side of it, `in_mm` far."""
    image, corners = table(BENEATH, face)
    scale = SIZE[0] / 900
    edge = (corners[side] + corners[(side + 1) % 4]) / 2
    inwards = (corners.mean(axis=0) - edge) / np.linalg.norm(corners.mean(axis=0) - edge)
    tip, root = (np.rint(edge + inwards * mm * scale).astype(int) for mm in (in_mm, -300.0))
    skin = SKINS[side % len(SKINS)]
    cv2.line(image, (tip[0], tip[1]), (root[0], root[1]), skin, round(15 * scale), cv2.LINE_AA)
    return photographed(np.random.default_rng(3), image, 0.3)


@pytest.mark.parametrize("face", ["red-sad", "yellow-happy"])
def test_a_ring_is_never_ruled_on_the_card_beneath_the_one_that_a_finger_touches(face: str) -> None:
    seen = []
    for side in range(4):
        piles, _ = watch()
        piles.look(table(BENEATH)[0], 0)
        image = touched(face, side)
        piles.look(image, 33 * MS)
        seen.append(piles.states[0].kind)
        piles.look_closely(image)
        (state,) = piles.states
        assert state.top is not None
        assert state.top.face == tuple(face.split("-"))
        assert (state.first_ns, state.before_ns) == (33 * MS, 0)
    # Else there would be nothing to look closely for.
    assert "covered" in seen or face == "green-sad"


def test_what_is_known_by_a_close_look_stays_while_nothing_moves_and_is_searched_but_once() -> None:
    piles, reader = watch()
    piles.look(table(BENEATH)[0], 0)
    image = touched("red-sad", 2)
    piles.look(image, 33 * MS)
    assert reader.searched == []
    (change,) = piles.look_closely(image)
    assert (change.t_ns, change.after.sight.face) == (33 * MS, ("red", "sad"))
    assert piles.look_closely(image) == ()
    assert piles.look(image, 66 * MS) == ()
    assert (piles.states[0].kind, reader.searched) == ("face", [0])


def test_a_hand_that_proves_no_card_is_searched_once_and_leaves_what_was_known() -> None:
    piles, reader = watch()
    piles.look(table(BENEATH)[0], 0)
    image = touched("red-sad", 2, in_mm=60.0)
    for frame in range(1, 4):
        piles.look(image, frame * 33 * MS)
        assert piles.look_closely(image) == ()
    assert reader.searched == [0]
    assert (piles.states[0].kind, piles.states[0].sight.face) == ("covered", None)


def test_a_card_that_stays_unclear_is_searched_at_a_ring_as_well() -> None:
    class Doubting(CountingReader):
        def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
            return replace(super().read_place(image_bgr, number, moves=moves), kind="unclear", reason="colours")

    piles = PileWatch(Doubting([PilePlace(0, centre_mm=PLACE[:2])]))
    image = touched("blue-sad", 1)
    piles.look(image, 33 * MS)
    assert [state.kind for state in piles.states] == ["unclear"]
    (change,) = piles.look_closely(image)
    assert change.after.sight.face == ("blue", "sad")


def test_however_many_piles_are_covered_a_ring_waits_for_few_searches() -> None:
    places = [PilePlace(seat, centre_mm=(-300.0 + 200 * seat, 40.0)) for seat in range(4)]
    reader = CountingReader(places)
    piles = PileWatch(reader)
    random = np.random.default_rng(5)
    image = random.integers(0, 256, (SIZE[1], SIZE[0], 3)).astype(np.uint8)
    piles.look(image, 0)
    assert [state.kind for state in piles.states] == ["covered"] * 4
    piles.look_closely(image)
    assert len(reader.searched) == MOST_SEARCHED


def test_before_the_first_picture_there_is_nothing_to_look_at_closely() -> None:
    piles, reader = watch()
    assert piles.look_closely(table(BENEATH)[0]) == ()
    assert reader.searched == []


@pytest.mark.parametrize("face", ["back", "purple-happy", "pink-sad"])
def test_a_single_picture_tells_a_card_under_a_fingertip(face: str) -> None:
    reader = PictureReader(piccolino())
    for side in range(4):
        image = touched(face, side, in_mm=6.0)
        reading = reader.read(image, CAMERA.table)
        told = [card.face.id if card.face else "back" for card in reading.cards]
        assert (told, reading.unclear) == ([face], ())


def reached_over(face: str, side: int, in_mm: float, skin_seed: int) -> Image:
    """A pile with a whole hand over one side of its top, its fingertips `in_mm` beyond the card's edge."""
    image, corners = table(BENEATH, face)
    edge, middle = (corners[side] + corners[(side + 1) % 4]) / 2, corners.mean(axis=0)
    inwards = (middle - edge) / np.linalg.norm(middle - edge)
    tip = edge + inwards * in_mm * SIZE[0] / 900
    hand(np.random.default_rng(skin_seed), image, tip, float(np.arctan2(*(-inwards)[::-1])))
    return photographed(np.random.default_rng(3), image, 0.3)


@pytest.mark.parametrize("face", ["back", "purple-sad", "yellow-happy"])
def test_a_single_picture_tells_a_card_of_which_a_hand_covers_a_third(face: str) -> None:
    reader = PictureReader(piccolino())
    for side in (1, 3):
        reading = reader.read(reached_over(face, side, 22.0, side), CAMERA.table)
        assert [card.face.id if card.face else "back" for card in reading.cards] == [face]


@pytest.mark.parametrize(
    ("face", "nearest_mm"),
    [("purple-sad", 50.0), ("pink-happy", 65.0), ("pink-sad", 35.0)],
)
def test_however_far_a_hand_covers_a_card_nothing_else_is_told(face: str, nearest_mm: float) -> None:
    reader = PictureReader(piccolino())
    for side in range(4):
        in_mm = 35.0 + (nearest_mm - 35.0 + 15.0 * side) % 45.0
        reading = reader.read(reached_over(face, side, in_mm, side), CAMERA.table)
        assert {card.face.id if card.face else "back" for card in reading.cards} <= {face}


def test_where_hat_and_mouth_are_hidden_a_mood_is_not_told() -> None:
    reading = PictureReader(piccolino()).read(reached_over("green-happy", 0, 68.0, 1), CAMERA.table)
    assert reading.cards == ()
