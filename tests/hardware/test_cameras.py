"""Which cameras there are and what a name means; files and recordings as cameras; pictures put right."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.camera import (
    BadCameraError,
    Camera,
    CameraMissingError,
    CameraSettings,
    Settling,
    Turn,
    open_camera,
    opened_turned,
)
from hardware.camera.exposure import Polygon
from hardware.camera.files import RecordingCamera
from hardware.camera.frames import Frame, PixelFormat, to_bgr
from hardware.camera.picamera2 import picamera2_cameras
from hardware.camera.plugged import KEPT_S, Plugged
from hardware.camera.usb import Capability, node_of, query, usb_cameras
from hardware.recording import BadRecordingError
from simulation.live import to_nv12
from tests.support.recorded_games import MS, write_game

AT_ONCE = CameraSettings(live=False, frames_per_s=10)


def frames_of(camera: Camera) -> list[Frame]:
    frames = []
    while (frame := camera.read()) is not None:
        frames.append(frame)
    assert camera.read() is None
    camera.close()
    camera.close()
    return frames


def pictures(folder: Path, names: list[str]) -> None:
    for number, name in enumerate(names):
        cv2.imwrite(str(folder / name), np.full((8, 10, 3), 20 * number + 20, np.uint8))


def test_a_folder_is_shown_in_the_order_people_count(tmp_path: Path) -> None:
    pictures(tmp_path, ["1.png", "2.png", "10.png"])
    (tmp_path / "notes.txt").write_text("no picture")
    frames = frames_of(open_camera(str(tmp_path), AT_ONCE))
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [20, 40, 60]
    assert [frame.t_ns for frame in frames] == [0, 100 * MS, 200 * MS]
    assert [frame.sequence for frame in frames] == [0, 1, 2]


def test_a_video_is_shown_at_its_own_pace(tmp_path: Path) -> None:
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20.0, (32, 16))
    for number in range(4):
        writer.write(np.full((16, 32, 3), 40 * number + 40, np.uint8))
    writer.release()
    frames = frames_of(open_camera(str(path), AT_ONCE))
    assert [round(float(frame.image.mean()) / 40) for frame in frames] == [1, 2, 3, 4]
    assert [frame.t_ns for frame in frames] == [0, 50 * MS, 100 * MS, 150 * MS]


def test_a_recording_is_a_camera_with_its_own_times_and_played_live_is_moved_to_today(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    write_game(path, seconds=2)
    frames = frames_of(open_camera(str(path), AT_ONCE))
    assert [frame.t_ns for frame in frames] == [1_100 * MS, 1_600 * MS, 2_100 * MS, 2_600 * MS]
    assert [frame.exposure_end_ns - frame.t_ns for frame in frames] == [10 * MS] * 4
    waited: list[int] = []
    frames = frames_of(RecordingCamera(str(path), 77_000 * MS, waited.append))
    assert waited == [77_000 * MS, 77_500 * MS, 78_000 * MS, 78_500 * MS]
    assert [frame.exposure_end_ns - frame.t_ns for frame in frames] == [10 * MS] * 4


def test_a_torn_recording_is_shown_as_far_as_it_goes_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    write_game(path)
    path.write_bytes(path.read_bytes()[:3500])
    camera = open_camera(str(path), AT_ONCE)
    assert frames_of(camera)
    assert len(camera.notes) == 1


@pytest.mark.parametrize(
    "name", ["", "webcam", "nikon:3", "usb:webcam", "picamera2:front", "folder:", "video:", "recording:"]
)
def test_a_name_that_means_no_camera_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(BadCameraError, match=f"no camera called “{name}”: say") as caught:
        open_camera(name)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    for name in ("notes.avi", "notes.mcap"):
        (tmp_path / name).write_text("neither")
    for path in (folder, tmp_path / "notes.avi", tmp_path / "nowhere"):
        with pytest.raises(BadCameraError):
            open_camera(f"folder:{path}" if path.name == "nowhere" else str(path), AT_ONCE)
    with pytest.raises(BadRecordingError):
        open_camera(str(tmp_path / "notes.mcap"), AT_ONCE)
    pictures(folder, ["1.png"])
    (folder / "2.jpg").write_bytes(b"torn")
    camera = open_camera(str(folder), AT_ONCE)
    camera.read()
    with pytest.raises(CameraMissingError, match=r"2\.jpg"):
        camera.read()


@pytest.mark.parametrize("bad", [{"width": 0}, {"frames_per_s": 0.0}, {"frames_per_s": float("nan")}])
def test_impossible_wishes_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadCameraError):
        CameraSettings(**bad)  # type: ignore[arg-type]


Image = NDArray[np.uint8]
RNG = np.random.default_rng(1)
SMOOTH: Image = np.asarray(
    cv2.resize(RNG.integers(0, 255, (4, 6, 3), np.uint8), (96, 64), interpolation=cv2.INTER_CUBIC), np.uint8
)


class Still:
    """A camera with one picture."""

    name, notes = "still", ()

    def __init__(self, image: Image, layout: PixelFormat) -> None:
        self._frame = Frame(1, 2, image, 0, layout, image[:64])
        self.area: Polygon | None = None

    def read(self) -> Frame | None:
        return self._frame

    def close(self) -> None:
        """Close nothing."""

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        self.area = area


@pytest.mark.parametrize("layout", list(PixelFormat))
@pytest.mark.parametrize(
    ("turn", "flip"), [(Turn(True, False), -1), (Turn(False, True), 1), (Turn(True, True), 0)], ids=str
)
def test_pictures_are_put_right(layout: PixelFormat, turn: Turn, flip: int) -> None:
    image: Image = SMOOTH
    if layout is PixelFormat.NV12:
        image = to_nv12(SMOOTH)
    if layout is PixelFormat.I420:
        image = np.asarray(cv2.cvtColor(SMOOTH, cv2.COLOR_BGR2YUV_I420))
    frame = opened_turned(lambda: Still(image, layout), turn).read()
    assert frame is not None
    right = cv2.flip(to_bgr(image, layout), flip)
    assert np.abs(frame.bgr().astype(int) - right.astype(int)).max() <= 1


def test_a_turned_camera_is_set_up_again_where_the_table_is_in_its_own_picture() -> None:
    still = Still(SMOOTH, PixelFormat.BGR)
    camera = opened_turned(lambda: still, Turn(upside_down=True))
    assert isinstance(camera, Settling)
    camera.settle(np.array([[0.1, 0.2]]))
    assert still.area is not None
    assert np.allclose(still.area, [[0.9, 0.8]])
    assert opened_turned(lambda: still, Turn()) is still


def test_cameras_of_the_pi_are_named_and_a_library_that_is_missing_or_fails_lists_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = "/base/axi/pcie@1000120000/rp1"
    there = [
        {"Model": "imx708_wide", "Num": 0, "Id": f"{at}/i2c@88000/imx708@1a"},
        {"Model": "ov5647", "Num": 1, "Id": f"{at}/i2c@80000/ov5647@36"},
        # The library lists USB cameras, too; another back-end has them.
        {"Model": "C920", "Num": 2, "Id": f"{at}/usb@200000-1:1.0-046d:08e5"},
    ]

    def fails() -> None:
        raise RuntimeError("Camera __init__ sequence did not complete.")

    for listed, found in (
        (lambda: there, [("picamera2", "imx708_wide"), ("picamera2:1", "ov5647")]),
        (fails, []),
    ):
        library = SimpleNamespace(Picamera2=SimpleNamespace(global_camera_info=listed))
        monkeypatch.setitem(sys.modules, "picamera2", library)
        assert picamera2_cameras() == found
    monkeypatch.setitem(sys.modules, "picamera2", None)
    assert picamera2_cameras() == []


def test_cameras_are_looked_for_again_after_a_while_and_not_at_each_question() -> None:
    now, there = [100.0], [("usb:0", "Old")]
    plugged = Plugged(lambda: list(there), lambda: now[0])
    assert plugged() == [("usb:0", "Old")]
    there.append(("usb:1", "New"))
    assert plugged() == [("usb:0", "Old")]
    now[0] += KEPT_S
    assert plugged() == [("usb:0", "Old"), ("usb:1", "New")]


class Plugs:
    """A /dev in a folder. A node's text is its camera's name, its plug, and whether it gives pictures."""

    def __init__(self, folder: Path) -> None:
        self.dev = folder
        (folder / "v4l" / "by-id").mkdir(parents=True)

    def node(self, number: int, said: Capability | None) -> Path:
        path = self.dev / f"video{number}"
        path.write_text("" if said is None else f"{said.card}|{said.bus}|{said.gives_pictures}")
        return path

    def webcam(self, card: str, number: int, plug: str) -> Path:
        """Plug a webcam in: a node for pictures, one for remarks, and lasting names of both."""
        for index in (0, 1):
            node = self.node(number + index, Capability(card, plug, index == 0))
            (self.by_id(card, index)).symlink_to(node)
        return self.dev / f"video{number}"

    def by_id(self, card: str, index: int = 0) -> Path:
        return self.dev / "v4l" / "by-id" / f"usb-{card.replace(' ', '_')}-video-index{index}"

    def ask(self, path: Path) -> Capability | None:
        if not path.exists() or not (text := path.read_text()):
            return None
        card, bus, gives = text.split("|")
        return Capability(card, bus, gives == "True")

    def of(self, which: str) -> tuple[Path, str]:
        return node_of(which, self.dev, self.ask)


@pytest.fixture
def plugs(tmp_path: Path) -> Plugs:
    plugs = Plugs(tmp_path)
    # A Raspberry Pi has nodes of its own that give pictures, and one may hang.
    plugs.node(14, Capability("bcm2835-isp", "platform:bcm2835-isp", True))
    plugs.node(19, None)
    return plugs


def test_the_one_that_gives_pictures_is_taken_whatever_its_number(plugs: Plugs) -> None:
    node = plugs.webcam("HD Pro", 2, "usb-xhci-1.1")
    for which in ("", "0", "2", "3", "7"):
        assert plugs.of(which) == (node, "HD Pro")


def test_among_several_a_lasting_name_is_followed_and_a_number_that_stands_for_none_not_guessed_at(
    plugs: Plugs,
) -> None:
    plugs.webcam("HD Pro", 0, "usb-1")
    brio = plugs.webcam("Brio", 2, "usb-2")
    names = [str(plugs.by_id(card)) for card in ("HD Pro", "Brio")]
    assert [camera.spec for camera in usb_cameras(plugs.dev, plugs.ask)] == [f"usb:{name}" for name in names]
    assert plugs.of(names[1]) == plugs.of("2") == (brio, "Brio")
    with pytest.raises(CameraMissingError, match=r"camera 1 is not there; there are HD Pro \(usb:.*\), Brio"):
        plugs.of("1")


def test_a_camera_that_is_unplugged_or_a_node_for_remarks_is_said_with_the_others(plugs: Plugs) -> None:
    with pytest.raises(CameraMissingError, match=r"USB camera 0 is not there. Check its cable"):
        node_of("", plugs.dev, lambda _: None)
    plugs.webcam("HD Pro", 0, "usb-1")
    with pytest.raises(CameraMissingError, match=r"USB camera Brio is not there.*Another one is: HD Pro"):
        plugs.of(str(plugs.by_id("Brio")))
    with pytest.raises(CameraMissingError, match=r"gives no pictures. Choose HD Pro"):
        plugs.of(str(plugs.by_id("HD Pro", 1)))


def test_a_file_that_is_no_video_node_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "video0").write_text("nothing")
    assert query(tmp_path / "video0") is None
    assert query(tmp_path / "video1") is None
    assert usb_cameras(tmp_path) == ()
