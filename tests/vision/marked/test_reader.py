"""Whole pictures: every card that lies open is read right, and nothing else is taken for a card."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulation.still import table_picture
from simulation.view import Look
from vision.deck import Deck, Mark
from vision.errors import BadTableError
from vision.image import load_image
from vision.marked.reader import read_picture, table_in
from vision.reading import Reading

Image = NDArray[np.uint8]

SCENES = Path(__file__).parents[2] / "data" / "scenes"
PHOTOS = SCENES.parent / "photos"
SIZE = (1280, 720)


def true_faces(truth: dict[str, Any], least_visible: float = 0.0) -> set[tuple[str, str]]:
    side = truth.get("up")
    return {(card["id"], side or card["side"]) for card in truth["cards"] if card["visible_fraction"] >= least_visible}


def read_faces(reading: Reading) -> set[tuple[str, str]]:
    return {(card.face.id, card.face.side) for card in reading.cards}


def nothing_wrong(reading: Reading, truth: dict[str, Any]) -> None:
    """Every card read lies on the table, and lies there: a card of which little shows, roughly."""
    assert len(read_faces(reading)) == len(reading.cards)
    assert read_faces(reading) <= true_faces(truth)
    known = {card["id"]: card for card in truth["cards"]}
    for card in reading.cards:
        corners = np.array(known[card.face.id]["corners_px"])
        slack = 0.03 if known[card.face.id]["visible_fraction"] > 0.6 else 0.12
        assert np.abs(card.corners_px - corners).max() < slack * np.linalg.norm(corners[1] - corners[2])


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("table", ["wood", "cloth", "plain", "checked", "white"])
def test_free_cards_are_all_read_on_any_table(deck: Deck, side: str, table: str) -> None:
    image, truth = table_picture(deck, 10, seed=12, size=SIZE, side=side, look=Look(table=table))
    reading, found = read_picture(image, deck)
    nothing_wrong(reading, truth)
    assert read_faces(reading) == true_faces(truth)
    assert reading.unclear == ()
    assert found is not None
    places = {card["id"]: card["center_mm"] for card in truth["cards"]}
    for card in reading.cards:
        # The drawn camera is turned a little against the table's own axes, so only the distance can be compared.
        assert card.centre_mm is not None
        assert math.hypot(*card.centre_mm) == pytest.approx(math.hypot(*places[card.face.id]), rel=0.01)


@pytest.mark.parametrize("size", [(960, 540), (3840, 2160)])
def test_small_and_large_pictures_are_read_alike(deck: Deck, size: tuple[int, int]) -> None:
    image, truth = table_picture(deck, 8, seed=12, size=size, look=Look(noise=0 if size[0] > 2000 else 2))
    reading, _ = read_picture(image, deck)
    nothing_wrong(reading, truth)
    assert read_faces(reading) == true_faces(truth)


@pytest.mark.parametrize("side", ["white", "black"])
def test_a_heap_is_read_where_it_lies_open_and_never_guessed(deck: Deck, side: str) -> None:
    image, truth = table_picture(deck, 14, seed=13, size=SIZE, side=side, overlap=True)
    reading, _ = read_picture(image, deck)
    nothing_wrong(reading, truth)
    assert read_faces(reading) >= true_faces(truth, 0.9)


CHECKED = Look(
    table="checked",
    tilt_deg=21.714150541749962,
    blur_px=1.7793614251333296,
    noise=1.6791090266005058,
    gradient=0.2317226001901946,
    jpeg_quality=60,
    tint=(0.6658222413488388, 0.8899934229693014, 0.8471845712767575),
)
PLAIN = Look(table="plain", tilt_deg=11.0, blur_px=1.7, noise=1.0, gradient=0.16, tint=(0.985, 0.944, 0.997))


CLOTH = Look(
    table="cloth",
    tilt_deg=7.1,
    blur_px=0.97,
    noise=3.93,
    gradient=0.465,
    jpeg_quality=60,
    tint=(0.701, 0.998, 0.922),
)


@pytest.mark.parametrize(
    ("side", "count", "seed", "size", "look"),
    [
        ("black", 29, 9106, (1280, 720), CHECKED),
        ("black", 21, 9120, (1920, 1080), PLAIN),
        ("white", 11, 9539, (960, 540), CLOTH),
    ],
    ids=["squares of the table", "pieces of marks", "a card that hides a rival"],
)
def test_none_is_told_wrong_in_heaps_that_were_misread(
    deck: Deck, side: str, count: int, seed: int, size: tuple[int, int], look: Look
) -> None:
    """A checked table's squares passed for sides, and cut marks lay where another face has whole ones.

    And of two cards told at once one had hidden the other's rival, by marks that were none of it.
    """
    image, truth = table_picture(deck, count, seed, size, side=side, overlap=True, look=look)
    reading, _ = read_picture(image, deck)
    nothing_wrong(reading, truth)


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("markers", [(), (6,)])
def test_cards_are_read_with_no_marker_or_one(deck: Deck, side: str, markers: tuple[int, ...]) -> None:
    image, truth = table_picture(deck, 8, seed=15, size=SIZE, side=side, markers=markers)
    reading, table = read_picture(image, deck)
    nothing_wrong(reading, truth)
    assert len(reading.cards) >= 7
    assert (table is None) == (markers == ())
    assert all((card.centre_mm is None) == (markers == ()) for card in reading.cards)


@pytest.mark.parametrize(
    ("side", "cut"),
    [("white", (0.25, 0.0)), ("black", (-0.25, 0.0)), ("black", (0.0, 0.3)), ("white", (0.2, -0.2))],
    ids=str,
)
def test_plain_cards_are_read_in_a_picture_of_which_a_part_is_cut_off(
    deck: Deck, side: str, cut: tuple[float, float]
) -> None:
    """The lens did not look at its middle, and some of the markers are gone."""
    image, truth = table_picture(deck, 14, seed=21, size=(1280, 720), side=side, look=Look(tilt_deg=25.0))
    height, width = image.shape[:2]
    left, right = sorted(np.clip((0, width), cut[0] * width, (1 + cut[0]) * width).astype(int))
    top, bottom = sorted(np.clip((0, height), cut[1] * height, (1 + cut[1]) * height).astype(int))
    reading, _ = read_picture(np.ascontiguousarray(image[top:bottom, left:right]), deck)
    left_over = [
        card["id"]
        for card in truth["cards"]
        if ((left, top) <= np.array(card["corners_px"])).all()
        and (np.array(card["corners_px"]) < (right, bottom)).all()
    ]
    assert len(left_over) >= 6
    assert {card.face.id for card in reading.cards} >= set(left_over)
    assert read_faces(reading) <= true_faces(truth)


@pytest.mark.parametrize("markers", [(), (0, 1, 2, 3)])
def test_an_empty_table_gives_nothing(deck: Deck, markers: tuple[int, ...]) -> None:
    for kind in ("wood", "white"):
        image, _ = table_picture(deck, 0, seed=15, size=(960, 540), markers=markers, look=Look(table=kind))
        reading, _ = read_picture(image, deck)
        # Without markers the grain of wood may be cards of any size for longer than anybody waits.
        assert reading == Reading((), (), cut_short=reading.cut_short and not markers)


@pytest.mark.parametrize("grey", [0, 128, 255])
def test_a_covered_lens_gives_nothing(deck: Deck, grey: int) -> None:
    reading, table = read_picture(np.full((360, 640, 3), grey, np.uint8), deck)
    assert (reading, table) == (Reading((), ()), None)
    with pytest.raises(BadTableError, match="no marker card is in sight"):
        table_in(np.full((360, 640, 3), grey, np.uint8))


def clutter(image: Image, seed: int) -> None:
    """Tokens, coins, dice and a telephone on the table, all with soft edges."""
    random = np.random.default_rng(seed)
    height, width = image.shape[:2]
    colours = [(40, 40, 220), (30, 140, 240), (40, 220, 240), (60, 170, 50), (200, 90, 30), (150, 50, 130)]
    for number in range(40):
        x, y = int(random.uniform(160, width - 160)), int(random.uniform(40, height - 40))
        colour = colours[number % 6]
        if number % 4 == 0:
            cv2.circle(image, (x, y), int(random.uniform(6, 22)), colour, -1, cv2.LINE_AA)
        elif number % 4 == 1:
            cv2.circle(image, (x, y), 18, (90, 160, 190), -1, cv2.LINE_AA)
            cv2.circle(image, (x, y), 14, (120, 190, 215), 2, cv2.LINE_AA)
        elif number % 4 == 2:
            cv2.rectangle(image, (x, y), (x + 24, y + 24), (235, 240, 240), -1, cv2.LINE_AA)
            for dx in (6, 18):
                cv2.circle(image, (x + dx, y + dx), 3, colour, -1, cv2.LINE_AA)
        else:
            corners = cv2.boxPoints(((x, y), (26, 26), float(random.uniform(0, 90))))
            cv2.fillConvexPoly(image, corners.astype(np.int32), colour, cv2.LINE_AA)
    for corner in ((300, 250), (800, 380)):
        cv2.rectangle(image, corner, (corner[0] + 100, corner[1] + 190), (20, 18, 18), -1)
        cv2.circle(image, (corner[0] + 50, corner[1] + 20), 5, (90, 60, 40), -1, cv2.LINE_AA)
        cv2.rectangle(image, (corner[0] + 12, corner[1] + 60), (corner[0] + 88, corner[1] + 110), (200, 90, 30), -1)
        cv2.putText(
            image, "12:30", (corner[0] + 15, corner[1] + 150), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (230, 230, 230), 2
        )


@pytest.mark.parametrize("table", ["wood", "cloth", "white", "plain"])
def test_tokens_coins_dice_and_telephones_are_no_cards(deck: Deck, table: str) -> None:
    for seed in range(2):
        image, _ = table_picture(deck, 0, seed=seed, size=SIZE, look=Look(table=table, noise=0))
        clutter(image, seed)
        reading, _ = read_picture(cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.uint8), deck)
        assert reading.cards == ()


@pytest.fixture(scope="module")
def both_sides(deck: Deck) -> list[tuple[Image, dict[str, Any]]]:
    return [table_picture(deck, 8, seed=16, size=(960, 540), side=side) for side in ("white", "black")]


@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_turning_the_camera_changes_no_face(
    deck: Deck, both_sides: list[tuple[Image, dict[str, Any]]], quarter: int
) -> None:
    for image, truth in both_sides:
        reading, _ = read_picture(np.ascontiguousarray(np.rot90(image, quarter)), deck)
        assert read_faces(reading) == true_faces(truth)


@pytest.mark.parametrize(
    "gains", [(0.35, 0.35, 0.35), (0.6, 0.6, 0.6), (1.15, 1.15, 1.15), (0.65, 0.85, 1.0), (1.0, 0.92, 0.8)]
)
def test_light_changes_no_face(
    deck: Deck, both_sides: list[tuple[Image, dict[str, Any]]], gains: tuple[float, float, float]
) -> None:
    for image, truth in both_sides:
        lit = np.clip(np.rint(image * np.array(gains)), 0, 255).astype(np.uint8)
        reading, _ = read_picture(lit, deck)
        assert read_faces(reading) == true_faces(truth)


@pytest.mark.parametrize(("cards", "seed", "gains"), [(1, 0, (0.3, 0.7, 1.0)), (2, 10, (0.4, 0.75, 1.0))])
def test_a_few_black_cards_are_read_by_a_lamp_that_leaves_no_hue_as_printed(
    deck: Deck, cards: int, seed: int, gains: tuple[float, float, float]
) -> None:
    """So few teach no palette: the markers' white tells what the lamp does."""
    image, truth = table_picture(deck, cards, seed=seed, size=(960, 540), side="black")
    reading, _ = read_picture(np.asarray(np.rint(image * np.array(gains)), np.uint8), deck)
    assert read_faces(reading) == true_faces(truth)


