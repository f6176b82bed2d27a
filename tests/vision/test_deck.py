"""Decks as data: faces drawn from a description, and a broken description refused."""

from __future__ import annotations

import io
import json
import zipfile
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.deck import Face, load_deck
from vision.deck_file import unpack_deck
from vision.errors import BadDeckError
from vision.render_face import bgr, face_image, mark_outline_mm

DECK = load_deck("confetti")
DESCRIBED = resources.files("vision").joinpath("decks", "confetti.json").read_text(encoding="utf-8")


def test_every_card_has_two_sides_with_three_colours() -> None:
    assert len({face.id for face in DECK.faces}) == 84
    assert len(DECK.faces) == 168
    assert all(len({mark.colour for mark in face.marks}) == 3 for face in DECK.faces)
    assert all([mark.size for mark in face.marks] == ["small", "medium", "big"] for face in DECK.faces)


def packed(description: str) -> bytes:
    """Return a deck file with this description."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("deck.json", description)
    return file.getvalue()


def test_a_description_with_fewer_cards_is_of_another_deck() -> None:
    data = {"kind": "marks", **json.loads(DESCRIBED)}
    assert len(unpack_deck(packed(json.dumps(data)), "mine").faces) == 168
    data["cards"] = data["cards"][:10]
    assert len(unpack_deck(packed(json.dumps(data)), "mine").faces) == 20


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"kind": "marks"}', '{"kind": "marks", "deck": "x", "background": {"white": 3}, "cards": [7]}'],
)
def test_a_broken_description_is_told_in_one_line(text: str) -> None:
    with pytest.raises(BadDeckError) as told:
        unpack_deck(packed(text), "mine")
    assert "mine" in str(told.value)
    assert "\n" not in str(told.value)


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
    place: tuple[str | int, ...], value: object
) -> None:
    described = {"kind": "marks", **json.loads(DESCRIBED)}
    spoilt = described
    for key in place[:-1]:
        spoilt = spoilt[key]
    spoilt[place[-1]] = value
    with pytest.raises(BadDeckError, match="mine is no sound deck file: "):
        unpack_deck(packed(json.dumps(described)), "mine")


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
