"""Photo-finishes: what they hold, and that it can be seen."""

from __future__ import annotations

import numpy as np

from hardware.camera.frames import Frame
from referee.demo.photo_finish import Finish, PhotoFinishes, draw_finish
from referee.engine.events import Event
from referee.engine.session import Outline

MS = 1_000_000
PLAYERS = ("Jörg", "Ben", "Zoë")
RING_NS = (59 * 33 + 10) * MS


def frame(number: int) -> Frame:
    image = np.full((360, 640, 3), 40 + number, np.uint8)
    return Frame(number * 33 * MS, number * 33 * MS + MS, image, number)


def kept(rings: int = 1) -> PhotoFinishes:
    """Fifty-nine frames, a card, rings, and frames after them."""
    finishes = PhotoFinishes(PLAYERS)
    outline = Outline(((100.0, 100.0), (160.0, 100.0), (160.0, 190.0), (100.0, 190.0)), 1, "red happy", True)
    for number in range(1, 60):
        finishes.look(frame(number), [outline])
        if number == 40:
            finishes.take(Event(number * 33 * MS, "card_shown", {"seat": 1, "colour": "red", "mood": "happy"}))
    for ring in range(rings):
        finishes.take(Event(RING_NS + ring * MS, "bell", {"seat": 2}))
    for number in range(60, 90):
        finishes.look(frame(number), [])
    return finishes


def finish_of(finishes: PhotoFinishes) -> Finish:
    finish = finishes.of({"ruling": "ring", "t_ns": RING_NS, "seat": 2})
    assert finish is not None
    return finish


def test_a_ring_keeps_the_last_frame_before_it_though_it_is_ruled_later() -> None:
    finish = finish_of(kept())
    assert finish.frame.sequence == 59
    assert [outline.label for outline in finish.outlines] == ["red happy"]
    assert [(mark.seat, mark.text) for mark in finish.marks] == [(1, "red happy"), (2, "bell")]


def test_only_rulings_on_rings_have_one_and_not_for_ever() -> None:
    finishes = kept()
    assert finishes.of({"ruling": "cards_move", "t_ns": RING_NS}) is None
    assert finishes.of({"ruling": "ring", "t_ns": RING_NS + 1, "seat": 0}) is None
    assert finishes.of({"ruling": "unclear", "t_ns": RING_NS, "seat": None}) is not None
    assert kept(rings=9).of({"ruling": "ring", "t_ns": RING_NS, "seat": 2}) is None


def test_the_picture_shows_tops_time_and_reason() -> None:
    finish = finish_of(kept())
    with_reason = draw_finish(finish, PLAYERS, ["False ring, Zoë: no two happy clowns of one colour."])
    without = draw_finish(finish, PLAYERS, [])
    bare = draw_finish(Finish(finish.ring_ns, 2, finish.frame, (), (), ()), PLAYERS, [])
    assert with_reason.shape[0] > without.shape[0] > 720
    assert with_reason.shape[1] == 1280
    assert (without[:720] != bare[:720]).any()
    assert (without[720:] != bare[720:]).any()
