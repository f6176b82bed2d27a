"""The Piccolino deck as it is printed: every clown where the manifest says, backs in register."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray

from referee.cli import main
from referee.decks.finding import find_print_deck
from vision.prints.print_deck import PrintDeck

PX_PER_MM = 12.0
PAGES_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}


@pytest.fixture(scope="module")
def deck() -> PrintDeck:
    return find_print_deck("piccolino")


@pytest.fixture(scope="module", params=["a4", "letter"])
def printed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("print")
    pdf, manifest = folder / "out.pdf", folder / "out.json"
    paper = str(request.param)
    assert main(["print", "piccolino", "-o", str(pdf), "--paper", paper, "--manifest", str(manifest)]) == 0
    return pdf, json.loads(manifest.read_text(encoding="utf-8"))


def rendered(pdf: Path, page: int) -> NDArray[np.uint8]:
    document = pdfium.PdfDocument(pdf)
    try:
        return np.array(document[page].render(scale=PX_PER_MM * 25.4 / 72).to_numpy()[:, :, :3])
    finally:
        document.close()


def test_manifest_has_55_cards_each_with_its_back_behind_it(printed: tuple[Path, dict[str, Any]]) -> None:
    _, manifest = printed
    fronts = [card for card in manifest["cards"] if card["side"] == "front"]
    backs = {card["card"]: card for card in manifest["cards"] if card["side"] == "back"}
    kinds = Counter((card["attributes"]["colour"], card["attributes"]["mood"]) for card in fronts)
    colours = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")
    happy, sad = {(c, "happy"): 5 for c in colours}, {(c, "sad"): 2 for c in colours}
    assert kinds == happy | sad | {("black", "sad"): 1}
    page_width, page_height = PAGES_MM[manifest["paper"]]
    for front in fronts:
        x, y, width, height = front["box_mm"]
        assert (width, height) == (63, 88)
        assert min(x, y, page_width - x - width, page_height - y - height) >= 5
        back = backs[front["card"]]
        assert back["page"] == front["page"] + 1
        assert back["box_mm"] == pytest.approx([page_width - x - width, y, width, height], abs=0.002)


def test_every_card_is_printed_true_to_size_in_its_box(printed: tuple[Path, dict[str, Any]], deck: PrintDeck) -> None:
    pdf, manifest = printed
    for page in (1, 2, manifest["pages"] - 1):
        image = rendered(pdf, page - 1)
        for card in (card for card in manifest["cards"] if card["page"] == page):
            art = deck.by_id["back" if card["side"] == "back" else card["face"]].art
            x, y, width, height = (round(value * PX_PER_MM) for value in card["box_mm"])
            seen = cv2.resize(image[y : y + height, x : x + width], art.shape[1::-1], interpolation=cv2.INTER_AREA)
            # The cutting lines run along the edges.
            seen = seen[6:-6, 6:-6]
            gap = np.abs(cv2.blur(seen, (5, 5)).astype(int) - cv2.blur(art[6:-6, 6:-6], (5, 5)))
            assert gap.mean() < 5
            assert np.percentile(gap, 99) < 45
