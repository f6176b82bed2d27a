"""Coloretto and the Everdeck as they are printed, and as they are read: the same cards, the same art."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest

import calibration
from referee.cli import main
from referee.decks.finding import find_deck
from referee.games.registry import game_kind
from vision.prints.print_deck import PrintDeck

ART_PX_PER_MM = 3.0


def printed(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    pdf, manifest = folder / f"{name}.pdf", folder / f"{name}.json"
    assert main(["print", name, "-o", str(pdf), "--manifest", str(manifest)]) == 0
    return pdf, json.loads(manifest.read_text(encoding="utf-8"))


def prints(name: str) -> PrintDeck:
    deck = find_deck(name)
    assert isinstance(deck, PrintDeck)
    return deck


def test_coloretto_has_the_90_cards_of_its_rules(tmp_path: Path) -> None:
    pdf, manifest = printed("coloretto", tmp_path)
    fronts = [card for card in manifest["cards"] if card["side"] == "front"]
    kinds = Counter(card["attributes"]["kind"] for card in fronts)
    assert kinds == {"colour": 63, "+2": 10, "joker": 3, "last round": 1, "row": 8, "summary": 5}
    colours = Counter(card["attributes"].get("colour") for card in fronts if card["attributes"]["kind"] == "colour")
    assert len(colours) == 7 and set(colours.values()) == {9}
    rooms = Counter((card["face"], card["attributes"]["room"]) for card in fronts if "room" in card["attributes"])
    assert rooms == {("row-brown", 3): 5, ("row-green-1", 1): 1, ("row-green-2", 2): 1, ("row-green-3", 3): 1}
    # What is printed where the manifest says is what the reader compares with.
    deck = prints("coloretto")
    card = next(card for card in fronts if card["face"] == "green")
    x, y, width, height = (round(side * ART_PX_PER_MM) for side in card["box_mm"])
    document = pdfium.PdfDocument(pdf)
    page = np.array(document[card["page"] - 1].render(scale=ART_PX_PER_MM * 25.4 / 72).to_numpy()[:, :, :3], float)
    document.close()
    shown = page[y : y + height, x : x + width]
    inner = (slice(12, -12), slice(12, -12))
    off = {
        face.id: float(np.abs(shown[inner] - face.art[: shown.shape[0], : shown.shape[1]][inner]).mean())
        for face in deck.fronts
    }
    assert min(off, key=lambda face: off[face]) == "green"
    assert off["green"] < 12


def test_everdeck_says_itself_what_each_card_is_in_coloretto(tmp_path: Path) -> None:
    _, manifest = printed("everdeck", tmp_path)
    fronts = [card for card in manifest["cards"] if card["side"] == "front"]
    assert len(fronts) == len({card["face"] for card in fronts}) == 120
    meant = {card["face"]: card["attributes"] for card in fronts}
    kinds = Counter(attributes.get("kind") for attributes in meant.values())
    # Of heart and diamond, and of other pairs, the family takes one (E1): either may lie there.
    assert kinds == {"colour": 63, "joker": 6, "+2": 12, "last round": 2, None: 37}
    assert "kind" not in meant["K-club"] and "kind" not in meant["A-star"] and "kind" not in meant["7-club"]
    assert meant["7-moon"] == {"suit": "moon", "rank": "7", "kind": "colour", "colour": "moon"}


@pytest.mark.parametrize("name", ["piccolino", "coloretto", "everdeck"])
def test_what_is_printed_is_what_the_readers_compare_with(name: str) -> None:
    deck = prints(name)
    with ZipFile(Path(calibration.__file__).parent / "decks" / f"{name}.zip") as packed:
        assert {f"{face.id}.png" for face in deck.faces} < set(packed.namelist())
        for face in deck.faces[:: len(deck.faces) // 3]:
            art = cv2.imdecode(np.frombuffer(packed.read(f"{face.id}.png"), np.uint8), cv2.IMREAD_COLOR)
            assert art is not None
            small = cv2.resize(art, face.art.shape[1::-1], interpolation=cv2.INTER_AREA)
            assert float(np.abs(small.astype(float) - face.art).mean()) < 2.0, f"run make art: {face.id}"
    game_kind(deck.game or "coloretto").cards.check(deck)


def test_decks_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decks", "--json"]) == 0
    listed = {line["deck"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert listed["coloretto"] == {
        "deck": "coloretto",
        "game": "coloretto",
        "kind": "prints",
        "faces": 16,
        "card_mm": [63.0, 88.0],
        "taught": False,
    }
    assert listed["everdeck"]["faces"] == 120
