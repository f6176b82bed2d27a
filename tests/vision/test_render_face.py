"""A drawn face shows every mark in its place, colour and size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.deck import Face, load_deck
from vision.render_face import bgr, face_image, mark_outline_mm

DECK = load_deck("confetti")


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


@given(face=st.sampled_from(DECK.faces))
def test_outlines_fill_the_circle_round_them_and_stay_on_the_card(face: Face) -> None:
    for mark in face.marks:
        outline = mark_outline_mm(DECK, mark)
        reach = np.hypot(*(outline - (mark.x_mm, mark.y_mm)).T).max()
        assert 0.85 * mark.diameter_mm / 2 <= reach <= 1.02 * mark.diameter_mm / 2
        assert (outline >= 0).all() and (outline <= DECK.card_mm).all()


def test_rotation_is_clockwise() -> None:
    triangle = next(m for face in DECK.side("black") for m in face.marks if m.shape == "triangle")
    top = mark_outline_mm(DECK, triangle)[0] - (triangle.x_mm, triangle.y_mm)
    turned = np.radians(triangle.rotation_deg)
    expected = np.array([np.sin(turned), -np.cos(turned)]) * triangle.diameter_mm / 2
    assert top == pytest.approx(expected)
