"""Following piles through pictures: what changed, when each face was visible, and what stays while a hand covers it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.support.flat_piles import PileTable, bare, hand, piccolino, pile
from vision.arrays import Image
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.piles import PileReader
from vision.piles.pile_watch import PileChange, PileWatch
from vision.piles.sights import Kind, PilePlace, PileSight

SIZE = (320, 240)
FITTER = FaceFitter(FaceReader(piccolino()))
MS = 1_000_000


class ScriptedReader(PileReader):
    """Sees what a script says; every level of grey in a picture is another thing to see."""

    def __init__(self, places: int = 1) -> None:
        where = [PilePlace(seat, centre_px=(60.0 + 90 * seat, 120.0), px_per_mm=0.4) for seat in range(places)]
        super().__init__(piccolino(), None, SIZE, where, FITTER)
        self.script: dict[int, tuple[Kind, str | None, float]] = {}
        self.reads: list[int] = []
        self.glances: list[bool] = []

    def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
        self.reads.append(number)
        self.glances.append(moves)
        x, y = (round(value) for value in self.regions[number].centre_px)
        kind, face, left = self.script[int(image_bgr[y, x, 0])]
        colour, mood = face.split("-") if face else (None, None)
        corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]]) + left if face else None
        return PileSight(number, kind, colour, mood, 0.99 if face else 0.0, corners, None)


def painted(*greys: int) -> Image:
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    for seat, grey in enumerate(greys):
        image[100:140, 40 + 90 * seat : 80 + 90 * seat] = grey
    return image


def watched(script: Sequence[tuple[Kind, str | None, float]]) -> tuple[PileWatch, list[tuple[PileChange, ...]]]:
    reader = ScriptedReader()
    reader.script = {10 + 30 * step: what for step, what in enumerate(script)}
    watch = PileWatch(reader)
    return watch, [watch.look(painted(10 + 30 * step), step * 33 * MS) for step in range(len(script))]


def test_faces_carry_the_times_in_which_they_were_visible() -> None:
    watch, changes = watched([("empty", None, 0), ("face", "red-happy", 0), ("face", "red-sad", 0)])
    assert [len(change) for change in changes] == [1, 1, 1]
    (state,) = watch.states
    assert (state.before_ns, state.first_ns, state.last_ns) == (33 * MS, 66 * MS, 66 * MS)
    assert state.top is not None
    assert state.top.face == ("red", "sad")
    before = changes[2][0].before
    assert before is not None
    assert before.top is not None
    assert (before.top.face, before.before_ns, before.first_ns) == (("red", "happy"), 0, 33 * MS)


def test_a_hand_over_the_pile_leaves_the_last_face_with_its_age() -> None:
    watch, _ = watched([("face", "red-happy", 0), ("covered", None, 0), ("covered", None, 0)])
    (state,) = watch.states
    assert state.top is not None
    assert (state.top.face, state.visible, state.kind) == (("red", "happy"), False, "covered")
    assert (state.last_ns, state.age_ns(70 * MS)) == (0, 70 * MS)


def test_the_same_card_seen_again_was_there_all_the_time() -> None:
    watch, _ = watched([("face", "red-happy", 0), ("covered", None, 0), ("face", "red-happy", 0.5)])
    assert (watch.states[0].first_ns, watch.states[0].last_ns) == (0, 66 * MS)


def test_an_equal_card_laid_elsewhere_is_another_card() -> None:
    watch, _ = watched([("face", "red-happy", 0), ("turning", "red-happy", 0), ("face", "red-happy", 9)])
    assert (watch.states[0].before_ns, watch.states[0].first_ns) == (33 * MS, 66 * MS)


@pytest.mark.parametrize("kind", ["turning", "unclear"])
def test_a_card_that_cannot_be_read_yet_does_not_count(kind: Kind) -> None:
    watch, _ = watched([("face", "red-happy", 0), (kind, "green-happy", 0)])
    (state,) = watch.states
    assert state.top is not None
    assert (state.top.face, state.visible) == (("red", "happy"), False)


@pytest.mark.parametrize("kind", ["back", "empty"])
def test_a_pile_that_went_away_has_no_top(kind: Kind) -> None:
    watch, _ = watched([("face", "red-happy", 0), (kind, None, 0)])
    (state,) = watch.states
    assert (state.top, state.first_ns, state.gone_ns) == (None, None, 33 * MS)


def test_only_what_changed_is_read_again() -> None:
    reader = ScriptedReader(3)
    reader.script = {10: ("empty", None, 0), 100: ("face", "blue-sad", 0)}
    watch = PileWatch(reader)
    watch.look(painted(10, 10, 10), 0)
    reader.reads.clear()
    random = np.random.default_rng(1)
    for step in range(1, 20):
        noisy = painted(10, 10, 10) + random.normal(0, 2, (SIZE[1], SIZE[0], 3))
        assert watch.look(np.clip(noisy, 0, 255).astype(np.uint8), step) == ()
    assert reader.reads == []
    (change,) = watch.look(painted(10, 100, 10), 20)
    assert (change.after.seat, reader.reads) == (1, [1])


def test_where_something_moves_a_glance_is_taken_and_what_it_did_not_tell_is_read_once_it_rests() -> None:
    reader = ScriptedReader()
    reader.script = {10: ("empty", None, 0), 40: ("covered", None, 0), 70: ("covered", None, 0), 100: ("back", None, 0)}
    watch = PileWatch(reader)
    for t_ns, grey in enumerate((10, 40, 70, 70, 70, 100, 100)):
        watch.look(painted(grey), t_ns)
    assert reader.glances == [False, True, True, False, True]


def test_every_place_is_read_again_now_and_then() -> None:
    reader = ScriptedReader(2)
    reader.script = {10: ("empty", None, 0)}
    watch = PileWatch(reader)
    for step in range(150):
        watch.look(painted(10, 10), step)
    assert 2 <= reader.reads.count(0) <= 4
    assert 2 <= reader.reads.count(1) <= 4


def test_lamps_that_dim_slowly_or_at_once_change_nothing() -> None:
    reader = ScriptedReader()
    reader.script = dict.fromkeys(range(256), ("face", "pink-sad", 0))
    watch = PileWatch(reader)
    assert len(watch.look(painted(200), 0)) == 1
    for step in range(1, 60):
        assert watch.look((painted(200) * (1 - step / 100)).astype(np.uint8), step) == ()
    assert watch.states[0].first_ns == 0


def test_pictures_out_of_order_or_of_another_size_are_refused() -> None:
    watch, _ = watched([("empty", None, 0), ("empty", None, 0)])
    with pytest.raises(ValueError, match="newer"):
        watch.look(painted(10), 33 * MS)
    with pytest.raises(ValueError, match="expected a picture of"):
        watch.look(np.zeros((10, 10, 3), np.uint8), 99 * MS)


def test_places_that_an_arm_has_swept_at_once_are_read_one_in_each_picture() -> None:
    reader = ScriptedReader(3)
    reader.script = {10: ("empty", None, 0), 200: ("covered", None, 0)}
    watch = PileWatch(reader)
    watch.look(painted(10, 10, 10), 0)
    watch.look(painted(200, 200, 200), 33 * MS)
    reader.reads.clear()
    read = []
    for step in range(2, 6):
        watch.look(painted(200, 200, 200), step * 33 * MS)
        read.append(len(reader.reads))
    assert (read[-1], read[0]) == (3, 1)
    assert sorted(set(reader.reads)) == [0, 1, 2]


def test_a_turn_of_a_card_in_real_pictures() -> None:
    camera = PileTable((1280, 720))
    reader = PileReader(piccolino(), camera.table, (1280, 720), [PilePlace(0, centre_mm=(0.0, 40.0))], FITTER)
    watch = PileWatch(reader)
    table = bare(np.random.default_rng(1), camera, 0)
    lies = table.copy()
    corners = pile(np.random.default_rng(2), lies, camera, (0.0, 40.0, 5.0), ["back", "red-happy"], 5)
    covered = lies.copy()
    hand(np.random.default_rng(3), covered, corners.mean(axis=0) - (0, 40), 1.4)
    next_lies = lies.copy()
    pile(np.random.default_rng(4), next_lies, camera, (0.0, 40.0, 2.0), ["green-sad"], 7)
    shown = [table, lies, lies, covered, next_lies]
    told = []
    for step, image in enumerate(shown):
        watch.look(image, step * 33 * MS)
        (state,) = watch.states
        told.append((state.kind == "face", state.top and state.top.face, state.first_ns))
    assert told == [
        (False, None, None),
        (True, ("red", "happy"), 33 * MS),
        (True, ("red", "happy"), 33 * MS),
        (False, ("red", "happy"), 33 * MS),
        (True, ("green", "sad"), 132 * MS),
    ]


def test_a_place_that_looks_as_it_did_before_its_first_card_is_bare_however_rough_the_table() -> None:
    reader = ScriptedReader()
    reader.script = {90: ("covered", None, 0), 160: ("face", "red-happy", 0), 220: ("covered", None, 0)}
    watch = PileWatch(reader)
    watch.know_bare(0, [painted()])
    kinds = []
    for number, picture in enumerate((painted(160), painted(), painted(220))):
        watch.look(picture, number * 33 * MS)
        kinds.append(watch.states[0].kind)
    assert kinds == ["face", "empty", "covered"]
    # Places that stay keep what is known of them.
    again = watch.with_places(reader)
    again.look(painted(), 99 * MS)
    assert [(state.kind, state.seat) for state in again.states] == [("empty", 0)]


@pytest.mark.parametrize(
    ("side", "kind"),
    [((45, 45, 45), "empty"), ((140, 140, 140), "empty"), ((60, 80, 120), "covered")],
)
def test_a_bare_place_is_bare_in_another_shadow_too_but_not_with_an_arm_in_it(
    side: tuple[int, int, int], kind: Kind
) -> None:
    reader = ScriptedReader()
    reader.script = {90: ("covered", None, 0)}
    watch = PileWatch(reader)
    watch.know_bare(0, [painted()])
    picture = painted()
    # Beside the place, where the draw pile throws its shadow.
    picture[:, 40:46] = side
    watch.look(picture, 0)
    assert watch.states[0].kind == kind


SKIN, SLEEVE = (60, 80, 120), (120, 60, 60)


@pytest.mark.parametrize(
    ("left", "colours", "kinds"),
    [
        (40, (SKIN, SKIN, SKIN), ["covered", "covered", "empty"]),
        (40, (SKIN, SLEEVE, SKIN), ["covered", "covered", "covered"]),
        (57, (SKIN, SKIN, SKIN), ["covered", "covered", "covered"]),
    ],
    ids=["at rest beside the place", "moving there", "at rest across the place"],
)
def test_what_rests_beside_a_bare_place_is_no_arm_that_lays_a_card(
    left: int, colours: Sequence[tuple[int, int, int]], kinds: list[Kind]
) -> None:
    # A draw pile that has grown, or a hand that lies on it: the place was never known as bare again.
    reader = ScriptedReader()
    reader.script = {90: ("covered", None, 0), 60: ("covered", None, 0), 120: ("covered", None, 0)}
    watch = PileWatch(reader)
    watch.know_bare(0, [painted()])
    seen = []
    for number, colour in enumerate(colours):
        picture = painted()
        picture[:, left : left + 6] = colour
        watch.look(picture, number * 200 * MS)
        seen.append(watch.states[0].kind)
    assert seen == kinds


def test_checks_that_look_like_a_card_held_aslant_are_bare_where_they_looked_so_before() -> None:
    reader = ScriptedReader()
    reader.script = {90: ("turning", "red-happy", 0), 160: ("turning", "red-happy", 0), 220: ("unclear", None, 0)}
    watch = PileWatch(reader)
    watch.know_bare(0, [painted(), painted(220)])
    kinds = []
    for number, picture in enumerate((painted(), painted(160), painted(220))):
        watch.look(picture, number * 33 * MS)
        kinds.append(watch.states[0].kind)
    # A card that light has bleached may look like a pale table.
    assert kinds == ["empty", "turning", "unclear"]
    assert watch.states[0].sight.corners_px is None


def test_of_several_pictures_of_a_bare_place_one_may_have_had_a_card_in_it() -> None:
    reader = ScriptedReader()
    reader.script = {90: ("covered", None, 0), 220: ("covered", None, 0)}
    watch = PileWatch(reader)
    watch.know_bare(0, [painted(), painted(160)])
    kinds = []
    for number, picture in enumerate((painted(), painted(220))):
        watch.look(picture, number * 33 * MS)
        kinds.append(watch.states[0].kind)
    assert kinds == ["empty", "covered"]
