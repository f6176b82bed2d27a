"""The desk: which pictures of a ruling are kept."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.engine.events import Event
from referee.engine.session import Seen
from referee.service.ring_pictures import Wanted
from tests.support.office import Office, piccolino

SCENE = Path(__file__).parents[2] / "data" / "scenes" / "white-easy.jpg"
MS = 1_000_000


def frame(office: Office, end_ns: int, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    office.devices.buffer.push(Frame(end_ns - 5 * MS, end_ns, image, end_ns // MS))


def test_a_rings_pictures_show_the_table_only_and_make_its_time_line(office: Office) -> None:
    piccolino(office)
    image = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    ring_ns = office.table.clock() + 300 * MS
    for step in range(-14, 9):
        frame(office, ring_ns + step * 33 * MS - 1, image)
    office.table.clock.now_ns = ring_ns - MS
    office.table.hear("bell", seat=2)
    (wanted,) = office.wanted
    assert wanted.t_ns == ring_ns
    assert office.pictures.take(wanted)
    office.desk.pictures_kept(wanted.game, wanted.event)
    ring = office.state()["rulings"][-1]
    picture = office.desk.picture(ring["picture"])
    assert picture is not None
    shown = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and shown.size < image.size
    assert not shown[0, 0].any()
    timeline = office.desk.timeline(ring["id"])
    times = [one["t_ms"] for one in timeline["frames"]]
    assert times == sorted(times) and times[0] < -300 and times[-1] > 150
    assert sorted(mark["kind"] for mark in timeline["marks"]) == ["card", "card", "ring"]
    assert office.desk.picture("live") is not None


def test_hands_that_were_read_for_longer_than_frames_are_kept_have_their_picture_all_the_same(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    for kind in ("timer_flipped", "timer_ran_out"):
        office.table.hear(kind)
    image = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    read = Frame(office.table.clock(), office.table.clock.now_ns, image, 1)

    def slowly(seen: Frame) -> Seen:
        for later_s in (3, 6):
            frame(office, seen.exposure_end_ns + later_s * 1000 * MS, np.zeros_like(image))
        hand = {"event": "hand", "seat": 0, "cards": [["red", "blue", "green"]], "faces": ["confetti-01"]}
        return Seen((Event(seen.exposure_end_ns, "hand", hand),))

    monkeypatch.setattr(office.table.watchers[-1], "look", slowly)
    office.devices.buffer.push(read)
    office.table.controller.look(read)
    (wanted,) = office.wanted
    assert office.pictures.take(wanted)
    office.desk.pictures_kept(wanted.game, wanted.event)
    hand = next(one for one in office.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    picture = office.desk.picture(hand["picture"])
    assert picture is not None
    # Not one of those that came while it was being read, which are black.
    shown = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and shown.mean() > 20


def test_where_nobody_knows_where_the_table_is_no_picture_is_stored(office: Office, tmp_path: Path) -> None:
    piccolino(office)
    frame(office, 10 * MS, np.full((90, 160, 3), 200, np.uint8))
    assert not office.pictures.take(Wanted(1, 3, 11 * MS, before_only=True))
    assert not (tmp_path / "evidence").exists()
