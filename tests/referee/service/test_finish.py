"""The photo-finish of a filmed ring: the frame that decided, what was outlined in it, and since when faces showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from referee.games.registry import watcher_for
from referee.service.ring_pictures import Wanted
from referee.watchers.table_finder import WatchSetup
from simulation.live import Shots
from tests.support.piles_table import PLAYERS, piles_table
from tests.support.quiet_table import QuietTable, quiet_table

MS = 1_000_000


class Filmed:
    """A game of two whose second card has just been turned when somebody rings."""

    def __init__(self, folder: Path) -> None:
        laid = piles_table(2, 2, 4, Shots(size=(960, 540), frames_per_s=10))
        self.table: QuietTable = quiet_table(folder, watcher=lambda header: watcher_for(header, WatchSetup()))
        self.wanted: list[Wanted] = []
        self.table.bus.subscribe(Wanted, self.wanted.append)
        start = {"do": "start", "game": "piccolino", "players": list(PLAYERS[:2]), "options": {}}
        self.table.desk.do(start)
        self.landings_ns = laid.landings_ns
        self.ring_ns = laid.landings_ns[1] + 310 * MS
        rung = False
        for frame in laid.frames(laid.landings_ns):
            if not rung and frame.exposure_end_ns > self.ring_ns:
                rung = True
                self.table.controller.hear(BellPressed(self.ring_ns, 1))
            self.table.buffer.push(frame)
            self.table.controller.look(frame)
            self.before: Frame = self.before if rung else frame
        for wanted in self.wanted:
            self.table.pictures.take(wanted)
        state = self.table.desk.state()
        self.ring: dict[str, Any] = next(one for one in state["rulings"] if one["ruling"]["ruling"] == "ring")
        self.finish = self.table.desk.timeline(self.ring["id"])


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    return Filmed(tmp_path_factory.mktemp("filmed"))


def test_the_outlines_are_those_of_the_frame_that_decided_and_lie_on_the_cards(filmed: Filmed) -> None:
    sight, frames = filmed.finish["sight"], filmed.finish["frames"]
    deciding = [frame for frame in frames if frame["t_ms"] == sight["t_ms"]]
    assert len(deciding) == 1
    assert sight["t_ms"] == round((filmed.before.exposure_end_ns - filmed.ring_ns) / MS, 1)
    assert {outline["seat"] for outline in sight["outlines"]} == {0, 1}
    data = filmed.table.desk.picture(deciding[0]["picture"])
    assert data is not None
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[:2] == (sight["height"], sight["width"])
    for outline in sight["outlines"]:
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(outline["corners"]).astype(np.int32), 255)
        around = cv2.dilate(mask, np.ones((31, 31), np.uint8)) - cv2.dilate(mask, np.ones((9, 9), np.uint8))
        # A card is a bright frame round a picture, on a plain table.
        assert picture[mask > 0].std() > 1.5 * picture[around > 0].std()


def test_each_face_says_since_when_it_lay_open_and_was_not_covered(filmed: Filmed) -> None:
    faces = filmed.finish["faces"]
    assert sorted(face["seat"] for face in faces) == [0, 1]
    for face in faces:
        landed_ms = (filmed.landings_ns[face["seat"]] - filmed.ring_ns) / MS
        assert landed_ms - 400 < face["from_ms"] < landed_ms + 400
        assert face["until_ms"] is None or face["until_ms"] == 0
