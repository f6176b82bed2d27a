from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera import files as camera_files
from hardware.camera.camera import BadCameraError, Camera, CameraMissingError, CameraSettings, open_camera, parse_spec
from hardware.camera.files import RecordingCamera
from hardware.camera.frames import Frame
from hardware.problems import HardwareError
from hardware.recording import BadRecordingError
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


def test_live_files_wait_for_the_time_of_each_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures(tmp_path, ["a.png", "b.png", "c.png"])
    waited: list[int] = []
    monkeypatch.setattr(camera_files, "wait_until", waited.append)
    frames = frames_of(open_camera(f"folder:{tmp_path}", CameraSettings(frames_per_s=10)))
    assert waited == [frame.t_ns for frame in frames]
    assert np.diff(waited).tolist() == [100 * MS, 100 * MS]


def test_a_recording_is_a_camera_with_the_times_it_was_recorded_with(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    write_game(path, seconds=2)
    frames = frames_of(open_camera(str(path), AT_ONCE))
    assert [frame.t_ns for frame in frames] == [1_100 * MS, 1_600 * MS, 2_100 * MS, 2_600 * MS]
    assert [frame.readout_ns for frame in frames] == [20 * MS] * 4


def test_a_recording_played_live_is_moved_to_today(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    write_game(path, seconds=2)
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


@pytest.mark.parametrize("spec", ["", "webcam", "nikon:3", "folder:", "video:", "recording:", "folder:/no/such/folder"])
def test_names_that_mean_nothing_are_refused_in_one_sentence(spec: str) -> None:
    with pytest.raises(BadCameraError) as caught:
        open_camera(spec)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    text = tmp_path / "notes.avi"
    text.write_text("no video")
    recording = tmp_path / "notes.mcap"
    recording.write_text("no recording")
    for path, error in ((folder, BadCameraError), (text, BadCameraError), (recording, BadRecordingError)):
        with pytest.raises(error) as caught:
            open_camera(str(path), AT_ONCE)
        assert isinstance(caught.value, HardwareError)
    pictures(folder, ["1.png"])
    (folder / "2.jpg").write_bytes(b"torn")
    camera = open_camera(str(folder), AT_ONCE)
    camera.read()
    with pytest.raises(CameraMissingError, match=r"2\.jpg"):
        camera.read()


@pytest.mark.parametrize("name", ["", "usb:webcam", "picamera2:front", "folder:", "video:", "recording:", "webcam"])
def test_a_name_that_means_no_camera_is_refused_before_any_is_looked_for(name: str) -> None:
    with pytest.raises(BadCameraError, match=f"no camera called “{name}”: say"):
        parse_spec(name)


def test_a_path_is_recognised_by_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "game.mcap").write_bytes(b"")
    (tmp_path / "table.mp4").write_bytes(b"")
    assert parse_spec(str(tmp_path))[0] == "folder"
    assert parse_spec(str(tmp_path / "game.mcap"))[0] == "recording"
    assert parse_spec(str(tmp_path / "table.mp4"))[0] == "video"
    assert parse_spec("usb:/dev/video2") == ("usb", "/dev/video2")


@pytest.mark.parametrize("bad", [{"width": 0}, {"frames_per_s": 0.0}, {"frames_per_s": float("nan")}])
def test_impossible_wishes_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadCameraError):
        CameraSettings(**bad)  # type: ignore[arg-type]