def test_washed_out_cards_are_read(deck: Deck) -> None:
    """A light that adds most of what the camera can tell leaves marks of a few grey levels on clipped white."""
    image, truth = table_picture(deck, 10, seed=12, size=SIZE, look=Look(table="wood"))
    veiled = np.minimum((image / 255.0) ** 2.2 + 0.85, 1.0) ** (1 / 2.2)
    reading, _ = read_picture(np.asarray(np.rint(255 * veiled), np.uint8), deck)
    assert read_faces(reading) == true_faces(truth)


def test_a_table_given_stands_in_for_markers(deck: Deck, both_sides: list[tuple[Image, dict[str, Any]]]) -> None:
    image, truth = both_sides[0]
    table, markers = table_in(image)
    hidden = image.copy()
    for marker in markers:
        cv2.circle(hidden, [int(v) for v in marker.corners_px.mean(axis=0)], 50, (90, 110, 120), -1)
    reading, used = read_picture(hidden, deck, table)
    assert read_faces(reading) == true_faces(truth)
    assert used is not None
    far = table.to_mm(np.array([[SIZE[0], SIZE[1]]], np.float64))
    assert np.abs(used.to_mm(table.to_px(far)) - far).max() < 0.02 * np.abs(far).max()


@pytest.mark.parametrize("picture", sorted(SCENES.glob("*.jpg")), ids=lambda path: path.stem)
def test_rendered_tables_are_read_right(deck: Deck, picture: Path) -> None:
    truth = json.loads(picture.with_suffix(".json").read_text(encoding="utf-8"))
    reading, table = read_picture(load_image(picture), deck)
    nothing_wrong(reading, truth)
    assert read_faces(reading) >= true_faces(truth, 0.9)
    # The table given is the one that the cards lie on: else seats and cards would be measured by two rulers.
    assert table is not None
    for card in reading.cards:
        assert card.centre_mm is not None
        assert np.abs(table.to_mm(card.corners_px).mean(0) - card.centre_mm).max() < 1.0
    sides = [np.linalg.norm(np.diff(table.to_mm(card.corners_px), axis=0), axis=1)[:2] for card in reading.cards]
    assert np.abs(np.median(sides, axis=0) / deck.card_mm - 1).max() < 0.01


