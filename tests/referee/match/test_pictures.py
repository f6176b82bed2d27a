"""Pictures on the page: of rulings, of the photo-finish, and where the table has changed since a question came up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from referee.engine.events import Event
from referee.engine.session import Observation, Outline, Shown
from referee.games.coloretto.demo import ColorettoPlan, write_coloretto
from referee.games.registry import watcher_for
from referee.match import queries
from referee.match.pictures import PictureRequest
from referee.match.question_pictures import QuestionPictures
from referee.match.table import TableArea
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from tests.support.commands import sent
from tests.support.office import Office, piccolino
from tests.support.piles_table import PLAYERS, piles_table
from tests.support.quiet_table import QuietTable, quiet_table
from vision.deck import load_deck

SCENE = Path(__file__).parents[2] / "data" / "scenes" / "white-easy.jpg"
MS = 1_000_000


def decoded(data: bytes | None) -> np.ndarray:
    assert data is not None
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture)


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
    office.referee.pictures_kept(wanted.game)
    ring = office.state()["rulings"][-1]
    shown = decoded(office.referee.picture(ring["picture"]))
    assert shown.size < image.size
    assert not shown[0, 0].any()
    timeline = queries.timeline(office.referee, ring["id"])
    times = [one["t_ms"] for one in timeline["frames"]]
    assert times == sorted(times) and times[0] < -300 and times[-1] > 150
    assert sorted(mark["kind"] for mark in timeline["marks"]) == ["card", "card", "ring"]
    assert office.referee.picture("live") is not None


def test_hands_that_were_read_for_longer_than_frames_are_kept_have_their_picture_all_the_same(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.referee.do(sent({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}}))
    for kind in ("timer_flipped", "timer_ran_out"):
        office.table.hear(kind)
    image = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    read = Frame(office.table.clock(), office.table.clock.now_ns, image, 1)

    def slowly(seen: Frame) -> Observation:
        for later_s in (3, 6):
            frame(office, seen.exposure_end_ns + later_s * 1000 * MS, np.zeros_like(image))
        hand = {"event": "hand", "seat": 0, "cards": [["red", "blue", "green"]], "faces": ["confetti-01"]}
        return Observation((Event(seen.exposure_end_ns, "hand", hand),))

    monkeypatch.setattr(office.table.watchers[-1], "look", slowly)
    office.devices.buffer.push(read)
    office.table.referee.look(read)
    (wanted,) = office.wanted
    assert office.pictures.take(wanted)
    office.referee.pictures_kept(wanted.game)
    hand = next(one for one in office.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    # Not one of those that came while it was being read, which are black.
    assert decoded(office.referee.picture(hand["picture"])).mean() > 20


def test_where_nobody_knows_where_the_table_is_no_picture_is_stored(office: Office, tmp_path: Path) -> None:
    piccolino(office)
    frame(office, 10 * MS, np.full((90, 160, 3), 200, np.uint8))
    assert not office.pictures.take(PictureRequest(1, 3, 11 * MS, before_only=True))
    assert not (tmp_path / "evidence").exists()


@pytest.fixture(scope="module")
def frames() -> tuple[Frame, Frame]:
    """A table before and after the first card was laid."""
    deck = load_deck("coloretto")
    live = LiveTable(write_coloretto(deck, 7, ColorettoPlan(rounds=1)).script, deck, 7, Shots(frames_per_s=1.0))
    return live.frame(1), live.frame(8)


def test_both_pictures_show_the_table_before_a_card_was_laid_and_after(frames: tuple[Frame, Frame]) -> None:
    pictures = QuestionPictures(TableArea())
    pictures.heed({"doubt-1-5-who_took": None}, *frames)
    names = pictures.names["doubt-1-5-who_took"]
    before, now = (decoded(pictures.find(str(names[when]))) for when in ("before", "now"))
    assert before.shape == now.shape
    changed = cv2.absdiff(cv2.GaussianBlur(before, (0, 0), 3), cv2.GaussianBlur(now, (0, 0), 3)).max(axis=2) > 40
    assert changed.any() and not changed[:3].any() and not changed[:, :3].any()


def test_what_a_question_is_about_is_outlined_in_the_picture_that_it_is_about(frames: tuple[Frame, Frame]) -> None:
    place = ((600.0, 300.0), (680.0, 300.0), (680.0, 410.0), (600.0, 410.0))
    reds = []
    for outlines in ((), (Outline(place, 1, "red", certain=False),)):
        pictures = QuestionPictures(TableArea())
        pictures.heed({"doubt-1-5-area_differs": Shown(frames[1], outlines)}, frames[0], frames[0])
        assert pictures.names == {"doubt-1-5-area_differs": {"before": None, "now": "doubt-1-5-area_differs-now"}}
        shown = decoded(pictures.find("doubt-1-5-area_differs-now")).astype(int)
        reds.append(((shown[..., 2] > 150) & (shown[..., :2].max(axis=2) < 110)).sum())
    assert reds[1] > reds[0] + 200


def test_where_nobody_knows_where_the_table_is_no_picture_of_the_room_is_given() -> None:
    room = Frame(1, 1, np.full((72, 128, 3), 90, np.uint8), 0)
    place = ((10.0, 10.0), (40.0, 10.0), (40.0, 50.0), (10.0, 50.0))
    for shown in (None, Shown(room, (Outline(place, 0, "red", certain=True),))):
        pictures = QuestionPictures(TableArea())
        pictures.heed({"doubt-1-5-a": shown}, room, room)
        assert pictures.find("doubt-1-5-a-now") is None


class Filmed:
    """A game of two whose second card has just been turned when somebody rings."""

    def __init__(self, folder: Path) -> None:
        laid = piles_table(2, 2, 4, Shots(size=(960, 540), frames_per_s=10))
        self.table: QuietTable = quiet_table(folder, watcher=lambda header: watcher_for(header, WatchSetup()))
        start = {"do": "start", "game": "piccolino", "players": list(PLAYERS[:2]), "options": {}}
        self.table.referee.do(sent(start))
        self.landings_ns = laid.landings_ns
        self.ring_ns = laid.landings_ns[1] + 310 * MS
        rung = False
        for frame in laid.frames(laid.landings_ns):
            if not rung and frame.exposure_end_ns > self.ring_ns:
                rung = True
                self.table.referee.hear(BellPressed(self.ring_ns, 1))
            self.table.devices.buffer.push(frame)
            self.table.referee.look(frame)
            self.before: Frame = self.before if rung else frame
        for wanted in self.table.referee.pictures.waiting:
            self.table.referee.pictures.take(wanted)
        state = self.table.referee.state()
        self.ring: dict[str, Any] = next(one for one in state["rulings"] if one["ruling"]["ruling"] == "ring")
        self.finish = queries.timeline(self.table.referee, self.ring["id"])


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    return Filmed(tmp_path_factory.mktemp("filmed"))


def test_the_outlines_are_those_of_the_frame_that_decided_and_lie_on_the_cards(filmed: Filmed) -> None:
    sight, frames = filmed.finish["sight"], filmed.finish["frames"]
    deciding = [frame for frame in frames if frame["t_ms"] == sight["t_ms"]]
    assert len(deciding) == 1
    assert sight["t_ms"] == round((filmed.before.exposure_end_ns - filmed.ring_ns) / MS, 1)
    assert {outline["seat"] for outline in sight["outlines"]} == {0, 1}
    data = filmed.table.referee.picture(deciding[0]["picture"])
    assert data is not None
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[:2] == (sight["height"], sight["width"])
    for outline in sight["outlines"]:
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(outline["corners"]).astype(np.int32), 255)
        around = cv2.dilate(mask, np.ones((31, 31), np.uint8)) - cv2.dilate(mask, np.ones((9, 9), np.uint8))
        # A card is a bright frame round a picture, on a bare table.
        assert picture[mask > 0].std() > 1.5 * picture[around > 0].std()


def test_each_face_says_since_when_it_lay_open_and_was_not_covered(filmed: Filmed) -> None:
    faces = filmed.finish["faces"]
    assert sorted(face["seat"] for face in faces) == [0, 1]
    for face in faces:
        landed_ms = (filmed.landings_ns[face["seat"]] - filmed.ring_ns) / MS
        assert landed_ms - 400 < face["from_ms"] < landed_ms + 400
        assert face["until_ms"] is None or face["until_ms"] == 0
