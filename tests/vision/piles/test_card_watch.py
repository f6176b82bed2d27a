"""The cards of a table, followed through a series of pictures: read anew where something changed, and only there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.flat_piles import Image, PileTable, bare, hand, photographed, piccolino, pile
from vision.pictured.clowns import PictureClowns
from vision.piles.card_watch import CardWatch
from vision.piles.sights import ClownReader
from vision.prints.pile_reader import PrintClowns

SIZE = (1280, 720)
LEFT, RIGHT = (-200.0, 40.0, 12.0), (210.0, -30.0, -8.0)


@pytest.fixture(scope="module")
def camera() -> PileTable:
    return PileTable(SIZE)


def table(camera: PileTable, *piles: tuple[tuple[float, float, float], str]) -> Image:
    random = np.random.default_rng(3)
    image = bare(random, camera, 0)
    for place, face in piles:
        pile(random, image, camera, place, ["back", face], 3)
    return photographed(np.random.default_rng(1), np.minimum(image, 250), 0.4)


@pytest.fixture(scope="module", params=["framed", "prints", "prints without a panel"])
def reader(request: pytest.FixtureRequest) -> ClownReader:
    """Our own deck as it is read by its frame, by its panel, and with one face whose panel lies elsewhere."""
    if request.param == "framed":
        return PictureClowns(piccolino())
    deck = replace(piccolino(), frame_mm=None)
    if request.param != "prints":
        last = deck.fronts[-1]
        other = replace(last, art=np.roll(last.art, 8, axis=0))
        deck = replace(deck, faces=(*(face for face in deck.faces if face is not last), other))
    return PrintClowns(deck)


@pytest.fixture
def watch(camera: PileTable, reader: ClownReader) -> CardWatch:
    return CardWatch(reader, camera.table, SIZE)


def names(watch: CardWatch) -> set[str]:
    return {"back" if card.face is None else card.face.id for card in watch.cards}


def test_cards_are_followed_as_they_come_and_go(camera: PileTable, watch: CardWatch) -> None:
    everywhere = np.ones(watch.cells_mm.shape[:2], np.bool_)
    watch.look(table(camera, (LEFT, "back")), everywhere)
    assert names(watch) == {"back"}
    both = table(camera, (LEFT, "back"), (RIGHT, "red-sad"))
    still = []
    for picture in (
        both,
        np.asarray(np.clip(both + np.random.default_rng(2).integers(0, 4, both.shape), 0, 255), np.uint8),
    ):
        watch.look(picture, everywhere)
        still.append(watch.still)
    assert names(watch) == {"back", "red-sad"}
    assert still == [False, True]
    for _ in range(2):
        watch.look(table(camera, (LEFT, "blue-happy"), (RIGHT, "red-sad")), everywhere)
    assert names(watch) == {"blue-happy", "red-sad"}
    for _ in range(2):
        watch.look(table(camera, (RIGHT, "red-sad")), everywhere)
    assert names(watch) == {"red-sad"}


def test_a_card_is_known_by_the_first_picture_that_shows_it(camera: PileTable, watch: CardWatch) -> None:
    everywhere = np.ones(watch.cells_mm.shape[:2], np.bool_)
    watch.look(table(camera, (LEFT, "back")), everywhere)
    for face in ("red-sad", "blue-happy"):
        landed = table(camera, (LEFT, "back"), (RIGHT, face))
        watch.look(landed, everywhere)
        watch.look_closely(landed)
        assert names(watch) == {"back", face}


def test_a_card_that_a_hand_covers_is_known_no_more_until_it_leaves(camera: PileTable, watch: CardWatch) -> None:
    everywhere = np.ones(watch.cells_mm.shape[:2], np.bool_)
    clear = table(camera, (LEFT, "back"), (RIGHT, "red-sad"))
    watch.look(clear, everywhere)
    covered = clear.copy()
    (card,) = (card for card in watch.cards if card.face is not None)
    hand(np.random.default_rng(4), covered, card.corners_px.mean(axis=0) - (45, 0), 0.0)
    for _ in range(2):
        watch.look(covered, everywhere)
    assert names(watch) == {"back"}
    for _ in range(2):
        watch.look(clear, everywhere)
    assert names(watch) == {"back", "red-sad"}


def test_what_nobody_asks_for_is_found_when_its_turn_comes(camera: PileTable, watch: CardWatch) -> None:
    nowhere = np.zeros(watch.cells_mm.shape[:2], np.bool_)
    watch.look(table(camera), nowhere)
    full = table(camera, (LEFT, "back"), (RIGHT, "red-sad"))
    watch.look(full, nowhere)
    assert names(watch) == set()
    parts = 1
    while not watch.sweep(full):
        parts += 1
    assert names(watch) == {"back", "red-sad"}
    assert parts > 6


def test_another_lamp_changes_nothing_and_the_cells_lie_where_they_should(camera: PileTable, watch: CardWatch) -> None:
    everywhere = np.ones(watch.cells_mm.shape[:2], np.bool_)
    full = table(camera, (RIGHT, "red-sad"))
    watch.look(full, everywhere)
    watch.look(np.asarray(full * 0.85, np.uint8), everywhere)
    assert watch.still
    middle = watch.cells_mm.reshape(-1, 2)
    assert camera.table.to_px(middle).min(axis=0) == pytest.approx((5, 5), abs=5)
    assert camera.table.to_px(middle).max(axis=0) == pytest.approx((1275, 715), abs=5)
