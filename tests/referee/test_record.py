import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError
from hardware.camera.frames import Frame
from hardware.edges import Edge, RecordedLines
from hardware.recording import RecordedFrame, read_recording
from referee import cli


def pictures(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((12, 16, 3), 20 * number + 20, np.uint8))
    return folder


def frames_in(path: Path) -> list[RecordedFrame]:
    return [payload for _, _, payload in read_recording(path).events if isinstance(payload, RecordedFrame)]


def test_a_folder_becomes_a_recording_with_its_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, path = pictures(tmp_path / "pictures", 5), tmp_path / "game.mcap"
    command = ["record", "-o", str(path), "--camera", str(folder), "--fps", "10", "--game", "confetti"]
    assert cli.main([*command, "--players", "Ann, Ben"]) == 0
    assert "5 pictures" in capsys.readouterr().out
    recording = read_recording(path)
    options = {"edition": "english", "overlimit": "separate", "side": "white", "late_cards": "count"}
    assert recording.header == {"game": "confetti", "players": ["Ann", "Ben"], "options": options}
    frames = frames_in(path)
    assert [round(float(frame.frame().image.mean()) / 20) for frame in frames] == [1, 2, 3, 4, 5]
    assert np.diff([frame.t_ns for frame in frames]).tolist() == [100_000_000] * 4


def test_seconds_end_the_recording(tmp_path: Path) -> None:
    folder, path = pictures(tmp_path / "pictures", 8), tmp_path / "game.mcap"
    assert cli.main(["record", "-o", str(path), "--camera", str(folder), "--fps", "10", "--seconds", "0.3"]) == 0
    assert len(frames_in(path)) == 3
    assert read_recording(path).header is None


class LiveCamera:
    """Gives a few frames of today."""

    name, notes = "a live camera", ("It holds no exposure.",)

    def __init__(self, frames: int) -> None:
        self.left = frames
        self.closed = False

    def read(self) -> Frame | None:
        if not self.left:
            return None
        self.left -= 1
        now_ns = time.monotonic_ns()
        return Frame(now_ns, now_ns, np.full((12, 16, 3), 90, np.uint8), 9 - self.left)

    def close(self) -> None:
        self.closed = True


def test_a_live_camera_is_recorded_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    camera = LiveCamera(4)
    monkeypatch.setattr("hardware.camera.camera.open_camera", lambda spec, settings: camera)
    path = tmp_path / "game.mcap"
    assert cli.main(["record", "-o", str(path), "--camera", "usb:0"]) == 0
    assert frames_in(path)
    assert camera.closed
    said = capsys.readouterr().err.splitlines()
    assert "ringmaster record: It holds no exposure." in said


def test_the_bell_is_recorded_with_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = RecordedLines([Edge(150_000_000, "bell", True), Edge(160_000_000, "bell", False)])
    monkeypatch.setattr("hardware.gpio.GpioLines", lambda specs: lines)
    folder, path = pictures(tmp_path / "pictures", 3), tmp_path / "game.mcap"
    assert cli.main(["record", "-o", str(path), "--camera", str(folder), "--fps", "10", "--edges"]) == 0
    kinds = [(event.t_ns // 1_000_000, event.kind) for event in read_recording(path).events]
    assert kinds == [(0, "camera"), (100, "camera"), (150, "bell"), (160, "bell"), (200, "camera")]


def test_ctrl_c_keeps_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(LiveCamera):
        def read(self) -> Frame | None:
            if self.left == 2:
                raise KeyboardInterrupt
            return super().read()

    camera: Camera = Interrupted(5)
    monkeypatch.setattr("hardware.camera.camera.open_camera", lambda spec, settings: camera)
    path = tmp_path / "game.mcap"
    assert cli.main(["record", "-o", str(path), "--camera", str(pictures(tmp_path / "p", 1))]) == 0
    assert len(frames_in(path)) == 3
    assert "3 pictures" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--camera", "nikon"], "nikon"),
        (["--camera", "."], "no pictures"),
        (["--camera", "usb:front"], "usb:0"),
        (["--camera", "PICTURES", "--seconds", "-1"], "-1.0 seconds"),
        (["--camera", "PICTURES", "--seconds", "nan"], "nan seconds"),
        (["--camera", "PICTURES", "--fps", "0"], "0.0 frames a second"),
        (["--camera", "PICTURES", "--players", "Ann,Ben"], "--game"),
        (["--camera", "PICTURES", "--game", "confetti", "--players", "Ann,,Ben"], "--players"),
        (["--camera", "PICTURES", "--game", "confetti"], "--players"),
        (["--camera", "PICTURES", "--game", "Piccolo", "--players", "Ann,Ben"], "there is no game 'Piccolo'"),
        (["--camera", "PICTURES", "--game", "piccolino", "--players", "Ann"], "2 to 5 can play"),
    ],
)
def test_bad_usage_is_one_line_and_status_two(
    tmp_path: Path,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = pictures(tmp_path / "pictures", 1)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    arguments = [str(folder) if argument == "PICTURES" else argument for argument in arguments]
    output = tmp_path / "game.mcap"
    assert cli.main(["record", "-o", str(output), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
    assert not output.exists()


def test_what_is_there_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.mcap"
    path.write_text("precious")
    assert cli.main(["record", "-o", str(path), "--camera", str(pictures(tmp_path / "p", 1))]) == 2
    assert "there already" in capsys.readouterr().err
    assert path.read_text() == "precious"


def test_a_camera_that_is_not_there_is_status_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(spec: str, settings: object) -> Camera:
        raise CameraMissingError("Camera 0 was not found.")

    monkeypatch.setattr("hardware.camera.camera.open_camera", missing)
    assert cli.main(["record", "-o", str(tmp_path / "game.mcap")]) == 1
    assert capsys.readouterr().err == "ringmaster record: Camera 0 was not found.\n"
    assert not (tmp_path / "game.mcap").exists()
