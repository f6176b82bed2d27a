"""Decks as data: faces drawn from a description, and a broken description refused."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.deck import Face, load_deck
from vision.errors import BadDeckError
from vision.render_face import bgr, face_image, mark_outline_mm

DECK = load_deck("confetti")
DESCRIBED = resources.files("vision").joinpath("decks", "confetti.json").read_text(encoding="utf-8")


def test_every_card_has_two_sides_with_three_colours() -> None:
    assert len({face.id for face in DECK.faces}) == 84
    assert len(DECK.faces) == 168
    assert all(len({mark.colour for mark in face.marks}) == 3 for face in DECK.faces)
    assert all([mark.size for mark in face.marks] == ["small", "medium", "big"] for face in DECK.faces)


def test_a_description_that_was_changed_is_read_again(tmp_path: Path) -> None:
    data = json.loads(DESCRIBED)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert len(load_deck(str(file)).faces) == 168
    data["cards"] = data["cards"][:10]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert len(load_deck(str(file)).faces) == 20


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"deck": "x"}', '{"deck": "x", "background": {"white": 3}, "cards": [7]}']
)
def test_a_broken_description_and_an_unknown_deck_are_told_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadDeckError) as told:
        load_deck(str(file))
    assert "mine.json" in str(told.value)
    assert "\n" not in str(told.value)
    with pytest.raises(BadDeckError, match="confetti"):
        load_deck("tarot")


WRONG: list[tuple[tuple[str | int, ...], object]] = [
    (("card_mm",), 7),
    (("card_mm", 0), float("nan")),
    (("card_mm", 0), 10**400),
    (("corner_radius_mm",), -1),
    (("background",), {}),
    (("background", "white"), "white"),
    (("palette", "black"), None),
    (("shapes", "heart"), [[0, 0], [1, 1]]),
    (("shapes", "heart", 0), [0, float("inf")]),
    (("cards",), []),
    (("cards", 0, "id"), []),
    (("cards", 0, "id"), "confetti-02"),
    (("cards", 0, "white", 0, "size"), "huge"),
    (("cards", 0, "white", 0, "colour"), "pink"),
    (("cards", 0, "black", 0, "shape"), "moon"),
    (("cards", 0, "white", 0, "x_mm"), "left"),
    (("cards", 0, "white", 0, "diameter_mm"), 0),
    (("cards", 0, "white", 0, "rotation_deg"), None),
]


@pytest.mark.parametrize(("place", "value"), WRONG)
def test_a_deck_with_one_wrong_field_is_told_broken_before_anything_is_read_by_it(
    place: tuple[str | int, ...], value: object, tmp_path: Path
) -> None:
    described = json.loads(DESCRIBED)
    spoilt = described
    for key in place[:-1]:
        spoilt = spoilt[key]
    spoilt[place[-1]] = value
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(BadDeckError, match="is broken: "):
        load_deck(str(file))


def area_mm2(outline: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    x, y = outline.T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2


@settings(max_examples=20)
@given(face=st.sampled_from(DECK.faces), px_per_mm=st.sampled_from([1.3, 4.0]))
def test_each_mark_covers_its_area_round_its_centre(face: Face, px_per_mm: float) -> None:
    image = face_image(DECK, face, px_per_mm).astype(float)
    assert image.shape == (round(88 * px_per_mm), round(63 * px_per_mm), 3)
    ground = np.array(bgr(DECK.background[face.side]), dtype=float)
    for mark in face.marks:
        ink = np.array(bgr(DECK.palette[face.side][mark.colour]), dtype=float) - ground
        share = np.clip(((image - ground) @ ink) / (ink @ ink), 0, 1)
        away = np.abs(image - ground - share[:, :, None] * ink).max(axis=2)
        share[away > 12] = 0
        y, x = np.indices(share.shape) + 0.5
        near = np.hypot(x / px_per_mm - mark.x_mm, y / px_per_mm - mark.y_mm) <= mark.diameter_mm / 2 + 1
        outline = mark_outline_mm(DECK, mark)
        assert (share * near).sum() / px_per_mm**2 == pytest.approx(area_mm2(outline), rel=0.05)


def test_rotation_is_clockwise() -> None:
    triangle = next(m for face in DECK.side("black") for m in face.marks if m.shape == "triangle")
    top = mark_outline_mm(DECK, triangle)[0] - (triangle.x_mm, triangle.y_mm)
    turned = np.radians(triangle.rotation_deg)
    expected = np.array([np.sin(turned), -np.cos(turned)]) * triangle.diameter_mm / 2
    assert top == pytest.approx(expected)
