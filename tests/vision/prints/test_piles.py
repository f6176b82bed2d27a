"""The tops of piles of a deck without any frame, on a drawn table: read, followed, and never guessed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.games.piccolino.demo import Plan, write_piccolino
from simulation.live import LiveTable, Shots
from simulation.truth import CardTruth, truth_at
from tests.support.full_bleed_clowns import full_bleed_clowns
from vision.markers import markers_in, table_if_shown
from vision.piles.sights import PilePlace
from vision.prints.pile_reader import PrintClowns, PrintPiles
from vision.table import Table

Image = NDArray[np.uint8]
SIZE = (1280, 720)
SECOND_NS = 1_000_000_000


@cache
def clowns() -> PrintClowns:
    return PrintClowns(full_bleed_clowns())


@cache
def scene() -> tuple[Image, Table, CardTruth]:
    """A table on which the first card has come to lie, and that card."""
    deck = full_bleed_clowns()
    game = write_piccolino(deck, 1, Plan(players=2, turns=2, notice=0.0, hothead=None))
    table = LiveTable(game.script, deck, 1, Shots(size=SIZE))
    landed_ns = next(event.t_ns for event in game.events if event.kind == "card_shown")
    frame = table.frame(round((landed_ns / SECOND_NS + 0.65) * table.shots.frames_per_s))
    image = frame.bgr()
    found = table_if_shown(tuple(markers_in(image)), SIZE)
    assert found is not None
    card = next(card for card in truth_at(table, frame.t_ns).cards if card.side == "front")
    return image, found, card


def piles() -> PrintPiles:
    _, table, card = scene()
    x, y = table.to_mm(card.corners_px).mean(axis=0).tolist()
    return clowns().piles(table, SIZE, [PilePlace(0, centre_mm=(x, y))])


def covered(corners: tuple[float, float, float, float], paint: tuple[int, int, int]) -> Image:
    """The scene with a piece of the card painted over: left, top, right and bottom as shares of it."""
    image, _, card = scene()
    left, top, right, bottom = corners
    share = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    start, across, down = card.corners_px[0], card.corners_px[1], card.corners_px[3]
    points = start + share[:, :1] * (across - start) + share[:, 1:] * (down - start)
    return np.asarray(cv2.fillConvexPoly(image.copy(), np.rint(points).astype(np.int32), paint), np.uint8)


def test_the_top_of_a_pile_is_read_where_it_lies_and_known_to_lie_there_still() -> None:
    image, _, card = scene()
    reader = piles()
    sight = reader.read_place(image, 0)
    assert f"{sight.colour}-{sight.mood}" == card.face
    assert sight.corners_px is not None
    assert np.abs(sight.corners_px - card.corners_px).max() < 2.5
    noisy = np.clip(image.astype(np.int16) + np.random.default_rng(1).integers(-6, 7, image.shape), 0, 255)
    assert reader.still_there(noisy.astype(np.uint8), sight)
    assert reader.still_there((image * 0.85).astype(np.uint8), sight)
    # A finger on the mouth.
    assert not reader.still_there(covered((0.3, 0.55, 0.6, 0.7), (140, 170, 222)), sight)


def test_an_arm_that_comes_in_over_a_cards_edge_is_no_reason_to_read_it_anew_unless_it_hides_much() -> None:
    image, _, _ = scene()
    reader = piles()
    sight = reader.read_place(image, 0)
    assert reader.still_there(covered((-0.2, 0.7, 0.6, 1.2), (140, 170, 222)), sight)
    assert not reader.still_there(covered((-0.2, 0.4, 1.2, 1.2), (140, 170, 222)), sight)


def test_a_card_of_which_all_that_tells_its_mood_is_covered_is_not_read() -> None:
    reader = piles()
    # All that tells a happy clown from a sad one: its hat, and its mouth.
    for paint in ((140, 170, 222), (60, 60, 150)):
        sight = reader.read_place(covered((-0.2, -0.2, 1.2, 0.8), paint), 0)
        assert sight.kind != "face"
        assert reader.read_part(covered((-0.2, -0.2, 1.2, 0.8), paint), 0) is None


@pytest.mark.parametrize("corner", [(-0.3, 0.7, 0.3, 1.2), (0.6, 0.75, 1.3, 1.2)])
def test_a_card_that_is_held_at_its_corner_is_read_all_the_same(corner: tuple[float, float, float, float]) -> None:
    sight = piles().read_part(covered(corner, (140, 170, 222)), 0)
    assert sight is not None
    assert f"{sight.colour}-{sight.mood}" == scene()[2].face


def test_a_bare_place_is_bare_and_a_card_of_another_deck_is_no_clown() -> None:
    image, _, card = scene()
    bare = image.copy()
    low, high = card.corners_px.min(axis=0).astype(int) - 12, card.corners_px.max(axis=0).astype(int) + 13
    bare[low[1] : high[1], low[0] : high[0]] = image[-8:, -8:].reshape(-1, 3).mean(axis=0).astype(np.uint8)
    assert piles().read_place(bare, 0).kind in ("empty", "covered")
    other = np.full((174, 112, 3), 245, np.uint8)
    cv2.putText(other, "7", (26, 120), cv2.FONT_HERSHEY_SIMPLEX, 4, (40, 40, 200), 14, cv2.LINE_AA)
    sheet = np.array([[0, 0], [112, 0], [112, 174], [0, 174]], np.float32)
    lay = cv2.getPerspectiveTransform(sheet, card.corners_px.astype(np.float32))
    cv2.warpPerspective(other, lay, SIZE, bare, borderMode=cv2.BORDER_TRANSPARENT)
    assert piles().read_place(bare, 0).kind != "face"


def test_a_deck_taught_by_its_faces_only_has_its_back_learned_from_the_draw_piles() -> None:
    image, table, card = scene()
    deck = full_bleed_clowns()
    faces_only = PrintClowns(replace(deck, faces=deck.fronts))
    found = faces_only.read_part(image, table, (0, 0, *SIZE))
    assert sorted("back" if one.face is None else one.face.id for one in found) == sorted(["back", "back", card.face])


def test_a_card_that_lies_as_it_lay_is_remembered_until_something_lies_on_it_or_in_its_place() -> None:
    image, table, card = scene()
    reader = PrintClowns(full_bleed_clowns())
    left, top = np.floor(card.corners_px.min(axis=0)).astype(int) - 20
    right, bottom = np.ceil(card.corners_px.max(axis=0)).astype(int) + 20
    box = (int(left), int(top), int(right), int(bottom))
    first = reader.read_part(image, table, box)
    assert [found.print.id for found in first] == [card.face]
    again = reader.read_part((image * 0.9).astype(np.uint8), table, box)
    assert [found is first[0] for found in again] == [True]
    # A finger on the mouth: it is read anew, or not at all.
    assert first[0] not in reader.read_part(covered((0.3, 0.55, 0.6, 0.7), (140, 170, 222)), table, box)
    assert not reader.read_part(covered((-0.2, -0.2, 1.2, 1.2), (70, 90, 120)), table, box)


def test_on_another_table_nothing_is_remembered_for_places_are_told_by_the_table() -> None:
    image, table, card = scene()
    reader = PrintClowns(full_bleed_clowns())
    low, high = card.corners_px.min(axis=0).astype(int) - 20, card.corners_px.max(axis=0).astype(int) + 20
    box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
    (first,) = reader.read_part(image, table, box)
    shift = np.array([[1.0, 0.0, -30.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    beside = replace(table, homography=table.homography @ shift)
    expected = beside.centre_mm(first.corners_px)
    (again,) = reader.read_part(image, beside, box)
    assert again.centre_mm == pytest.approx(expected, abs=1.0)
    assert again.centre_mm != pytest.approx(first.centre_mm, abs=5.0)
