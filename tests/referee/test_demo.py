"""`ringmaster demo`: runs anywhere, without a camera, a screen or a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli import main
from vision.image import load_picture


def test_the_demo_scores_a_table_and_judges_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    for said in ("Seat 0: five sets on six cards: 5 points", "Foul, Ann: one card taken", "Ann wins with 13"):
        assert said in out
    picture = tmp_path / "out" / "scored-table.jpg"
    assert str(picture) in out
    assert load_picture(picture).size_px[0] >= 1280


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["canasta"], 2, "there is no demonstration of 'canasta' yet"),
        (["confetti", "--picture", "a.txt"], 2, "must end in .jpg or .png"),
        (["--picture", "file/a.jpg"], 1, "cannot be made"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    assert main(["demo", *arguments]) == status
    out, err = capfd.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert complaint in err
