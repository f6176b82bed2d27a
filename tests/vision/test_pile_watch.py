"""Following piles through pictures: what is read again, and what is a bare place beside a card or an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from vision.arrays import Floats, Image
from vision.piles.observations import Kind, PilePlace, PileSight, pile_place
from vision.piles.pile_reader import PrintTableReader
from vision.piles.pile_watch import PileWatch
from vision.table import Table

SIZE = (320, 240)
MS = 1_000_000
FRAME_NS = 33 * MS
Looks = tuple[Kind, str | None]
FLAT = Table(np.eye(3), np.zeros(5), np.diag([0.4, 0.4, 1.0]), SIZE, 0.0)
SKIN, SLEEVE = (60, 80, 120), (120, 60, 60)


class ScriptedReader(PrintTableReader):
    """Sees what a script says; every level of grey in a picture is another thing to see."""

    def __init__(self, script: Mapping[int, Looks]) -> None:
        self.script = script
        self.reads: list[int] = []

    def read_pile(
        self, image_bgr: Image, table: Table, place: PilePlace, last_px: Floats | None = None, *, moves: bool = False
    ) -> PileSight:
        self.reads.append(place.seat)
        x, y = (round(value) for value in place.centre_px)
        kind, face = self.script[int(image_bgr[y, x, 0])]
        colour, mood = face.split("-") if face else (None, None)
        corners = np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]]) if face else None
        return PileSight(place.seat, kind, colour, mood, corners)

    def still_there(self, image_bgr: Image, table: Table, sight: PileSight, *, moves: bool = False) -> bool:
        return False


def places(count: int) -> list[PilePlace]:
    return [pile_place(seat, (150.0 + 225 * seat, 300.0), FLAT) for seat in range(count)]


def watching(reader: ScriptedReader, count: int = 1) -> PileWatch:
    return PileWatch(reader, FLAT, places(count))


def painted(*greys: int) -> Image:
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    for seat, grey in enumerate(greys):
        image[100:140, 40 + 90 * seat : 80 + 90 * seat] = grey
    return image


def with_bar(left: int, colour: tuple[int, int, int]) -> Image:
    image = painted()
    image[:, left : left + 6] = colour
    return image


def kinds_beside_bare(
    script: Mapping[int, Looks], bare: Sequence[Image], pictures: Sequence[Image], step_ms: int = 33
) -> tuple[PileWatch, list[Kind]]:
    """What a place that is known bare is in each of the pictures that follow, for a ring."""
    watch = watching(ScriptedReader(script))
    watch.know_bare({0: bare})
    kinds = []
    for number, picture in enumerate(pictures):
        *_, sight = (*watch.look(picture, number * step_ms * MS), *watch.look_closely(picture))
        kinds.append(sight.kind)
    return watch, kinds


RED: Looks = ("face", "red-happy")
COVERED: Looks = ("covered", None)


def test_only_what_changed_is_read_again() -> None:
    reader = ScriptedReader({10: ("empty", None), 100: ("face", "blue-sad")})
    watch = watching(reader, 3)
    watch.look(painted(10, 10, 10), 0)
    reader.reads.clear()
    random = np.random.default_rng(1)
    for step in range(1, 20):
        noisy = painted(10, 10, 10) + random.normal(0, 2, (SIZE[1], SIZE[0], 3))
        sights = watch.look(np.clip(noisy, 0, 255).astype(np.uint8), step * FRAME_NS)
        assert [sight.kind for sight in sights] == ["empty", "empty", "empty"]
    assert reader.reads == []
    sights = watch.look(painted(10, 100, 10), 20 * FRAME_NS)
    assert [sight.kind for sight in sights] == ["empty", "face", "empty"]
    assert reader.reads == [1]


def test_while_something_moves_every_second_picture_is_read_and_for_a_ring_the_last_one() -> None:
    watch = watching(ScriptedReader({10: ("empty", None), 100: RED, 200: COVERED}))
    greys = (10, 100, 200, 100)
    sights = [watch.look(painted(grey), step * FRAME_NS)[0].kind for step, grey in enumerate(greys)]
    assert sights == ["empty", "empty", "covered", "covered"]
    assert [sight.colour for sight in watch.look_closely(painted(100))] == ["red"]


def test_lamps_that_dim_slowly_or_at_once_change_nothing() -> None:
    watch = watching(ScriptedReader(dict.fromkeys(range(256), ("face", "pink-sad"))))
    for step in range(60):
        (sight,) = watch.look((painted(200) * (1 - step / 100)).astype(np.uint8), step)
        assert (sight.kind, sight.colour, sight.mood) == ("face", "pink", "sad")


def test_pictures_out_of_order_or_of_another_size_are_refused() -> None:
    watch = watching(ScriptedReader({10: ("empty", None)}))
    watch.look(painted(10), 33 * MS)
    with pytest.raises(ValueError, match="newer"):
        watch.look(painted(10), 33 * MS)
    with pytest.raises(ValueError, match="expected a picture of"):
        watch.look(np.zeros((10, 10, 3), np.uint8), 99 * MS)


def test_a_place_that_looks_as_it_did_before_its_first_card_is_bare_however_rough_the_table() -> None:
    script = {90: COVERED, 160: RED, 220: COVERED}
    watch, kinds = kinds_beside_bare(script, [painted()], [painted(160), painted(), painted(220)])
    assert kinds == ["face", "empty", "covered"]
    # Places that stay keep what is known of them.
    watch.follow(places(1))
    watch.look(painted(), 99 * MS)
    assert [(sight.kind, sight.seat) for sight in watch.look(painted(), 132 * MS)] == [("empty", 0)]


@pytest.mark.parametrize(
    ("left", "colours", "kinds"),
    [
        # Beside the place, where the draw pile throws its shadow.
        (40, [(45, 45, 45)], ["empty"]),
        (40, [(140, 140, 140)], ["empty"]),
        # A draw pile that has grown, or a hand that is on it: the place was never known as bare again.
        (40, [SKIN, SKIN, SKIN], ["covered", "covered", "empty"]),
        (40, [SKIN, SLEEVE, SKIN], ["covered", "covered", "covered"]),
        (57, [SKIN, SKIN, SKIN], ["covered", "covered", "covered"]),
    ],
    ids=["shadow", "light", "at rest beside the place", "moving there", "at rest across the place"],
)
def test_a_shadow_or_what_rests_beside_a_bare_place_is_no_arm_that_lays_a_card(
    left: int, colours: Sequence[tuple[int, int, int]], kinds: list[Kind]
) -> None:
    script = {90: COVERED, 60: COVERED, 120: COVERED}
    pictures = [with_bar(left, colour) for colour in colours]
    assert kinds_beside_bare(script, [painted()], pictures, 200)[1] == kinds


def test_checks_that_look_like_a_card_held_aslant_are_bare_where_they_looked_so_before() -> None:
    script: dict[int, Looks] = {
        90: ("turning", "red-happy"),
        160: ("turning", "red-happy"),
        220: ("unclear", None),
    }
    kinds = kinds_beside_bare(script, [painted(), painted(220)], [painted(), painted(160), painted(220)])[1]
    # A card that light has bleached may look like a pale table.
    assert kinds == ["empty", "turning", "unclear"]


def test_of_several_pictures_of_a_bare_place_one_may_have_had_a_card_in_it() -> None:
    script = {90: COVERED, 220: COVERED}
    assert kinds_beside_bare(script, [painted(), painted(160)], [painted(), painted(220)])[1] == ["empty", "covered"]
