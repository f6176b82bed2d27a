"""`ringmaster teach` with another edition of Confetti: its cards read as always, wherever its marks lie."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli import main
from referee.schemas import SCHEMAS
from simulation.still import table_picture
from vision.deck import Deck, Face, Mark, load_deck
from vision.marked.reader import read_picture
from vision.render_face import face_image
from vision.taught.deck_file import read_deck_file

Capture = pytest.CaptureFixture[str]
PALETTE = {"red": "#c4151c", "orange": "#f29a2e", "yellow": "#f7e03c", "green": "#57a639", "blue": "#2a4fa3"}
# Small, medium and big: (colour, x, y). The last big one is cut by the edge, and marks of the first touch.
LAYOUTS = [
    [("red", 20.0, 20.0), ("blue", 28.0, 29.0), ("green", 40.0, 60.0)],
    [("yellow", 45.0, 15.0), ("red", 15.0, 40.0), ("blue", 35.0, 60.0)],
    [("green", 12.0, 70.0), ("orange", 44.0, 30.0), ("red", 20.0, 40.0)],
    [("blue", 30.0, 10.0), ("yellow", 14.0, 66.0), ("orange", 52.0, 45.0)],
]
DIAMETERS = (9.0, 16.0, 25.0)
PX = 2.4


def edition() -> Deck:
    faces = [
        Face(
            f"card-{n}",
            "white",
            tuple(
                Mark(size, colour, "circle", x, y, d, 0.0)
                for size, (colour, x, y), d in zip(("small", "medium", "big"), marks, DIAMETERS, strict=True)
            ),
        )
        for n, marks in enumerate(LAYOUTS)
    ]
    return Deck("theirs", (56.0, 87.0), 3.5, {"white": "#fdfdfb"}, {"white": PALETTE}, {}, tuple(faces))


def picture_of(deck: Deck, path: Path) -> str:
    chance = np.random.default_rng(3)
    picture = np.clip(chance.normal(75, 4, (720, 1280, 3)), 0, 255).astype(np.uint8)
    for k, face in enumerate(deck.faces):
        card = face_image(deck, face, PX)
        move = cv2.getRotationMatrix2D((card.shape[1] / 2, card.shape[0] / 2), 6.0 * (k - 1.5) + 180 * (k % 2), 1)
        move[:, 2] += (170 + 300 * k - card.shape[1] / 2, 330 - card.shape[0] / 2)
        laid = cv2.warpAffine(card, move, (1280, 720), flags=cv2.INTER_LINEAR)
        mask = cv2.warpAffine(np.full(card.shape[:2], 255, np.uint8), move, (1280, 720)) > 127
        picture[mask] = laid[mask]
    cv2.imwrite(str(path), cv2.GaussianBlur(picture, (3, 3), 0))
    return str(path)


def test_another_edition_of_confetti_is_told_and_learned(tmp_path: Path, capfd: Capture) -> None:
    theirs = edition()
    picture, file = picture_of(theirs, tmp_path / "a.png"), tmp_path / "theirs.deck"
    assert main(["teach", "theirs", picture, "--card-mm", "56x87", "-o", str(file), "--json"]) == 0
    *pictures, told = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    for line in (*pictures, told):
        SCHEMAS["teach"].validate_python(line)
    assert told["kind"] == "marks"
    deck = read_deck_file(file)
    assert isinstance(deck, Deck)
    assert len(deck.faces) == len(theirs.faces)
    for true in theirs.faces:
        colours = [mark.colour for mark in true.marks]
        (found,) = [face for face in deck.faces if [mark.colour for mark in face.marks] == colours]
        off = [
            max(
                np.hypot(sign * (one.x_mm - 28) - (two.x_mm - 28), sign * (one.y_mm - 43.5) - (two.y_mm - 43.5))
                for one, two in zip(found.marks, true.marks, strict=True)
            )
            for sign in (1, -1)
        ]
        assert min(off) < 1.0
        assert [mark.diameter_mm for mark in found.marks] == pytest.approx(DIAMETERS, rel=0.06)


def test_a_mark_that_the_edge_cuts_is_drawn_and_kept_as_it_is_printed() -> None:
    deck = edition()
    cut = face_image(deck, deck.faces[3], 1.0)
    assert cut.shape == (87, 56, 3)
    assert np.ptp(cut[45, -3:].astype(int), axis=0).max() < 8


def test_cards_with_marks_are_not_for_piccolino(tmp_path: Path, capfd: Capture) -> None:
    picture = picture_of(edition(), tmp_path / "a.png")
    assert main(["teach", "x", picture, "--game", "piccolino", "--state", str(tmp_path / "s")]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_our_own_cards_are_not_changed_by_what_the_edge_cuts() -> None:
    deck = load_deck("confetti")
    width, height = deck.card_mm
    for mark in (mark for face in deck.faces for mark in face.marks):
        reach = mark.diameter_mm / 2
        assert reach <= mark.x_mm <= width - reach
        assert reach <= mark.y_mm <= height - reach


def test_a_card_that_nobody_taught_is_unclear_and_no_score_leaves_it_out() -> None:
    deck = load_deck("confetti")
    picture, truth = table_picture(deck, 6, seed=5, size=(1280, 720))
    known = {card["id"] for card in truth["cards"][:4]}
    reading, _ = read_picture(picture, replace(deck, faces=tuple(f for f in deck.faces if f.id in known)))
    assert {card.face.id for card in reading.cards} == known
    for card in truth["cards"][4:]:
        corners = np.array(card["corners_px"], np.float32)
        assert any(cv2.pointPolygonTest(corners, unclear.centre_px, False) > 0 for unclear in reading.unclear)
