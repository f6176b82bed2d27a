"""Which face a card may be, told roughly, under lamps that nothing tells."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.prints.print_deck import Print, PrintDeck
from vision.prints.ranking import ranker_of
from vision.prints.straight import Pyramid

_INKS = {"red": (105, 115, 255), "purple": (80, 45, 75), "green": (90, 150, 60)}


def _outline(ink: tuple[int, int, int], ground: tuple[int, int, int] = (255, 255, 255)) -> np.ndarray:
    """A card of which only a thin line is printed."""
    art = np.full((174, 112, 3), ground, np.uint8)
    cv2.ellipse(art, (56, 87), (40, 18), 0, 0, 360, ink, 4, cv2.LINE_AA)
    return art


def _deck(*backs: Print) -> PrintDeck:
    faces = [Print(name, "front", {}, _outline(ink)) for name, ink in _INKS.items()]
    return PrintDeck("outlines", (56.0, 87.0), (*faces, *backs))


@pytest.mark.parametrize("back", [(), (Print("back", "back", {}, np.full((174, 112, 3), (120, 40, 30), np.uint8)),)])
@pytest.mark.parametrize("ink", _INKS)
@pytest.mark.parametrize("lamp", [(0.64, 0.62, 0.74), (0.45, 0.55, 0.7), (0.8, 0.7, 0.55)])
def test_a_thin_line_under_a_tinted_lamp_is_ranked_by_its_own_colour(
    lamp: tuple[float, float, float], ink: str, back: tuple[Print, ...]
) -> None:
    deck = _deck(*back)
    ranker = ranker_of(deck)
    seen = np.clip(deck.by_id[ink].art * np.array(lamp), 0, 255).astype(np.uint8)
    quad = np.array([[[0, 0], [112, 0], [112, 174], [0, 174]]]) - 0.5
    scores = ranker.scores(Pyramid(seen), quad, None)[0]
    assert deck.faces[ranker.faces[int(np.argmax(scores))]].id == ink


def test_faces_that_share_no_ground_do_not_tell_the_lamp() -> None:
    faces = tuple(Print(name, "front", {}, _outline((20, 20, 20), ink)) for name, ink in _INKS.items())
    ranker = ranker_of(PrintDeck("full of paint", (56.0, 87.0), faces))
    quad = np.array([[0, 0], [112, 0], [112, 174], [0, 174]]) - 0.5
    assert ranker.white_at(Pyramid(faces[0].art), quad, None) is None
