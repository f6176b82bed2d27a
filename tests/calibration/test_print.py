"""The printed pages, rendered to pixels: true to size, both sides in register, markers that decode."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray

from referee.cli import main
from vision.deck import Deck, load_deck
from vision.render_face import bgr

PX_PER_MM = 6.0
PAGES_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


def made(tmp_path: Path, *what: str) -> tuple[Path, dict[str, Any]]:
    pdf, manifest = tmp_path / "out.pdf", tmp_path / "out.json"
    assert main(["print", *what, "-o", str(pdf), "--manifest", str(manifest)]) == 0
    return pdf, json.loads(manifest.read_text(encoding="utf-8"))


def rendered(pdf: Path, page: int) -> NDArray[np.uint8]:
    document = pdfium.PdfDocument(pdf)
    try:
        bitmap = document[page].render(scale=PX_PER_MM * 25.4 / 72)
        return np.array(bitmap.to_numpy()[:, :, :3])
    finally:
        document.close()


def pixel(image: NDArray[np.uint8], x_mm: float, y_mm: float) -> NDArray[np.int64]:
    return np.asarray(image[int(y_mm * PX_PER_MM), int(x_mm * PX_PER_MM)], dtype=np.int64)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_every_mark_is_printed_in_its_place_and_colour(tmp_path: Path, deck: Deck, paper: str) -> None:
    pdf, manifest = made(tmp_path, "confetti", "--paper", paper)
    assert tuple(manifest["page_mm"]) == PAGES_MM[paper]
    for page in (1, 2, 20):
        image = rendered(pdf, page - 1)
        assert image.shape[1::-1] == pytest.approx([side * PX_PER_MM for side in PAGES_MM[paper]], abs=1.5)
        for card in (card for card in manifest["cards"] if card["page"] == page):
            x, y, width, height = card["box_mm"]
            assert (width, height) == deck.card_mm
            face = deck.by_id[card["side"], card["face"]]
            for mark in face.marks:
                # A crescent's centre is bare; the middle between centre and rim on its thick side is not.
                turn = np.radians(mark.rotation_deg + 180)
                off = mark.diameter_mm * 0.35 if mark.shape == "crescent" else 0.0
                at = (x + mark.x_mm + off * np.cos(turn), y + mark.y_mm + off * np.sin(turn))
                assert pixel(image, *at) == pytest.approx(bgr(deck.palette[face.side][mark.colour]), abs=3)
            for corner in ((1, 1), (width - 1, 1), (width - 1, height - 1), (1, height - 1)):
                ground = bgr(deck.background[face.side])
                assert pixel(image, x + corner[0], y + corner[1]) == pytest.approx(ground, abs=3)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_circles_have_their_diameter(tmp_path: Path, deck: Deck, paper: str) -> None:
    pdf, manifest = made(tmp_path, "confetti", "--paper", paper)
    image = rendered(pdf, 0)
    for card in (card for card in manifest["cards"] if card["page"] == 1):
        x, y, width, height = card["box_mm"]
        low, high = (np.array([x, y]) + 0.5) * PX_PER_MM, (np.array([x + width, y + height]) - 0.5) * PX_PER_MM
        inner = image[int(low[1]) : int(high[1]), int(low[0]) : int(high[0])]
        for mark in deck.by_id["white", card["face"]].marks:
            gap = np.abs(inner.astype(int) - bgr(deck.palette["white"][mark.colour])).sum(axis=2)
            diameter = 2 * np.sqrt((gap < 60).sum() / np.pi) / PX_PER_MM
            assert diameter == pytest.approx(mark.diameter_mm, abs=0.35)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_manifest_lists_each_side_of_each_card_once_and_backs_lie_behind_fronts(
    tmp_path: Path, deck: Deck, paper: str
) -> None:
    _, manifest = made(tmp_path, "confetti", "--paper", paper)
    cards = manifest["cards"]
    assert sorted((card["side"], card["face"]) for card in cards) == sorted(deck.by_id)
    assert manifest["pages"] == 20
    front = {card["face"]: card for card in cards if card["side"] == "white"}
    page_width, page_height = PAGES_MM[paper]
    for back in (card for card in cards if card["side"] == "black"):
        x, y, width, height = front[back["face"]]["box_mm"]
        assert back["page"] == front[back["face"]]["page"] + 1
        assert back["box_mm"] == pytest.approx([page_width - x - width, y, width, height], abs=0.002)
        # Home printers cannot reach the outermost 5 mm.
        assert min(x, y, page_width - x - width, page_height - y - height) >= 5


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("what", ["confetti", "piccolino", "markers"])
def test_ruler_is_100_mm(tmp_path: Path, what: str, paper: str) -> None:
    pdf, manifest = made(tmp_path, what, "--paper", paper)
    for page in {1, 2, manifest["pages"]}:
        dark = (rendered(pdf, page - 1).max(axis=2) < 180).astype(np.uint8)
        for card in (card for card in manifest["cards"] if card["page"] == page):
            x, y, width, height = card.get("cut_mm", card["box_mm"])
            # The cards and their bleed are no ruler, whatever lines they show.
            low, high = np.array([x, y]) - 2.5, np.array([x + width, y + height]) + 2.5
            (x0, y0), (x1, y1) = (low * PX_PER_MM).astype(int), (high * PX_PER_MM).astype(int)
            dark[y0:y1, x0:x1] = 0
        longest = []
        for picture in (dark, dark.T):
            kernel = np.ones((1, round(90 * PX_PER_MM)), dtype=np.uint8)
            runs = cv2.connectedComponentsWithStats(cv2.morphologyEx(picture, cv2.MORPH_OPEN, kernel))[2][1:]
            longest += [int(run[cv2.CC_STAT_WIDTH]) for run in runs]
        assert len(longest) == 1
        assert longest[0] / PX_PER_MM == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_dark_ground_bleeds_over_the_cut_and_lines_lead_to_it(tmp_path: Path, paper: str) -> None:
    pdf, manifest = made(tmp_path, "confetti", "--paper", paper)
    front, back = rendered(pdf, 0), rendered(pdf, 1)
    boxes = [card["box_mm"] for card in manifest["cards"] if card["page"] == 2]
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    assert pixel(back, left - 1.5, top + 40).max() < 40
    assert pixel(back, left - 2.4, top + 40).min() > 240
    for image in (front, back):
        for x in (left, left + 63, left + 126, left + 189):
            mark = image[int((top - 5) * PX_PER_MM), int((x - 0.5) * PX_PER_MM) : int((x + 0.5) * PX_PER_MM) + 1]
            darkest = int(mark.max(axis=1).argmin())
            assert mark.max(axis=1).min() < 140
            assert (int((x - 0.5) * PX_PER_MM) + darkest + 0.5) / PX_PER_MM == pytest.approx(x, abs=0.2)
    # Between the white cards lies a hairline to cut along.
    strip = front[int((top + 44) * PX_PER_MM), int((left + 62) * PX_PER_MM) : int((left + 64) * PX_PER_MM)]
    assert strip.min() < 235


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_markers_decode_at_their_true_size_and_place(tmp_path: Path, paper: str) -> None:
    pdf, manifest = made(tmp_path, "markers", "--paper", paper)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    found: dict[int, tuple[int, NDArray[np.float64]]] = {}
    for page in range(manifest["pages"]):
        corners, ids, _ = detector.detectMarkers(rendered(pdf, page))
        assert ids is not None
        found |= {int(i): (page + 1, c[0] / PX_PER_MM) for i, c in zip(ids.ravel(), corners, strict=True)}
    assert sorted(found) == list(range(16)) == [card["marker"] for card in manifest["cards"]]
    for card in manifest["cards"]:
        page, corners_mm = found[card["marker"]]
        x, y, width, height = card["box_mm"]
        assert (page, width, height) == (card["page"], 50, 50)
        expected = [[x, y], [x + 50, y], [x + 50, y + 50], [x, y + 50]]
        assert corners_mm == pytest.approx(np.array(expected), abs=0.35)


def test_markers_keep_a_white_zone_of_one_cell(tmp_path: Path) -> None:
    pdf, manifest = made(tmp_path, "markers")
    image = rendered(pdf, 0)
    cell = round(50 / 6 * PX_PER_MM)
    for card in (card for card in manifest["cards"] if card["page"] == 1):
        x, y, side = (round(value * PX_PER_MM) for value in card["box_mm"][:3])
        around = image[y - cell + 2 : y + side + cell - 2, x - cell + 2 : x + side + cell - 2].min(axis=2)
        around[cell - 4 : -(cell - 4), cell - 4 : -(cell - 4)] = 255
        assert around.min() > 250
        cut_x, cut_y, cut_width, cut_height = card["cut_mm"]
        assert cut_x < card["box_mm"][0] and cut_x + cut_width > card["box_mm"][0] + 50
        assert cut_y < card["box_mm"][1] and cut_y + cut_height > card["box_mm"][1] + 50


def test_the_same_deck_gives_the_same_file(tmp_path: Path) -> None:
    assert made(tmp_path, "markers")[0].read_bytes() == made(tmp_path, "markers")[0].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["konfetti", "-o", "a.pdf"], "konfetti"),
        (["confetti", "-o", "."], "folder"),
        (["markers", "-o", "a.jpg"], "call it a.pdf"),
        (["confetti", "-o", "nowhere/a.pdf"], "no folder nowhere"),
        (["confetti", "-o", "a.pdf", "--manifest", "nowhere/a.json"], "no folder nowhere"),
        (["confetti", "-o", "a.pdf", "--manifest", "a.pdf"], "two different files"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["print", *arguments]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and said in message
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "a.pdf"
    old.write_bytes(b"old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert main(["print", "markers", "-o", str(old)]) == 1
    assert capsys.readouterr().err == f"ringmaster print: {old} cannot be written: No space left on device\n"
    assert old.read_bytes() == b"old" and list(tmp_path.iterdir()) == [old]


def test_cards_larger_than_the_paper_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = json.loads(resources.files("vision").joinpath("decks", "confetti.json").read_text(encoding="utf-8"))
    description["card_mm"] = [250, 300]
    (tmp_path / "giant.json").write_text(json.dumps(description))
    assert main(["print", str(tmp_path / "giant.json"), "-o", str(tmp_path / "a.pdf")]) == 2
    assert "do not fit on the paper" in capsys.readouterr().err
