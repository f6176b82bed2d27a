"""Sets of pictures: known again wherever they lie, and not taken for each other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from referee.bench.picture_sets import contents_of, known_sets
from referee.cli import main

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "docs" / "sets.json"
SCENES = ROOT / "tests" / "data" / "scenes"
Capture = pytest.CaptureFixture[str]


def test_what_lies_in_the_code_s_own_folders_is_what_the_manifest_says() -> None:
    own = [one for one in known_sets(MANIFEST) if (ROOT / one.where).is_dir()]
    assert {one.where for one in own} == {f"tests/data/{name}" for name in ("scenes", "photos", "tables")}
    for one in own:
        contents = contents_of(ROOT / one.where)
        assert (contents.pictures, contents.sha256) == (one.pictures, one.sha256)


def test_a_set_is_known_elsewhere_but_not_with_another_truth(tmp_path: Path, capfd: Capture) -> None:
    there = tmp_path / "elsewhere"
    shutil.copytree(SCENES, there)
    (there / "LICENSE").write_text("as before")
    (there / "white-easy_id.png").write_bytes(b"what a renderer leaves")
    assert main(["bench", "sets", str(there), "--manifest", str(MANIFEST)]) == 0
    assert "scenes of the tests" in capfd.readouterr().out
    (there / "white-easy.json").write_text("{}")
    assert main(["bench", "sets", str(there), "--manifest", str(MANIFEST)]) == 1
    assert "no set that figures were measured on" in capfd.readouterr().out


def test_all_sets_are_listed_with_their_licences(capfd: Capture) -> None:
    assert main(["bench", "sets", "--manifest", str(MANIFEST), "--json"]) == 0
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert len(told) == len(known_sets(MANIFEST)) >= 3
    assert all(one["licence"] and len(one["sha256"]) == 64 for one in told)


@pytest.mark.parametrize("content", ["no JSON", '[{"name": "scenes"}]'])
def test_what_is_no_manifest_and_a_folder_without_pictures_are_one_line_each(
    content: str, tmp_path: Path, capfd: Capture
) -> None:
    manifest = tmp_path / "sets.json"
    manifest.write_text(content)
    for wrong in (
        ["--manifest", str(manifest)],
        [str(tmp_path), "--manifest", str(MANIFEST)],
        ["--manifest", str(tmp_path / "none")],
        [str(tmp_path / "none"), "--manifest", str(MANIFEST)],
    ):
        assert main(["bench", "sets", *wrong]) == 2
        assert capfd.readouterr().err.count("\n") == 1
