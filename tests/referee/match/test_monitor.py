"""The guard: what goes wrong is said once, before anything is misread, with its end; the camera is set up in time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import notes as camera_notes
from hardware.camera.frames import Frame, PixelFormat
from referee.demo.idle import simulated_devices, simulated_parts
from referee.doctor.machine import Machine
from referee.match import queries
from referee.match.monitor import Monitor
from referee.store.games import games, kept_game
from simulation.live import to_nv12
from tests.support.evening import relit
from tests.support.table_fakes import S, Table

Image = NDArray[np.uint8]
Alter = Callable[[Image], Image]
PLACES = ((60, 50), (500, 50), (500, 270), (60, 270))


@cache
def table() -> Image:
    """Draw a brown table with four marker cards, as a camera shows it that is set well."""
    picture = np.full((360, 640, 3), (60, 90, 130), np.uint8)
    for number, (x, y) in enumerate(PLACES):
        marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), number, 60)
        picture[y - 12 : y + 72, x - 12 : x + 72] = 225
        picture[y : y + 60, x : x + 60] = np.where(marker > 0, 225, 25)[..., None]
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8)


def lit(*light: float) -> Alter:
    blue, green, red = light if len(light) == 3 else light * 3
    return lambda picture: relit(picture, (blue, green, red))


def blurred(picture: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.5), np.uint8)


def smeared(picture: Image) -> Image:
    done = picture.copy()
    done[:180, :320] = cv2.GaussianBlur(picture[:180, :320], (0, 0), 4.0) // 2 + 60
    return done


def covered(picture: Image) -> Image:
    """Lay arms over two markers, and shade a third."""
    done = picture.copy()
    done[20:180, 20:260] = (95, 130, 190)
    done[200:, 460:] = (110, 60, 40)
    done[20:180, 460:] = done[20:180, 460:] * 0.75
    return done


class Room:
    """A guard at a table of which a test makes the pictures; its time goes on by `go`."""

    def __init__(self, folder: Path, machine: Machine | None = None) -> None:
        self.table = Table(folder)
        self.table.clock.now_ns = self.now_ns = 5000 * S
        self.devices, referee = self.table.devices, self.table.referee
        self.health, self.guard = referee.health, Monitor(referee, machine or Machine())
        self.show = self.camera = lit(1.0)
        self.yuv = False

    def go(self, seconds: float, looks_per_s: int = 4) -> None:
        for _ in range(round(looks_per_s * seconds)):
            self.now_ns += S // looks_per_s
            self.table.clock.now_ns = self.now_ns
            picture = self.camera(self.show(table()))
            kind = PixelFormat.NV12 if self.yuv else PixelFormat.BGR
            shown = to_nv12(picture) if self.yuv else picture
            for t_ns in range(self.now_ns - S // looks_per_s + S // 4, self.now_ns + 1, S // 4):
                self.devices.buffer.push(Frame(t_ns, t_ns, shown, 4 * t_ns // S, kind))
            self.step()

    def step(self) -> None:
        self.guard.step(self.now_ns)
        self.table.referee.tend(self.now_ns)

    def play(self) -> None:
        self.table.referee.begin("piccolino", ["Ann", "Ben"], {})
        self.go(4, 1)
        self.table.speaker.said.clear()

    @property
    def said(self) -> list[str]:
        return self.table.said

    @property
    def troubles(self) -> list[str]:
        return [health.part for health in self.health.troubles()]

    def film(self, seconds: float, per_s: int, draw: Callable[[int], Image] = lambda _: table()) -> None:
        """Feed pictures at a rate, by the time of each, and look twice a second."""
        for _ in range(round(2 * seconds)):
            for number in range(1, per_s // 2 + 1):
                t_ns = self.now_ns + number * S // per_s
                self.devices.buffer.push(Frame(t_ns, t_ns, draw(t_ns), 0))
            self.now_ns += S // 2
            self.table.clock.now_ns = self.now_ns
            self.step()

    def journalled(self) -> list[tuple[object, object]]:
        read = self.table.referee.store.read
        events = (record.event for record in kept_game(read, games(read)[0]).records.values())
        return [(event.data["what"], event.data["on"]) for event in events if event.kind == "mishap"]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    room = Room(tmp_path)
    room.go(2)
    return room


@pytest.mark.parametrize(
    ("what", "alter", "begins", "ends"),
    [
        ("dark", lit(0.12), "too dark", "enough light"),
        ("bright", lit(1.8), "too bright", "not too bright"),
        ("light", lit(0.4), "light has changed", "as it was"),
        ("light", lit(0.45, 0.8, 1.0), "light has changed", "as it was"),
        ("blurred", blurred, "not sharp", "sharp again"),
        ("smeared", smeared, "wipe it", "clear again"),
    ],
)
def test_a_mishap_is_said_once_in_time_and_its_end_and_both_are_journalled(
    room: Room, what: str, alter: Alter, begins: str, ends: str
) -> None:
    room.yuv = what in ("light", "smeared")
    room.play()
    room.show = alter
    room.go(2)
    assert (room.said, room.troubles) == ([], [f"guard {what}"])
    room.go(12, 1)
    (sentence,) = room.said
    assert begins in sentence
    room.show = lit(1.0)
    room.go(2.5)
    assert (len(room.said), room.troubles) == (1, [])
    assert room.journalled() == [(what, True), (what, False)]
    room.go(31, 1)
    assert [ends in sentence for sentence in room.said] == [False, True]
    # A picture never changes amid play.
    assert room.devices.settled == []


def turned(degrees: float, across: float, down: float) -> Alter:
    """Push the camera: all that it sees is elsewhere."""
    turn = cv2.getRotationMatrix2D((320, 180), degrees, 1.0)
    turn[:, 2] = turn[:, 2] + (across, down)
    return lambda picture: np.asarray(cv2.warpAffine(picture, turn, (640, 360), borderValue=(60, 90, 130)), np.uint8)


def with_a_card_pushed(picture: Image) -> Image:
    """Push one marker card along, as a hand does."""
    done = picture.copy()
    done[38:122, 48:132] = (60, 90, 130)
    done[46:130, 60:144] = picture[38:122, 48:132]
    return done


def test_hands_shadows_a_short_flash_and_a_pushed_marker_card_are_no_mishap(room: Room) -> None:
    room.play()
    for alter, seconds in ((covered, 2.0), (lit(1.0), 0.5), (lit(2.0), 0.25), (lit(1.0), 1.0), (lit(0.8), 2.0)):
        room.show = alter
        room.go(seconds)
    assert (room.said, room.troubles) == ([], [])
    room.show = with_a_card_pushed
    room.go(5)
    assert room.said == []


@pytest.mark.parametrize("push", [turned(0, 5, 3), turned(1.5, 0, 0), turned(-3, 12, 0), turned(0, 70, 0)])
def test_a_pushed_camera_is_shown_and_the_table_is_known_again(room: Room, push: Alter) -> None:
    room.play()
    room.show = push
    room.go(2)
    assert room.troubles == ["guard moved"]
    room.go(5)
    # It is over before anybody had to be troubled.
    assert room.said == []
    assert (room.troubles, room.journalled()) == ([], [("moved", True), ("moved", False)])


def test_a_camera_that_was_set_at_night_is_set_anew_by_day_and_at_a_games_beginning(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.camera = lit(6.0)
    room.go(3)
    assert len(room.devices.settled) == 1
    room.camera = lit(1.0)
    room.go(5)
    assert (room.said, room.troubles, len(room.devices.settled)) == ([], [], 1)
    room.show = lit(0.65)
    room.go(3)
    assert len(room.devices.settled) == 1
    room.devices.camera_notes = (camera_notes.NO_FOCUS,)
    room.table.referee.begin("piccolino", ["Ann", "Ben"], {})
    room.go(1)
    assert len(room.devices.settled) == 2
    assert "One moment: the camera sets itself to the light." in room.said
    # That it could not be focused is shown as soon as somebody plays.
    assert "guard blurred" in room.troubles


def test_in_play_it_is_only_said_and_a_pause_sets_the_camera(room: Room) -> None:
    room.play()
    room.show = lit(2.5)
    room.go(13, 1)
    assert room.devices.settled == []
    room.table.referee.pause(True)
    room.go(0.25)
    assert len(room.devices.settled) == 1
    room.devices.settling = True
    room.go(1)
    room.camera, room.devices.settling = lit(0.4), False
    room.go(4)
    assert "too bright" in room.said[0]
    assert room.said[1:] == ["Pause.", "The camera has set itself to the light: you can go on."]
    room.go(31, 1)
    assert room.said[3:] == ["The light is not too bright any more."]


def test_in_an_empty_dark_room_nothing_is_said_and_the_camera_is_not_set_all_night(room: Room) -> None:
    room.show = lit(0.02)
    room.go(60, 1)
    tried = len(room.devices.settled)
    assert tried == 1
    assert room.said == []
    room.table.referee.begin("piccolino", ["Ann", "Ben"], {})
    room.go(1)
    assert sum("too dark" in sentence for sentence in room.said) == 1
    # Somebody switches the lamp on: no need to wait for the next try.
    room.table.referee.pause(True)
    room.show = lit(2.5)
    room.go(3)
    assert len(room.devices.settled) == tried + 1


def test_a_mishap_stands_beside_the_rulings_that_it_touches_and_no_others(room: Room) -> None:
    room.play()

    def explained(colour: str) -> list[str]:
        for seat in (0, 1):
            room.table.card(seat, colour)
        room.table.hear("bell", seat=0)
        room.go(3, 1)
        rulings = room.table.referee.state()["rulings"]
        ring = next(one["id"] for one in rulings if one["ruling"]["ruling"] == "ring")
        mishaps: list[str] = queries.explain(room.table.referee, ring)["mishaps"]
        return mishaps

    assert explained("red") == []
    room.show = lit(0.12)
    room.go(2)
    assert ["too dark" in sentence for sentence in explained("blue")] == [True]
    room.show = lit(1.0)
    room.go(3)
    assert explained("green") == []


def test_heat_power_and_disk_are_said_and_their_ends(tmp_path: Path) -> None:
    fake: dict[str, int] = {"bits": 0, "free": 1 << 33}
    asked = Machine(root=tmp_path, run=lambda *_: f"throttled=0x{fake['bits']:x}", free_bytes=lambda _: fake["free"])
    room = Room(tmp_path, asked)
    room.play()
    fake |= {"bits": 0x50005, "free": 1 << 20}
    room.go(24, 1)
    assert room.troubles == ["guard disk", "guard power"]
    fake |= {"bits": 0x50008, "free": 1 << 33}
    room.go(24, 1)
    assert room.troubles == ["guard hot"]
    fake |= {"bits": 0x50000}
    room.go(70, 1)
    assert room.troubles == []
    words = ("too little power", "nearly full", "too hot", "enough power", "room on the disk", "cooled")
    assert [sum(word in sentence for sentence in room.said) for word in words] == [1] * len(words)


def test_a_lamp_whose_flicker_setting_up_could_not_hide_is_said(room: Room) -> None:
    room.play()
    room.devices.camera_notes = (camera_notes.LAMP_FLICKERS,)
    room.go(12, 1)
    assert ["flickers" in sentence for sentence in room.said] == [True]
    room.devices.camera_notes = ()
    room.go(32, 1)
    assert "does not flicker any more" in room.said[-1]


def test_a_camera_that_gives_far_fewer_pictures_is_said_and_none_at_all_is_left_to_others(room: Room) -> None:
    room.play()
    room.film(5, 28)
    room.film(4, 12)
    assert room.said == []
    room.film(4, 4)
    assert (room.said, room.troubles) == ([], ["guard pace"])
    room.film(10, 4)
    assert ["camera is slow" in sentence for sentence in room.said] == [True]
    room.film(34, 28)
    assert "enough pictures again" in room.said[-1]


def test_a_table_that_draws_itself_is_never_said_to_be_badly_seen(room: Room) -> None:
    room.guard = Monitor(room.table.referee, Machine(), drawn=True)
    room.play()
    for alter in (lit(0.12), blurred, lit(1.8)):
        room.show = alter
        room.go(15, 1)
    assert (room.said, room.troubles, room.devices.settled) == ([], [], [])
    assert simulated_parts(simulated_devices()).drawn
