"""An edition of one drawing in two neighbouring paints, and cameras that mix colours."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from tests.support.flat_piles import Floats, Image, PileTable, bare, card_corners, lay, photographed, piccolino
from vision.prints.print_deck import Print, PrintDeck

PAINTS = {"red": (61, 38, 215), "orange": (32, 130, 245)}
CAMERA = PileTable((1280, 720))


@cache
def two_paints() -> PrintDeck:
    """Our orange clown, and the same in red."""
    ours = piccolino()
    art = ours.by_id["orange-happy"].art.astype(np.float32)
    hue, strong, _ = cv2.split(cv2.cvtColor(art.astype(np.uint8), cv2.COLOR_BGR2HSV))
    painted = ((np.abs(hue.astype(int) - 14) < 7) & (strong > 110)).astype(np.float32)
    painted = cv2.GaussianBlur(painted, (0, 0), 1.0)[:, :, None]
    shade = art.max(axis=2, keepdims=True) / max(PAINTS["orange"])
    faces = []
    for colour, paint in PAINTS.items():
        picture = art * (1 - painted) + painted * np.clip(shade * paint, 0, 255)
        meaning = {"colour": colour, "mood": "happy"}
        faces.append(Print(f"{colour}-happy", "front", meaning, np.rint(picture).astype(np.uint8), 3))
    return replace(ours, name="two paints", faces=(*faces, ours.by_id["back"]))


def seen(deck: PrintDeck, face: str, red_to_green: float) -> tuple[Image, Floats]:
    """A card seen by a camera whose green sees some of the red light, and its corners (4, 2), px."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    corners = CAMERA.to_px(card_corners((0.0, 40.0, 12.0), 1.0))
    lay(image, deck.by_id[face].art, corners)
    light = (image / 255.0) ** 2.2
    light[:, :, 1] += red_to_green * (light[:, :, 2] - light[:, :, 1])
    mixed = np.rint(255 * light.clip(0, 1) ** (1 / 2.2)).astype(np.uint8)
    return photographed(np.random.default_rng(3), mixed, 0.2), corners
