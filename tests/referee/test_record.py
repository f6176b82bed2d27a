import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError
from hardware.camera.frames import Frame
from hardware.edges import Edge, OnEdge, OnHealth
from hardware.recording import RecordedFrame, read_recording
from referee.commands import main
from tests.support.device_fakes import FakeLines

Capture = pytest.CaptureFixture[str]


def pictures(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((12, 16, 3), 20 * number + 20, np.uint8))
    return folder


def frames_in(path: Path) -> list[RecordedFrame]:
    return [payload for _, _, payload in read_recording(path).events if isinstance(payload, RecordedFrame)]


def test_a_folder_becomes_a_recording_with_its_game(tmp_path: Path, capsys: Capture) -> None:
    folder, path = pictures(tmp_path / "pictures", 5), tmp_path / "game.mcap"
    command = ["record", "-o", str(path), "--camera", str(folder), "--fps", "10", "--game", "confetti"]
    assert main([*command, "--players", "Ann, Ben"]) == 0
    assert "5 pictures" in capsys.readouterr().out
    recording = read_recording(path)
    options = {"edition": "english", "overlimit": "separate", "side": "white", "late_cards": "count"}
    assert recording.header == {"game": "confetti", "players": ["Ann", "Ben"], "options": options}
    frames = frames_in(path)
    assert [round(float(frame.frame().image.mean()) / 20) for frame in frames] == [1, 2, 3, 4, 5]
    assert np.diff([frame.t_ns for frame in frames]).tolist() == [100_000_000] * 4
    short = tmp_path / "short.mcap"
    assert main(["record", "-o", str(short), "--camera", str(folder), "--fps", "10", "--seconds", "0.3"]) == 0
    assert len(frames_in(short)) == 3
    assert read_recording(short).header is None


class LiveCamera:
    """Gives four frames of today, then its end, or Ctrl-C."""

    name, notes = "a live camera", ("It holds no exposure.",)

    def __init__(self, interrupted: bool) -> None:
        self.interrupted, self.left, self.closed = interrupted, 4, False

    def read(self) -> Frame | None:
        if not self.left and self.interrupted:
            raise KeyboardInterrupt
        if not self.left:
            return None
        self.left -= 1
        now_ns = time.monotonic_ns()
        return Frame(now_ns, now_ns, np.full((12, 16, 3), 90, np.uint8), 9 - self.left)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_live_camera_is_recorded_until_it_ends_or_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, interrupted: bool
) -> None:
    camera = LiveCamera(interrupted)
    monkeypatch.setattr("hardware.camera.camera.open_camera", lambda spec, settings: camera)
    path = tmp_path / "game.mcap"
    where = str(pictures(tmp_path / "p", 1)) if interrupted else "usb:0"
    assert main(["record", "-o", str(path), "--camera", where]) == 0
    recorded = len(frames_in(path))
    assert recorded == 4 if interrupted else recorded
    assert camera.closed
    out, err = capsys.readouterr()
    assert f"{recorded} picture" in out
    assert interrupted or "ringmaster record: It holds no exposure." in err.splitlines()


def test_the_bell_is_recorded_with_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lines(FakeLines):
        def open(self, on_edge: OnEdge, on_health: OnHealth) -> list[Edge]:
            for edge in (Edge(150_000_000, "bell", True), Edge(160_000_000, "bell", False)):
                on_edge(edge)
            return []

    monkeypatch.setattr("hardware.gpio.GpioLines", lambda specs: Lines())
    folder, path = pictures(tmp_path / "pictures", 3), tmp_path / "game.mcap"
    assert main(["record", "-o", str(path), "--camera", str(folder), "--fps", "10", "--edges"]) == 0
    kinds = [(event.t_ns // 1_000_000, event.kind) for event in read_recording(path).events]
    assert kinds == [(0, "camera"), (100, "camera"), (150, "bell"), (160, "bell"), (200, "camera")]


def test_what_is_there_is_not_overwritten_and_a_missing_camera_is_status_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = tmp_path / "game.mcap"
    path.write_text("precious")
    assert main(["record", "-o", str(path), "--camera", str(pictures(tmp_path / "p", 1))]) == 2
    assert "there already" in capsys.readouterr().err
    assert path.read_text() == "precious"

    def missing(spec: str, settings: object) -> Camera:
        raise CameraMissingError("some.fault", "Camera 0 was not found.")

    monkeypatch.setattr("hardware.camera.camera.open_camera", missing)
    assert main(["record", "-o", str(tmp_path / "other.mcap")]) == 1
    assert capsys.readouterr().err == "ringmaster record: Camera 0 was not found.\n"
    assert not (tmp_path / "other.mcap").exists()
