"""Photo-finishes: what they hold, and that it can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.demo.photo_finish import Finish, PhotoFinishes, draw_finish
from referee.engine.events import Event
from referee.engine.session import Outline
from referee.scoring.evidence_picture import plain_letters

MS = 1_000_000
PLAYERS = ("Jörg", "Ben", "Zoë")


def frame(number: int) -> Frame:
    image = np.full((360, 640, 3), 40 + number, np.uint8)
    return Frame(number * 33 * MS, number * 33 * MS + MS, image, number)


def kept(rings: int = 1) -> PhotoFinishes:
    finishes = PhotoFinishes(PLAYERS)
    outline = Outline(((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0)), 1, "red happy", True)
    for number in range(1, 60):
        finishes.look(frame(number), [outline])
        if number == 40:
            finishes.take(Event(number * 33 * MS, "card_shown", {"seat": 1, "colour": "red", "mood": "happy"}))
    for ring in range(rings):
        finishes.take(Event((59 * 33 + 10 + ring) * MS, "bell", {"seat": 2}))
    return finishes


def finish_of(finishes: PhotoFinishes, t_ms: int) -> Finish:
    finish = finishes.of({"ruling": "ring", "t_ns": t_ms * MS, "seat": 2})
    assert finish is not None
    return finish


def test_a_ring_keeps_the_last_frame_before_it_though_it_is_ruled_later() -> None:
    finishes = kept()
    for number in range(60, 90):
        finishes.look(frame(number), [])
    finish = finish_of(finishes, 59 * 33 + 10)
    assert finish.frame.sequence == 59
    assert [outline.label for outline in finish.outlines] == ["red happy"]
    assert [(mark.seat, mark.text) for mark in finish.marks] == [(1, "red happy"), (2, "bell")]
    assert frame(59).exposure_end_ns in finish.frames_ns


def test_only_rulings_on_rings_have_one() -> None:
    finishes = kept()
    ring_ns = (59 * 33 + 10) * MS
    assert finishes.of({"ruling": "cards_move", "t_ns": ring_ns}) is None
    assert finishes.of({"ruling": "ring", "t_ns": ring_ns + 1, "seat": 0}) is None
    assert finishes.of({"ruling": "unclear", "t_ns": ring_ns, "seat": None}) is not None
    unseen = PhotoFinishes(PLAYERS)
    unseen.take(Event(5, "bell", {"seat": 0}))
    assert unseen.of({"ruling": "ring", "t_ns": 5, "seat": 0}) is None


def test_pictures_are_not_kept_for_ever() -> None:
    finishes = kept(rings=9)
    assert finishes.of({"ruling": "ring", "t_ns": (59 * 33 + 10) * MS, "seat": 2}) is None
    assert finish_of(finishes, 59 * 33 + 18).frame.sequence == 59


def test_the_picture_shows_tops_time_and_reason() -> None:
    finish = finish_of(kept(), 59 * 33 + 10)
    with_reason = draw_finish(finish, PLAYERS, ["False ring, Zoë: no two happy clowns of one colour."])
    without = draw_finish(finish, PLAYERS, [])
    plain = draw_finish(Finish(finish.ring_ns, 2, finish.frame, (), (), ()), PLAYERS, [])
    assert with_reason.shape[0] > without.shape[0] > 720
    assert with_reason.shape[1] == 1280
    assert (without[:720] != plain[:720]).any()
    assert (without[720:] != plain[720:]).any()


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("Jörg", "Joerg"), ("Zoë…", "Zoe..."), ("fröhliche Grüße", "froehliche Gruesse"), ("l’œil", "l'oeil")],
)
def test_letters_that_cannot_be_drawn_are_spelled(text: str, drawn: str) -> None:
    assert plain_letters(text) == drawn
