"""The printed pages, rendered to pixels: true to size, in register, markers that decode, the cards of the rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray

import calibration
from referee.commands import main
from referee.games.registry import game_kind
from vision.deck import Deck, load_deck
from vision.deck_file import pack_deck
from vision.render_face import bgr

PX_PER_MM = 6.0
PAGES_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
Print = Callable[[str, str], tuple[Path, dict[str, Any]]]
both_papers = pytest.mark.parametrize("paper", ["a4", "letter"])


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Print:
    """Print once what all tests look at; give the pages and the manifest."""
    folder = tmp_path_factory.mktemp("print")

    @cache
    def made(what: str, paper: str) -> tuple[Path, dict[str, Any]]:
        pdf, manifest = folder / f"{what}-{paper}.pdf", folder / f"{what}-{paper}.json"
        assert main(["print", what, "--paper", paper, "-o", str(pdf), "--manifest", str(manifest)]) == 0
        return pdf, json.loads(manifest.read_text(encoding="utf-8"))

    return made


def rendered(pdf: Path, page: int, px_per_mm: float = PX_PER_MM) -> NDArray[np.uint8]:
    document = pdfium.PdfDocument(pdf)
    try:
        return np.array(document[page].render(scale=px_per_mm * 25.4 / 72).to_numpy()[:, :, :3])
    finally:
        document.close()


def pixel(image: NDArray[np.uint8], x_mm: float, y_mm: float) -> NDArray[np.int64]:
    return np.asarray(image[int(y_mm * PX_PER_MM), int(x_mm * PX_PER_MM)], dtype=np.int64)


def on_page(manifest: dict[str, Any], page: int) -> list[dict[str, Any]]:
    return [card for card in manifest["cards"] if card["page"] == page]


def fronts_of(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [card for card in manifest["cards"] if card["side"] in ("front", "white")]


@both_papers
def test_every_mark_is_printed_in_its_place_and_colour(printed: Print, deck: Deck, paper: str) -> None:
    pdf, manifest = printed("confetti", paper)
    assert tuple(manifest["page_mm"]) == PAGES_MM[paper]
    for page in (1, 2, 20):
        image = rendered(pdf, page - 1)
        assert image.shape[1::-1] == pytest.approx([side * PX_PER_MM for side in PAGES_MM[paper]], abs=1.5)
        for card in on_page(manifest, page):
            x, y, width, height = card["box_mm"]
            assert (width, height) == deck.card_mm
            face = deck.face(card["face"], card["side"])
            for mark in face.marks:
                # A crescent's centre is bare; the middle between centre and rim on its thick side is not.
                turn = np.radians(mark.rotation_deg + 180)
                off = mark.diameter_mm * 0.35 if mark.shape == "crescent" else 0.0
                at = (x + mark.x_mm + off * np.cos(turn), y + mark.y_mm + off * np.sin(turn))
                assert pixel(image, *at) == pytest.approx(bgr(deck.palette[face.side][mark.colour]), abs=3)
            for corner in ((1, 1), (width - 1, 1), (width - 1, height - 1), (1, height - 1)):
                ground = bgr(deck.background[face.side])
                assert pixel(image, x + corner[0], y + corner[1]) == pytest.approx(ground, abs=3)


@both_papers
@pytest.mark.parametrize(("what", "key"), [("confetti", "face"), ("piccolino", "card")])
def test_backs_lie_behind_fronts(printed: Print, what: str, key: str, paper: str) -> None:
    _, manifest = printed(what, paper)
    backs = {card[key]: card for card in manifest["cards"] if card["side"] in ("back", "black")}
    page_width, page_height = PAGES_MM[paper]
    assert 2 * len(backs) == len(manifest["cards"])
    for front in fronts_of(manifest):
        x, y, width, height = front["box_mm"]
        back = backs[front[key]]
        assert (width, height) == (63, 88)
        assert back["page"] == front["page"] + 1
        assert back["box_mm"] == pytest.approx([page_width - x - width, y, width, height], abs=0.002)
        # Home printers cannot reach the outermost 5 mm.
        assert min(x, y, page_width - x - width, page_height - y - height) >= 5


@both_papers
@pytest.mark.parametrize("what", ["confetti", "piccolino", "markers"])
def test_ruler_is_100_mm(printed: Print, what: str, paper: str) -> None:
    pdf, manifest = printed(what, paper)
    for page in {1, 2, manifest["pages"]}:
        dark = (rendered(pdf, page - 1).max(axis=2) < 180).astype(np.uint8)
        for card in on_page(manifest, page):
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


@both_papers
def test_dark_ground_bleeds_over_the_cut_and_lines_lead_to_it(printed: Print, paper: str) -> None:
    pdf, manifest = printed("confetti", paper)
    front, back = rendered(pdf, 0), rendered(pdf, 1)
    left, top = (min(card["box_mm"][axis] for card in on_page(manifest, 2)) for axis in (0, 1))
    assert pixel(back, left - 1.5, top + 40).max() < 40
    assert pixel(back, left - 2.4, top + 40).min() > 240
    for image in (front, back):
        for x in (left, left + 63, left + 126, left + 189):
            mark = image[int((top - 5) * PX_PER_MM), int((x - 0.5) * PX_PER_MM) : int((x + 0.5) * PX_PER_MM) + 1]
            darkest = int(mark.max(axis=1).argmin())
            assert mark.max(axis=1).min() < 140
            assert (int((x - 0.5) * PX_PER_MM) + darkest + 0.5) / PX_PER_MM == pytest.approx(x, abs=0.2)
    # Between the white cards is a hairline to cut along.
    strip = front[int((top + 44) * PX_PER_MM), int((left + 62) * PX_PER_MM) : int((left + 64) * PX_PER_MM)]
    assert strip.min() < 235


@both_papers
def test_markers_decode_at_their_true_size_and_place_and_keep_a_white_zone(printed: Print, paper: str) -> None:
    pdf, manifest = printed("markers", paper)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    cell = round(50 / 6 * PX_PER_MM)
    assert [card["marker"] for card in manifest["cards"]] == list(range(16))
    for page in range(1, manifest["pages"] + 1):
        image = rendered(pdf, page - 1)
        corners, ids, _ = detector.detectMarkers(image)
        assert ids is not None and sorted(ids.ravel()) == [card["marker"] for card in on_page(manifest, page)]
        found = {int(number): at[0] / PX_PER_MM for number, at in zip(ids.ravel(), corners, strict=True)}
        for card in on_page(manifest, page):
            x, y, width, height = card["box_mm"]
            assert (width, height) == (50, 50)
            expected = [[x, y], [x + 50, y], [x + 50, y + 50], [x, y + 50]]
            assert found[card["marker"]] == pytest.approx(np.array(expected), abs=0.35)
            left, top, side = (round(value * PX_PER_MM) for value in (x, y, 50))
            around = image[top - cell + 2 : top + side + cell - 2, left - cell + 2 : left + side + cell - 2].min(axis=2)
            around[cell - 4 : -(cell - 4), cell - 4 : -(cell - 4)] = 255
            assert around.min() > 250
            cut_x, cut_y, cut_width, cut_height = card["cut_mm"]
            assert cut_x < x and cut_x + cut_width > x + 50 and cut_y < y and cut_y + cut_height > y + 50


def test_the_same_deck_gives_the_same_file(printed: Print, tmp_path: Path) -> None:
    assert main(["print", "markers", "-o", str(tmp_path / "a.pdf")]) == 0
    assert (tmp_path / "a.pdf").read_bytes() == printed("markers", "a4")[0].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["konfetti", "-o", "a.pdf"], "konfetti"),
        (["confetti", "-o", "."], "folder"),
        (["markers", "-o", "a.jpg"], "call it a.pdf"),
        (["confetti", "-o", "nowhere/a.pdf"], "no folder nowhere"),
        (["confetti", "-o", "a.pdf", "--manifest", "nowhere/a.json"], "no folder nowhere"),
        (["confetti", "-o", "a.pdf", "--manifest", "a.pdf"], "two different files"),
        (["giant.deck", "-o", "a.pdf"], "do not fit on the paper"),
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
    giant = tmp_path / "giant.deck"
    giant.write_bytes(pack_deck(replace(load_deck("confetti"), name="giant", card_mm=(250.0, 300.0))))
    assert main(["print", *arguments]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and said in message
    assert list(tmp_path.iterdir()) == [giant]


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


def test_decks_have_the_cards_of_their_rules(printed: Print, deck: Deck) -> None:
    cards = printed("confetti", "a4")[1]["cards"]
    assert sorted((card["side"], card["face"]) for card in cards) == sorted((face.side, face.id) for face in deck.faces)
    clowns = [card["attributes"] for card in fronts_of(printed("piccolino", "a4")[1])]
    colours = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")
    happy, sad = {(c, "happy"): 5 for c in colours}, {(c, "sad"): 2 for c in colours}
    assert Counter((clown["colour"], clown["mood"]) for clown in clowns) == happy | sad | {("black", "sad"): 1}
    fronts = fronts_of(printed("coloretto", "a4")[1])
    kinds = Counter(card["attributes"]["kind"] for card in fronts)
    assert kinds == {"colour": 63, "+2": 10, "joker": 3, "last round": 1, "row": 8, "summary": 5}
    of_colour = Counter(card["attributes"].get("colour") for card in fronts if card["attributes"]["kind"] == "colour")
    assert len(of_colour) == 7 and set(of_colour.values()) == {9}
    rooms = Counter((card["face"], card["attributes"]["room"]) for card in fronts if "room" in card["attributes"])
    assert rooms == {("row-brown", 3): 5, ("row-green-1", 1): 1, ("row-green-2", 2): 1, ("row-green-3", 3): 1}


def test_everdeck_says_itself_what_each_card_is_in_coloretto(printed: Print) -> None:
    meant = {card["face"]: card["attributes"] for card in fronts_of(printed("everdeck", "a4")[1])}
    assert len(meant) == 120
    # Of heart and diamond, and of other pairs, the family takes one (E1): either may be there.
    kinds = Counter(attributes.get("kind") for attributes in meant.values())
    assert kinds == {"colour": 63, "joker": 6, "+2": 12, "last round": 2, None: 37}
    assert not any("kind" in meant[face] for face in ("K-club", "A-star", "7-club"))
    assert meant["7-moon"] == {"suit": "moon", "rank": "7", "kind": "colour", "colour": "moon"}


@pytest.mark.parametrize(("what", "paper"), [("piccolino", "a4"), ("piccolino", "letter"), ("coloretto", "a4")])
def test_every_card_is_printed_true_to_size_in_its_box(printed: Print, what: str, paper: str) -> None:
    pdf, manifest = printed(what, paper)
    prints = load_deck(what)
    for page in (1, 2, manifest["pages"] - 1):
        image = rendered(pdf, page - 1, 12.0)
        for card in on_page(manifest, page):
            art = prints.face("back" if card["side"] == "back" else card["face"], card["side"]).art
            x, y, width, height = (round(value * 12.0) for value in card["box_mm"])
            seen = cv2.resize(image[y : y + height, x : x + width], art.shape[1::-1], interpolation=cv2.INTER_AREA)
            # The cutting lines run along the edges.
            seen = seen[6:-6, 6:-6]
            gap = np.abs(cv2.blur(seen, (5, 5)).astype(int) - cv2.blur(art[6:-6, 6:-6], (5, 5)))
            assert gap.mean() < 5
            assert np.percentile(gap, 99) < 45


@pytest.mark.parametrize("name", ["piccolino", "coloretto", "everdeck"])
def test_what_is_printed_is_what_the_readers_compare_with(name: str) -> None:
    prints = load_deck(name)
    with ZipFile(Path(calibration.__file__).parent / "decks" / f"{name}.zip") as packed:
        assert {f"{face.id}.png" for face in prints.faces} < set(packed.namelist())
        for face in prints.faces[:: len(prints.faces) // 3]:
            art = cv2.imdecode(np.frombuffer(packed.read(f"{face.id}.png"), np.uint8), cv2.IMREAD_COLOR)
            assert art is not None
            small = cv2.resize(art, face.art.shape[1::-1], interpolation=cv2.INTER_AREA)
            assert float(np.abs(small.astype(float) - face.art).mean()) < 2.0, f"run make art: {face.id}"
    game_kind(prints.game or "coloretto").cards.check(prints)


def test_decks_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decks", "--json"]) == 0
    listed = {line["deck"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    shared = {"game": "coloretto", "kind": "prints", "card_mm": [63.0, 88.0], "taught": False}
    assert listed["coloretto"] == {"deck": "coloretto", "faces": 16, **shared}
    assert listed["everdeck"]["faces"] == 120


@pytest.mark.parametrize("mood", ["happy", "sad"])
def test_clowns_differ_without_colour_and_their_back_is_the_same_either_way_up(mood: str) -> None:
    """Hair and pattern alone, in drawings of one colour and brightness, distinguish all clowns."""
    prints, edges = load_deck("piccolino"), {}
    for colour in sorted({face.attributes["colour"] for face in prints.fronts}):
        grey = cv2.cvtColor(prints.face(f"{colour}-{mood}").art, cv2.COLOR_BGR2GRAY)
        edges[colour] = cv2.dilate(cv2.Canny(grey, 40, 120), np.ones((5, 5), np.uint8)) > 0
    same_on_all = np.logical_and.reduce(list(edges.values()))
    for one, other in combinations(edges, 2):
        a, b = edges[one] & ~same_on_all, edges[other] & ~same_on_all
        assert (a & b).sum() < 0.7 * (a | b).sum(), (one, other)
    back = prints.face("back", "back").art.astype(int)
    assert np.abs(back - back[::-1, ::-1]).mean() < 3
