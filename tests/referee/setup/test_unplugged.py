"""Setting up with the running service's devices: they stall, lie or are pulled out in the middle of each step."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from referee.errors import BadInputError
from referee.service import retrying
from referee.setup.finding import Finding, State
from referee.setup.walk import NAMES
from tests.referee.service.conftest import until
from tests.referee.service.test_misbehaving import rogues

MS = 1_000_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "AGAIN_NS", 50 * MS)
    monkeypatch.setattr("referee.service.setup_kit._OLD_NS", 400 * MS)


def one_sentence(found: Finding) -> bool:
    return found.text.endswith((".", "?")) and len(found.text) < 160 and "Error" not in found.text


@pytest.mark.parametrize("mood", ["gone", "silent", "black", "odd", "jumps", "stripes"])
def test_a_camera_that_fails_in_the_middle_of_any_step_is_one_sentence_and_it_goes_on(
    tmp_path: Path, mood: str
) -> None:
    with rogues(tmp_path) as home:
        walk = home.service.desk.opened_walk()
        home.camera.mood = mood
        if mood in ("gone", "silent", "black"):
            assert until(lambda: "camera" in home.troubles())
            time.sleep(0.5)
        for name in NAMES:
            walk.open(name, aloud=False)
            _, found = walk.look()
            assert one_sentence(found), (name, found)
            if mood in ("gone", "silent") and name in ("camera", "table", "seats", "light", "check"):
                assert found.state is State.MISSING
                assert "camera" in found.text
            try:
                walk.keep()
            except BadInputError as error:
                assert str(error).endswith((".", "anew", "known yet")), error
                walk.skip()
        assert set(walk.kept) == set(NAMES)
        # It comes back, and so does the step.
        home.camera.mood = "good"
        walk.open("camera", aloud=False)
        assert until(lambda: walk.look()[1].state is not State.MISSING)


def test_bell_sandtimer_lamp_and_voice_that_fail_are_one_sentence_each(tmp_path: Path) -> None:
    with rogues(tmp_path) as home:
        bell, sand, walk = home.bell, home.sand, home.service.desk.opened_walk()
        walk.open("bell", aloud=False)
        bell.press()
        assert until(lambda: walk.look()[1].text == "Heard so far: 1 of 3.")
        bell.fail()
        assert until(lambda: walk.look()[1].state is State.MISSING)
        assert one_sentence(walk.look()[1]) and "bell" in walk.look()[1].text
        walk.keep()
        walk.open("sandtimer", aloud=False)
        sand.fail()
        assert until(lambda: walk.look()[1].state is State.MISSING)
        assert one_sentence(walk.look()[1]) and "sandtimer" in walk.look()[1].text
        # Its time can be tapped all the same.
        walk.answer({"seconds": 60})
        assert until(lambda: walk.look()[1].state is State.GOOD)
        walk.keep()
        home.speaker.failing = home.lamp.failing = True
        walk.open("lamp")
        assert until(lambda: home.troubles().keys() >= {"lamp", "speaker"})
        _, found = walk.look()
        assert found.state is State.MISSING and one_sentence(found)
        walk.answer({"seen": False})
        walk.answer({"heard": False})
        assert walk.look()[1].text == "No lamp, no voice – that is fine."
        walk.keep()
        assert walk.kept["bell"].state == "missing"
