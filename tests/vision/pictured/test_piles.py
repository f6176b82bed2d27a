"""What lies open on piles: faces, backs, bare table, hands, and cards in mid-turn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import (
    Floats,
    Image,
    PileTable,
    bare,
    card_corners,
    hand,
    lay,
    photographed,
    piccolino,
    pile,
    pile_scene,
    shrunk,
)
from vision.pictured.card_frame import frame_corners
from vision.pictured.picture_reader import PictureReader
from vision.pictured.piles import PileReader
from vision.piles.sights import PilePlace
from vision.table import Table

SIZE = (1280, 720)
PLACE = (0.0, 40.0, 12.0)
DIAGONAL_MM = float(np.hypot(63, 88))


@pytest.fixture(scope="module")
def camera() -> PileTable:
    return PileTable(SIZE)


@pytest.fixture(scope="module")
def reader(camera: PileTable) -> PileReader:
    return PileReader(piccolino(), camera.table, SIZE, [PilePlace(0, centre_mm=PLACE[:2])])


def with_pile(camera: PileTable, names: list[str], under: int = 5, seed: int = 1) -> tuple[Image, Floats]:
    random = np.random.default_rng(seed)
    image = bare(random, camera, 0)
    corners = pile(random, image, camera, PLACE, names, under)
    return image, corners


@pytest.mark.parametrize("face", [face.id for face in piccolino().fronts])
def test_every_face_is_read_on_a_high_pile(camera: PileTable, reader: PileReader, face: str) -> None:
    image, corners = with_pile(camera, ["red-happy", "back", "green-sad", face], under=50)
    (sight,) = reader.read(photographed(np.random.default_rng(2), image, 0.5))
    assert (sight.kind, f"{sight.colour}-{sight.mood}") == ("face", face)
    assert sight.face == (sight.colour, sight.mood)
    assert sight.confidence > 0.97
    assert sight.corners_px == pytest.approx(corners, abs=2.5)


@pytest.mark.parametrize(
    ("face", "corner"), [("blue-happy", 1), ("red-sad", 1), ("yellow-happy", 3), ("green-happy", 3)]
)
def test_a_reflection_over_a_frames_corner_makes_no_card_crooked(
    camera: PileTable, reader: PileReader, face: str, corner: int
) -> None:
    image, corners = with_pile(camera, [face])
    frame = frame_corners(piccolino(), corners)
    here = frame[corner]
    one, other = ((frame[(corner + way) % 4] - here) for way in (-1, 1))
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    spot = [here + 44 * one - 3 * other, here + 18 * other - 3 * one, here - 3 * one - 3 * other]
    cv2.fillConvexPoly(image, np.rint(spot).astype(np.int32), (250, 250, 250), cv2.LINE_AA)
    (sight,) = reader.read(photographed(np.random.default_rng(2), image, 0.3))
    assert (sight.kind, f"{sight.colour}-{sight.mood}") == ("face", face)
    assert sight.corners_px == pytest.approx(corners, abs=3.0)


def test_backs_and_bare_table_are_told(camera: PileTable, reader: PileReader) -> None:
    image, _ = with_pile(camera, ["red-happy", "back"])
    (sight,) = reader.read(image)
    assert (sight.kind, sight.colour, sight.mood, sight.face) == ("back", None, None, None)
    for kind in range(5):
        (sight,) = reader.read(bare(np.random.default_rng(3), camera, kind))
        assert (sight.kind, sight.face) == ("empty", None)


@pytest.mark.parametrize("towards", [0.0, 2.0, 4.0])
def test_a_hand_over_the_pile_gives_no_face(camera: PileTable, reader: PileReader, towards: float) -> None:
    image, corners = with_pile(camera, ["blue-happy"])
    beyond = np.array([np.cos(towards), np.sin(towards)]) * 45
    hand(np.random.default_rng(4), image, corners.mean(axis=0) - beyond, towards)
    (sight,) = reader.read(image)
    assert sight.kind in ("covered", "unclear")
    assert sight.face is None
    assert sight.reason is not None


def test_a_card_in_mid_turn_is_no_face_yet(camera: PileTable, reader: PileReader) -> None:
    for lift in (25.0, 60.0):
        image, _ = with_pile(camera, ["back"])
        raised = camera.to_px(card_corners(PLACE, 2.0, np.array([0.0, lift, lift, 0.0])))
        lay(image, shrunk("green-happy", 1.4), raised)
        (sight,) = reader.read(image)
        assert sight.kind in ("turning", "unclear", "covered")
        assert sight.face is None


def test_a_card_held_well_over_the_pile_is_turning(camera: PileTable, reader: PileReader) -> None:
    image, _ = with_pile(camera, ["back"])
    lay(image, shrunk("green-happy", 1.8), camera.to_px(card_corners(PLACE, 120.0)))
    (sight,) = reader.read(image)
    assert sight.kind == "turning"


def test_without_a_table_the_scale_at_the_place_is_enough(camera: PileTable) -> None:
    image, corners = with_pile(camera, ["pink-sad"])
    middle = corners.mean(axis=0)
    place = PilePlace(3, centre_px=(float(middle[0]) + 15, float(middle[1]) - 10), px_per_mm=1.42)
    (sight,) = PileReader(piccolino(), None, SIZE, [place]).read(image)
    assert (sight.seat, sight.kind, sight.face) == (3, "face", ("pink", "sad"))


def test_only_the_seats_asked_for_are_read(camera: PileTable) -> None:
    image, _ = with_pile(camera, ["pink-sad"])
    places = [PilePlace(seat, centre_mm=(-300.0 + 150 * seat, 40.0)) for seat in range(4)]
    reader = PileReader(piccolino(), camera.table, SIZE, places)
    assert [sight.seat for sight in reader.read(image, seats={1, 3})] == [1, 3]
    assert [sight.kind for sight in reader.read(image)] == ["empty", "empty", "face", "empty"]


def test_places_at_or_beyond_the_pictures_edge(camera: PileTable) -> None:
    image, _ = with_pile(camera, ["pink-sad"])
    for centre in ((-450.0, 0.0), (2000.0, 0.0), (0.0, -900.0)):
        (sight,) = PileReader(piccolino(), camera.table, SIZE, [PilePlace(0, centre_mm=centre)]).read(image)
        assert sight.face is None


def test_a_place_that_nothing_tells_is_refused(camera: PileTable) -> None:
    with pytest.raises(ValueError, match="seat 2"):
        PileReader(piccolino(), None, SIZE, [PilePlace(2, centre_mm=(0.0, 0.0))])


@pytest.mark.parametrize("hard", [0.3, 0.8])
def test_untidy_piles_under_any_lamp_are_read_right(hard: float) -> None:
    whole = PictureReader(piccolino())
    wrong, right = [], 0
    open_to_see = 0
    for seed in range(2):
        image, camera, truth = pile_scene(seed, hard, hands=seed % 2)
        open_to_see += sum(top.hidden == 0 for top in truth)
        reading = whole.read(image, camera.table)
        for top in truth:
            for card in (*reading.cards, *reading.unclear):
                if np.linalg.norm(card.corners_px.mean(axis=0) - top.corners_px.mean(axis=0)) < 12:
                    right += card.reason is None and (card.face and card.face.id) == (top.face or "back")
                    if card.reason is None and (card.face and card.face.id) != (top.face or "back"):
                        wrong.append((seed, top.face, card.face))
    assert wrong == []
    assert right >= open_to_see - 1


def test_piles_of_all_seats_are_read_with_and_without_a_table() -> None:
    for seed in (20, 21):
        image, camera, truth = pile_scene(seed, 0.2)
        discards = [top for top in truth if top.face is not None]
        for table in (camera.table, None):
            places = [place_of(top.seat, top.corners_px, table) for top in discards]
            sights = PileReader(piccolino(), table, SIZE, places).read(image)
            assert [f"{sight.colour}-{sight.mood}" for sight in sights] == [top.face for top in discards]


def place_of(seat: int, corners_px: Floats, table: Table | None) -> PilePlace:
    if table is not None:
        return PilePlace(seat, table.centre_mm(corners_px))
    x, y = corners_px.mean(axis=0).tolist()
    px_per_mm = float(np.linalg.norm(corners_px[0] - corners_px[2])) / DIAGONAL_MM
    return PilePlace(seat, centre_px=(x, y), px_per_mm=px_per_mm)


def test_tiny_and_blank_pictures_show_no_cards() -> None:
    whole = PictureReader(piccolino())
    for shape in ((30, 30, 3), (64, 64, 3), (240, 320, 3)):
        reading = whole.read(np.full(shape, 128, np.uint8))
        assert (reading.cards, reading.unclear) == ((), ())


def test_noise_and_stripes_show_no_cards(camera: PileTable) -> None:
    whole = PictureReader(piccolino())
    random = np.random.default_rng(7)
    noise = random.integers(0, 256, (360, 640, 3)).astype(np.uint8)
    stripes = np.ascontiguousarray(
        np.broadcast_to((np.arange(640) // 40 % 2 * 255).astype(np.uint8)[None, :, None], (360, 640, 3))
    )
    for image in (noise, stripes):
        reading = whole.read(np.asarray(cv2.resize(image, SIZE), np.uint8), camera.table)
        assert reading.cards == ()
