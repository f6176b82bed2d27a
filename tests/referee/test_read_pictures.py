"""`ringmaster read --deck piccolino`: the outside contract for decks of pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli import main
from referee.schemas import SCHEMAS
from tests.support.flat_piles import pile_scene
from vision.profile import TableProfile, profile_text


@pytest.fixture(scope="module")
def table_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("read")
    image, camera, _ = pile_scene(31, 0.2)
    cv2.imwrite(str(folder / "a.jpg"), image)
    (folder / "table.json").write_text(profile_text(TableProfile(camera.table)), encoding="utf-8")
    return folder


def test_cards_come_with_their_attributes(table_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, profile = str(table_folder / "a.jpg"), str(table_folder / "table.json")
    assert main(["read", picture, "--deck", "piccolino", "--table", profile, "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    SCHEMAS["read"].validate_python(line)
    _, _, truth = pile_scene(31, 0.2)
    assert (line["deck"], line["unclear"], len(line["cards"])) == ("piccolino", [], len(truth))
    for top in truth:
        middle = top.corners_px.mean(axis=0)
        card = min(line["cards"], key=lambda card: np.linalg.norm(np.mean(card["corners_px"], axis=0) - middle))
        colour, mood = top.face.split("-") if top.face else (None, None)
        assert card["side"] == ("back" if top.face is None else "front")
        assert card["attributes"] == {"colour": colour, "mood": mood}
        assert (card["face"], card["seat"]) == (top.face, None)
        assert card["confidence"] > 0.9
        assert len(card["centre_mm"]) == 2
        if top.face:
            assert np.abs(np.array(card["corners_px"]) - top.corners_px).max() < 3


def test_people_read_colours_and_moods(table_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = tmp_path / "drawn.jpg"
    assert main(["read", str(table_folder / "a.jpg"), "--deck", "piccolino", "--picture", str(drawn)]) == 0
    said = capsys.readouterr().out
    faces = [top.face for top in pile_scene(31, 0.2)[2] if top.face]
    assert all(f"{face}: {', '.join(face.split('-'))}" in said for face in faces)
    assert "a card's back" in said
    assert drawn.stat().st_size > 10_000
