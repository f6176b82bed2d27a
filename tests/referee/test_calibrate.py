"""`ringmaster calibrate table`: a survey after which the marker cards may be covered or taken away."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.cli import main
from vision.image import load_image
from vision.markers import find_markers

TABLE = Path(__file__).parents[1] / "data" / "tables" / "confetti-three-seats.jpg"

Capture = pytest.CaptureFixture[str]
Image = NDArray[np.uint8]


def without(image: Image, *ids: int) -> Image:
    bare = image.copy()
    for marker in find_markers(image):
        if marker.id in ids:
            grown = marker.corners_px.mean(0) + 1.4 * (marker.corners_px - marker.corners_px.mean(0))
            cv2.fillConvexPoly(bare, np.rint(grown).astype(np.int32), (90, 110, 120))
    return bare


def kept(folder: Path, name: str, image: Image) -> str:
    cv2.imwrite(str(folder / name), image)
    return str(folder / name)


def points(capfd: Capture, *more: str) -> list[int]:
    capfd.readouterr()
    assert main(["score", "confetti", "--players", "3", "--json", *more]) == 0
    return [json.loads(line)["points"] for line in capfd.readouterr().out.splitlines()]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_surveyed_table_is_scored_with_no_marker_card_in_sight(tmp_path: Path, capfd: Capture) -> None:
    profile = str(tmp_path / "table.json")
    assert main(["calibrate", "table", str(TABLE), "-o", profile]) == 0
    assert "marker cards 0, 1, 2 and 3;" in capfd.readouterr().out
    bare = kept(tmp_path, "bare.png", without(load_image(TABLE), 0, 1, 2, 3))
    assert points(capfd, "--image", bare, "--table", profile) == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_several_pictures_make_up_for_marker_cards_that_are_covered(tmp_path: Path, capfd: Capture) -> None:
    image, profile = load_image(TABLE), str(tmp_path / "table.json")
    one, other = kept(tmp_path, "a.png", without(image, 0, 1)), kept(tmp_path, "b.png", without(image, 2))
    assert main(["calibrate", "table", one, other, "-o", profile]) == 0
    assert "marker cards 0, 1, 2 and 3;" in capfd.readouterr().out
    bare = kept(tmp_path, "bare.png", without(image, 0, 1, 2, 3))
    assert points(capfd, "--image", bare, "--table", profile) == [5, 2, 3]


@pytest.mark.usefixtures("no_hands_sought")
def test_the_reach_says_whose_cards_lie_farther_from_the_edge(tmp_path: Path, capfd: Capture) -> None:
    profile = str(tmp_path / "table.json")
    assert main(["calibrate", "table", str(TABLE), "-o", profile, "--reach", "20"]) == 0
    assert sum(points(capfd, "--image", str(TABLE), "--table", profile)) < 10


@pytest.mark.usefixtures("no_hands_sought")
def test_a_camera_that_was_pushed_is_noticed_under_its_profile(tmp_path: Path, capfd: Capture) -> None:
    image = np.asarray(cv2.resize(load_image(TABLE), (960, 540), interpolation=cv2.INTER_AREA), np.uint8)
    profile = str(tmp_path / "table.json")
    assert main(["calibrate", "table", kept(tmp_path, "table.png", image), "-o", profile]) == 0
    # All marker cards are still in sight: they tell the table anew.
    near = kept(tmp_path, "near.png", moved(image, 24, -12))
    capfd.readouterr()
    assert main(["score", "confetti", "--players", "3", "--json", "--image", near, "--table", profile]) == 0
    out, err = capfd.readouterr()
    assert [json.loads(line)["points"] for line in out.splitlines()] == [5, 2, 3]
    assert "the camera was moved since the table was calibrated" in err
    # Of two marker cards with one number the profile tells which does not belong there.
    twice = image.copy()
    twice[240:336, 420:516] = image[437:533, 60:156]  # marker card 3
    again = kept(tmp_path, "again.png", twice)
    main(["score", "confetti", "--players", "3", "--json", "--image", again, "--table", profile])
    assert "two marker cards have the number 3: both are left out, take the one at the middle" in capfd.readouterr().err
    # The half of the table, and of its marker cards, is out of sight.
    for command in (["score", "confetti", "--players", "3", "--image"], ["read", "--deck", "confetti"]):
        assert main([*command, kept(tmp_path, "far.png", moved(image, 0, 200)), "--table", profile]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert "the camera was moved since the table was calibrated" in err


def moved(image: Image, right: float, down: float) -> Image:
    shift = np.array([[1.0, 0, right], [0, 1, down]])
    return np.asarray(cv2.warpAffine(image, shift, image.shape[1::-1]), np.uint8)


def refused(capfd: Capture, output: Path, *arguments: str) -> str:
    assert main(["calibrate", "table", *arguments, "-o", str(output)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert not output.is_file()
    return err


def test_what_is_wrong_with_the_pictures_is_said_in_one_line(tmp_path: Path, capfd: Capture) -> None:
    image, profile = load_image(TABLE), tmp_path / "table.json"
    shift = np.array([[1.0, 0, 9], [0, 1, 0]])
    moved = kept(tmp_path, "moved.png", np.asarray(cv2.warpAffine(image, shift, image.shape[1::-1]), np.uint8))
    assert "lies elsewhere in" in refused(capfd, profile, str(TABLE), moved)
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = kept(tmp_path, "small.png", np.asarray(half, np.uint8))
    assert "small.png has another size" in refused(capfd, profile, str(TABLE), small)
    bare = kept(tmp_path, "bare.png", without(image, 0, 1, 2, 3))
    assert "no marker card is in sight in" in refused(capfd, profile, str(TABLE), bare)
    left = kept(tmp_path, "left.png", without(image, 0, 1))
    right = kept(tmp_path, "right.png", without(image, 2, 3))
    assert "right.png shows none of the marker cards" in refused(capfd, profile, left, right)
    lone = kept(tmp_path, "lone.png", without(image, 0, 1, 2))
    assert "only marker card 3 is in sight" in refused(capfd, profile, lone)
    twice = image.copy()
    twice[400:560, 700:860] = image[728:888, 100:260]  # marker card 3
    assert "marker card 3 is in" in refused(capfd, profile, kept(tmp_path, "twice.png", twice))
    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    assert "text.jpg" in refused(capfd, profile, str(text))
    assert "--reach" in refused(capfd, profile, str(TABLE), "--reach", "nan")
    assert "folder" in refused(capfd, tmp_path / "nowhere" / "table.json", str(TABLE))
