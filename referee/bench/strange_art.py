"""Cards of other decks than those that the referee knows, drawn simply, for trials in which such lie on the table."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.decks.finding import find_print_deck
from vision.deck import load_deck
from vision.render_face import face_image

Image = NDArray[np.uint8]
Paint = Callable[[str, tuple[int, int]], Image]
"""Draws the card that a name stands for, (h, w, 3) BGR, at a size (width, height)."""

_INKS = ((40, 40, 220), (40, 140, 40), (200, 90, 30), (30, 150, 240), (150, 40, 140), (20, 20, 20))


def other_clowns(name: str, size: tuple[int, int]) -> Image:
    """A clown of another artist: a cap, a pale face, two tufts of hair and a smile, on white to the card's edge."""
    width, height = size
    ink, happy = _ink(name), "sad" not in name
    card = np.full((height, width, 3), 252, np.uint8)
    if happy:
        cv2.rectangle(card, (width // 3, height // 20), (2 * width // 3, height // 5), ink, -1)
    cv2.circle(card, (width // 2, height // 2), width // 3, (200, 220, 245), -1, cv2.LINE_AA)
    for x in (width // 5, width - width // 5):
        cv2.circle(card, (x, height // 2), width // 6, ink, -1, cv2.LINE_AA)
    for eye in (0.42, 0.58):
        cv2.circle(card, (round(eye * width), round(0.45 * height)), max(1, width // 25), (20, 20, 20), -1, cv2.LINE_AA)
    cv2.circle(card, (width // 2, height // 2), width // 14, (40, 40, 220), -1, cv2.LINE_AA)
    ends = (20, 160) if happy else (200, 340)
    cv2.ellipse(card, (width // 2, round(0.58 * height)), (width // 6, height // 12), 0, *ends, ink, -1, cv2.LINE_AA)
    return card


def numbers(name: str, size: tuple[int, int]) -> Image:
    """A playing card: white, a number in two corners and large in the middle."""
    width, height = size
    card = np.full((height, width, 3), 250, np.uint8)
    text, ink = str(_number(name, 9) + 1), _ink(name)
    for place, scale in (((0.08, 0.16), 0.012), ((0.7, 0.95), 0.012), ((0.3, 0.62), 0.034)):
        at = (round(place[0] * width), round(place[1] * height))
        cv2.putText(card, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale * width, ink, max(1, width // 25), cv2.LINE_AA)
    return card


def dark_panels(name: str, size: tuple[int, int]) -> Image:
    """A dark card to its edge, with a light panel and a disc in it."""
    width, height = size
    card = np.full((height, width, 3), (48, 38, 34), np.uint8)
    cv2.rectangle(card, (width // 8, height // 8), (width - width // 8, height - height // 8), _ink(name), -1)
    cv2.circle(card, (width // 2, height // 2), width // 4, (230, 235, 238), -1, cv2.LINE_AA)
    return card


def plain_colour(name: str, size: tuple[int, int]) -> Image:
    """A card of one colour without any print."""
    return np.full((size[1], size[0], 3), _ink(name), np.uint8)


def blank(name: str, size: tuple[int, int]) -> Image:
    """A white card without any print."""
    return np.full((size[1], size[0], 3), 248, np.uint8)


def confetti(name: str, size: tuple[int, int]) -> Image:
    """A card of Confetti, its white side up."""
    deck = load_deck("confetti")
    faces = deck.side("white")
    face = face_image(deck, faces[_number(name, len(faces))], size[0] / deck.card_mm[0])
    return np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA), np.uint8)


def of_the_other_side(name: str, size: tuple[int, int]) -> Image:
    """The black side of the Confetti card of this name."""
    deck = load_deck("confetti")
    face = face_image(deck, deck.by_id["black", name], size[0] / deck.card_mm[0])
    return np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA), np.uint8)


def piccolino(name: str, size: tuple[int, int]) -> Image:
    """A clown of the printed deck."""
    deck = find_print_deck("piccolino")
    face = deck.fronts[_number(name, len(deck.fronts))]
    return np.asarray(cv2.resize(face.art, size, interpolation=cv2.INTER_AREA), np.uint8)


def backs_up(name: str, size: tuple[int, int]) -> Image:
    """The back of the printed deck."""
    deck = find_print_deck("piccolino")
    return np.asarray(cv2.resize(deck.by_id["back"].art, size, interpolation=cv2.INTER_AREA), np.uint8)


def checked_back(name: str, size: tuple[int, int]) -> Image:
    """A back with a pattern of lines, the same for all cards."""
    width, height = size
    card = np.full((height, width, 3), (150, 60, 40), np.uint8)
    step = max(3, width // 9)
    for at in range(-height, width + height, step):
        cv2.line(card, (at, 0), (at + height, height), (240, 240, 240), 1, cv2.LINE_AA)
        cv2.line(card, (at, height), (at + height, 0), (240, 240, 240), 1, cv2.LINE_AA)
    cv2.rectangle(card, (0, 0), (width - 1, height - 1), (250, 250, 250), max(2, width // 14))
    return card


STRANGE_TO_PICCOLINO: dict[str, Paint] = {
    "other clowns": other_clowns,
    "numbers": numbers,
    "dark cards": dark_panels,
    "plain colours": plain_colour,
    "blank cards": blank,
    "confetti": confetti,
}
STRANGE_TO_CONFETTI: dict[str, Paint] = {
    "other clowns": other_clowns,
    "numbers": numbers,
    "dark cards": dark_panels,
    "plain colours": plain_colour,
    "piccolino": piccolino,
}


def choose(luck: random.Random, decks: dict[str, Paint]) -> tuple[str, Paint]:
    """Choose a deck."""
    name = luck.choice(sorted(decks))
    return name, decks[name]


def _number(name: str, count: int) -> int:
    return zlib.crc32(name.encode()) % count


def _ink(name: str) -> tuple[int, int, int]:
    return _INKS[_number(name.split("-")[0], len(_INKS))]
