"""Each picture in which a fault was found: `tests/pictures/NAME/` has it, the command, and what may be said of it.

`expected.json` has `shows` (why it is here), `command`, and one of

- `named`: the faces that are to be named, `perhaps`: those that may be, `unclear`: [least, most] unclear cards;
- `at`: places [x, y] on which a card of any deck is to be found, and at most `more` elsewhere, `least` in all;
- `seats`: each with its `hand`, and whether it is `certain`: "yes", "no", or "perhaps" (whole, or said to be unclear);
- `refused`: the picture gets one sentence, and nothing is reported of it.

`says` is a part of the sentence that goes with it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.commands import main

PICTURES = Path(__file__).parent / "pictures"
NAMES = sorted(path.parent.name for path in PICTURES.glob("*/expected.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_read_as_it_may_be(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    folder = PICTURES / name
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    (picture,) = folder.glob("in.*")
    what, *words = [str(folder / word) if word.startswith("../") else word for word in expected["command"]]
    image = ["--image", str(picture)] if what == "score" else [str(picture)]
    status = main([what, *words, *image, "--json"])
    out, err = capfd.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    if expected.get("refused"):
        assert status == 2 and err.count("\n") == 1 and expected.get("says", "") in err
        assert not any(line.get("cards") or line.get("faces") for line in lines)
        return
    assert (status, err.count("\n")) == (0, 1 if "says" in expected else 0) and expected.get("says", "") in err
    if "seats" in expected:
        check_seats(lines, expected["seats"])
    elif "at" in expected:
        check_places(lines[0]["cards"], expected)
    else:
        check_names(lines[0], expected)


def check_names(line: dict[str, Any], expected: dict[str, Any]) -> None:
    named = Counter(card["face"] for card in line["cards"] if card["face"] is not None)
    must = Counter(expected["named"])
    assert not named - must - Counter(expected.get("perhaps", ())), "named, though it is not there"
    assert not must - named, "not named"
    least, most = expected.get("unclear", (0, 1000))
    assert least <= len(line["unclear"]) <= most


def check_places(cards: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    shapes = [np.array(card["corners_px"], np.float32) for card in cards]
    found = [[cv2.pointPolygonTest(shape, (x, y), False) >= 0 for shape in shapes] for x, y in expected["at"]]
    assert [at for at, on in zip(expected["at"], found, strict=True) if not any(on)] == []
    assert expected.get("least", 0) <= len(shapes) <= len(expected["at"]) + expected.get("more", 0)


def check_seats(lines: list[dict[str, Any]], seats: list[dict[str, Any]]) -> None:
    for line, seat in zip(lines, seats, strict=True):
        faces, hand = Counter(line["faces"]), Counter(seat["hand"])
        certain = line["unclear"] == 0
        assert not faces - hand, "named, though it is not there"
        assert faces == hand or not certain, "a card is left out without a word"
        assert certain or seat["certain"] != "yes"
        assert not (certain and seat["certain"] == "no")