def test_of_black_cards_on_a_black_table_none_is_passed_over_though_neither_edges_nor_colours_show(deck: Deck) -> None:
    """Light has bleached their marks, and no side stands out: that all marks make cards tells them."""
    picture = SCENES.parent / "tables" / "black-on-black.jpg"
    truth = json.loads(picture.with_suffix(".json").read_text(encoding="utf-8"))
    reading, _ = read_picture(load_image(picture), deck)
    nothing_wrong(reading, truth)
    assert len(reading.cards) >= 9
    unclear = {(card.best[0].id, card.best[0].side) for card in reading.unclear if card.best is not None}
    assert read_faces(reading) | unclear == true_faces(truth)


def test_faces_drawn_on_the_cards_of_a_photograph_are_read_right(deck: Deck) -> None:
    """A real table, camera and light, with hard shadows over the cards; no markers, and cards of another size."""
    truth = json.loads((PHOTOS / "set-111-as-confetti.json").read_text(encoding="utf-8"))
    edition = resized(deck, *truth["card_mm"])
    reading, _ = read_picture(load_image(PHOTOS / truth["image"]), edition)
    nothing_wrong(reading, truth)
    assert read_faces(reading) >= true_faces(truth, 0.5)


def resized(deck: Deck, width_mm: float, length_mm: float) -> Deck:
    """The same deck on cards of another size."""
    across, down = width_mm / deck.card_mm[0], length_mm / deck.card_mm[1]

    def moved(mark: Mark) -> Mark:
        size = mark.diameter_mm * min(across, down)
        return replace(mark, x_mm=mark.x_mm * across, y_mm=mark.y_mm * down, diameter_mm=size)

    faces = tuple(replace(face, marks=tuple(map(moved, face.marks))) for face in deck.faces)
    return replace(deck, card_mm=(width_mm, length_mm), faces=faces)
