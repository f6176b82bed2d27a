"""An edition of one drawing in two neighbouring paints, seen by cameras that mix colours: doubts, no wrong faces."""

from __future__ import annotations

import pytest

from tests.support.flat_piles import piccolino
from tests.support.two_paints import seen, two_paints
from vision.pictured.card_frame import frame_corners
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.pile_pattern import PatternReader
from vision.pictured.pile_proof import doubt_of
from vision.prints.print_deck import PrintDeck


@pytest.fixture(scope="module")
def edition() -> PrintDeck:
    return two_paints()


@pytest.mark.parametrize("red_to_green", [0.15, 0.2, 0.25])
def test_a_red_card_that_a_camera_shows_half_way_to_orange_is_not_told_as_orange(
    edition: PrintDeck, red_to_green: float
) -> None:
    image, corners = seen(edition, "red-happy", red_to_green)
    frame = frame_corners(edition, corners)
    match, _ = FaceFitter(FaceReader(edition)).read(image, frame)
    assert match.face is not None
    assert match.face.id == "red-happy" or doubt_of(match) is not None


def test_at_first_sight_a_paint_alone_is_not_as_certain_as_a_drawing(edition: PrintDeck) -> None:
    image, corners = seen(edition, "orange-happy", 0.0)
    frame = frame_corners(edition, corners)
    alone, drawn = (FaceReader(deck).read(image, frame) for deck in (edition, piccolino()))
    assert alone.face is not None
    assert drawn.face is not None
    assert alone.face.id == drawn.face.id == "orange-happy"
    assert alone.log_odds < 80 < drawn.log_odds


def test_a_drawing_makes_no_doubt_between_paints_that_share_it(edition: PrintDeck) -> None:
    image, corners = seen(edition, "red-happy", 0.0)
    frame = frame_corners(edition, corners)
    faces = FaceReader(edition)
    leads = {face and face.id: PatternReader(faces).lead(image, frame, k) for k, face in enumerate(faces.names)}
    assert min(leads["red-happy"], leads["orange-happy"]) > 0.3
    assert leads[None] < -0.3
