"""`ringmaster teach` as a family runs it: pictures of cards that are apart, and what is said of bad ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.commands import main
from referee.schemas import SCHEMAS
from simulation.still import table_picture
from vision.deck import Deck, PrintedMark, load_deck, marked_face
from vision.deck_file import read_deck_file
from vision.reading import reader_of
from vision.render_face import face_image

Capture = pytest.CaptureFixture[str]
Image = NDArray[np.uint8]
W, H = 105, 150
INKS = [(30, 30, 200), (190, 90, 20), (40, 140, 40), (20, 180, 220), (150, 40, 130), (30, 110, 230)]


def face(number: int, *, hat: bool) -> Image:
    """A card on white: a disc in an ink, with a hat or without."""
    card = np.full((H, W, 3), 250, np.uint8)
    cv2.circle(card, (W // 2, H // 2), 32, INKS[number], -1, cv2.LINE_AA)
    cv2.circle(card, (W // 2 - 10, H // 2 - 8), 5, (250, 250, 250), -1, cv2.LINE_AA)
    if hat:
        cv2.rectangle(card, (W // 2 - 16, 16), (W // 2 + 16, H // 2 - 30), INKS[number], -1)
    return card


def lay(picture: Image, card: Image, at: tuple[int, int], turn: float) -> None:
    """Lay a card on a table with its middle at a place, turned by so many radians."""
    height, width = card.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), np.rad2deg(-turn), 1)
    move[:, 2] += (at[0] - width / 2, at[1] - height / 2)
    laid = cv2.warpAffine(card, move, picture.shape[1::-1], flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(np.full((height, width), 255, np.uint8), move, picture.shape[1::-1]) > 127
    picture[mask] = laid[mask]


def table_with(cards: list[Image], seed: int = 1, *, overlap: bool = False) -> Image:
    """A picture of cards in rows on a dark cloth, each a little turned, some upside down; no marker cards."""
    chance = np.random.default_rng(seed)
    height, width = (480 if len(cards) > 6 else 260), 1280 if len(cards) > 4 else 880
    picture = np.clip(chance.normal(70, 4, (height, width, 3)), 0, 255).astype(np.uint8)
    for k, card in enumerate(cards):
        at = (200, 180) if overlap and k == 1 else (140 + 200 * (k % 6), 130 + 230 * (k // 6))
        lay(picture, card, at, chance.uniform(-0.1, 0.1) + np.pi * (k % 2))
    return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0), np.uint8)


def write(folder: Path, name: str, picture: Image) -> str:
    path = folder / name
    cv2.imwrite(str(path), picture)
    return str(path)


def middle(k: int) -> list[float]:
    return [140 + 200 * (k % 6), 130 + 230 * (k // 6)]


DECK = [face(k // 2, hat=k % 2 == 0) for k in range(12)]


def names(folder: Path, image: str, cards: range, moods: tuple[str, ...] = ("happy", "sad")) -> str:
    entries = [
        {
            "image": image,
            "at_px": middle(k),
            "face": f"clown-{k}",
            "attributes": {"colour": f"ink {k // 2}", "mood": moods[k % len(moods)]},
        }
        for k in cards
    ]
    path = folder / "names.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return str(path)


def lines(text: str) -> list[dict[str, Any]]:
    for line in text.splitlines():
        kind = "read" if '"ms"' in line else "decks" if '"taught"' in line else "teach"
        SCHEMAS[kind].validate_json(line)
    return [json.loads(line) for line in text.splitlines()]


def test_faces_that_differ_by_a_hat_are_learned_and_their_copies_recognised(tmp_path: Path, capfd: Capture) -> None:
    first = write(tmp_path, "a.png", table_with(DECK))
    again = write(tmp_path, "b.png", table_with(DECK[:6][::-1], seed=2))
    named = names(tmp_path, "a.png", range(12))
    state = ["--state", str(tmp_path / "state")]
    assert main(["teach", "ours", first, again, "--names", named, "--game", "piccolino", "--json", *state]) == 0
    one, two, deck = lines(capfd.readouterr().out)
    assert [card["new"] for card in one["cards"]] == [True] * 12
    assert [card["new"] for card in two["cards"]] == [False] * 6
    for k in range(6):
        (card,) = [c for c in two["cards"] if np.abs(np.mean(c["corners_px"], axis=0) - middle(k)).max() < 30]
        assert card["face"] == f"clown-{5 - k}"
    assert deck["kind"] == "prints"
    assert {f["face"]: f["seen"] for f in deck["faces"]} == {f"clown-{k}": 2 if k < 6 else 1 for k in range(12)}
    assert deck["card_mm"][1] / deck["card_mm"][0] == pytest.approx(H / W, rel=0.02)
    assert main(["decks", "--json", *state]) == 0
    assert {"ours"} == {line["deck"] for line in lines(capfd.readouterr().out) if line["taught"]}
    looks_like_its_cards(tmp_path / "state" / "decks" / "ours.deck")


def looks_like_its_cards(file: Path) -> None:
    deck = read_deck_file(file)
    for k, true in enumerate(DECK):
        art = deck.face(f"clown-{k}").art
        want = cv2.resize(true, art.shape[1::-1], interpolation=cv2.INTER_AREA).astype(int)
        off = [np.abs(turned.astype(int) - want)[8:-8, 8:-8].mean() for turned in (art, art[::-1, ::-1])]
        assert min(off) < 12


def test_what_overlaps_is_outlined_and_the_others_are_learned(tmp_path: Path, capfd: Capture) -> None:
    heap = write(tmp_path, "heap.png", table_with(DECK[:4], overlap=True))
    empty = write(tmp_path, "empty.png", table_with([]))
    state = ["--state", str(tmp_path / "state")]
    assert main(["teach", "x", heap, empty, "--json", *state]) == 0
    picture, nothing, deck = lines(capfd.readouterr().out)
    assert len(deck["faces"]) == 3
    assert nothing["cards"] == []
    (unclear,) = picture["unclear"]
    assert np.abs(np.mean(unclear["corners_px"], axis=0) - middle(0)).max() < 30
    assert main(["teach", "y", heap, *state]) == 0
    assert "overlap" in capfd.readouterr().out


def complaint(capfd: Capture, arguments: list[str]) -> str:
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_bad_lessons_are_refused_in_one_line_and_nothing_is_kept(tmp_path: Path, capfd: Capture) -> None:
    state = ["--state", str(tmp_path / "state")]
    good = write(tmp_path, "good.png", table_with(DECK[:4]))
    empty = write(tmp_path, "empty.png", table_with([]))
    assert "empty.png" in complaint(capfd, ["teach", "x", empty, *state])
    beside = tmp_path / "beside.json"
    beside.write_text('[{"image": "good.png", "at_px": [5, 250], "face": "nowhere"}]')
    assert "nowhere" in complaint(capfd, ["teach", "x", good, "--names", str(beside), *state])
    beside.write_text('[{"image": "other.png", "at_px": [140, 130], "face": "a"}]')
    assert "other.png" in complaint(capfd, ["teach", "x", good, "--names", str(beside), *state])
    twice = [{"image": "good.png", "at_px": middle(k), "face": "one"} for k in (0, 3)]
    beside.write_text(json.dumps(twice))
    assert "called one" in complaint(capfd, ["teach", "x", good, "--names", str(beside), *state])
    beside.write_text("[1")
    assert "beside.json" in complaint(capfd, ["teach", "x", good, "--names", str(beside), *state])
    happy = names(tmp_path, "good.png", range(4), ("happy",))
    assert "sad" in complaint(capfd, ["teach", "x", good, "--names", happy, "--game", "piccolino", *state])
    assert "no size" not in complaint(capfd, ["teach", "x", good, "--card-mm", "0x88", *state])
    assert "confetti" in complaint(capfd, ["teach", "confetti", good, *state])
    assert not list(tmp_path.rglob("*.deck"))


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
        marked_face(
            f"card-{n}",
            "white",
            tuple(
                PrintedMark(size, colour, "circle", x, y, d, 0.0)
                for size, (colour, x, y), d in zip(("small", "medium", "big"), marks, DIAMETERS, strict=True)
            ),
        )
        for n, marks in enumerate(LAYOUTS)
    ]
    return Deck(
        "theirs",
        (56.0, 87.0),
        tuple(faces),
        corner_radius_mm=3.5,
        background={"white": "#fdfdfb"},
        palette={"white": PALETTE},
    )


def picture_of(deck: Deck, path: Path) -> str:
    chance = np.random.default_rng(3)
    picture = np.clip(chance.normal(75, 4, (720, 1280, 3)), 0, 255).astype(np.uint8)
    for k, face in enumerate(deck.faces):
        lay(picture, face_image(deck, face, PX), (170 + 300 * k, 330), np.deg2rad(6.0 * (1.5 - k)) + np.pi * (k % 2))
    cv2.imwrite(str(path), cv2.GaussianBlur(picture, (3, 3), 0))
    return str(path)


def test_another_edition_of_confetti_is_noticed_and_learned(tmp_path: Path, capfd: Capture) -> None:
    theirs = edition()
    # Cards with marks are not for Piccolino.
    picture = picture_of(theirs, tmp_path / "a.png")
    assert main(["teach", "x", picture, "--game", "piccolino", "--state", str(tmp_path / "s")]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    file = tmp_path / "theirs.deck"
    assert main(["teach", "theirs", picture, "--card-mm", "56x87", "-o", str(file), "--json"]) == 0
    *pictures, last = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    for line in (*pictures, last):
        SCHEMAS["teach"].validate_python(line)
    assert last["kind"] == "marks"
    deck = read_deck_file(file)
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


def test_a_card_that_nobody_taught_is_unclear_and_no_score_leaves_it_out() -> None:
    deck = load_deck("confetti")
    picture, truth = table_picture(deck, 6, seed=5, size=(1280, 720))
    known = {card["id"] for card in truth["cards"][:4]}
    part = replace(deck, faces=tuple(f for f in deck.faces if f.id in known))
    reading = reader_of(part).read(picture)
    assert {card.named.id for card in reading.cards} == known
    for card in truth["cards"][4:]:
        corners = np.array(card["corners_px"], np.float32)
        assert any(cv2.pointPolygonTest(corners, unclear.centre_px, False) > 0 for unclear in reading.unclear)
