import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.find.above import TableView, area_in_sight
from vision.find.any_deck import cards_without_size
from vision.find.finder import CardFinder, CardHypotheses
from vision.find.network import CropNetwork, Network
from vision.find.unknown import find_unknown
from vision.markers import markers_in, table_if_shown

DATA = Path(__file__).parents[2] / "data" / "finder"
Floats = NDArray[np.float64]


class Picture:
    """A small rendered table and where its cards are."""

    def __init__(self, name: str) -> None:
        truth = json.loads((DATA / f"{name}.json").read_text())
        self.image = np.asarray(cv2.imread(str(DATA / f"{name}.jpg")), np.uint8)
        self.card_mm = tuple(truth["card_mm"])
        self.corners_px = np.array([card["corners_px"] for card in truth["cards"]])
        self.plain = np.array([card["visible_fraction"] >= 0.9 for card in truth["cards"]])
        markers = tuple(markers_in(self.image))
        table = table_if_shown(markers, (self.image.shape[1], self.image.shape[0]))
        assert table is not None
        self.table = table
        self.view = TableView(self.image, table, area_in_sight(table, np.concatenate([m.corners_px for m in markers])))

    def _centres_mm(self, corners_px: Floats) -> Floats:
        return self.table.to_mm(corners_px.mean(1))

    def hit(self, found: CardHypotheses, mm: float) -> NDArray[np.bool_]:
        """(fully visible cards,) whether a hypothesis has its centre that near."""
        true, centres = self._centres_mm(self.corners_px), self._centres_mm(found.corners_px)
        near = np.linalg.norm(true[:, None] - centres[None], axis=2) < mm
        return np.asarray(near[self.plain].any(1))


@pytest.mark.parametrize("name", ["pale-confetti", "dark-confetti"])
def test_every_card_in_full_sight_is_found(name: str) -> None:
    picture = Picture(name)
    found = CardFinder().find(picture.view, picture.card_mm)
    assert picture.hit(found, 4).all()
    assert len(found) <= 3 * len(picture.plain)
    assert (np.diff(found.scores) <= 0).all()


def test_known_cards_are_taken_off() -> None:
    picture = Picture("pale-confetti")
    known = list(picture.corners_px[picture.plain])
    found = CardFinder().find(picture.view, picture.card_mm, known)
    assert not picture.hit(found, 4).any()


def test_the_size_of_an_unknown_deck_is_measured() -> None:
    picture = Picture("dark-confetti")
    unknown = find_unknown(CardFinder(), picture.view)
    assert unknown.card == pytest.approx(picture.card_mm, rel=0.06)
    assert picture.hit(unknown.hypotheses, 6).all()


@pytest.mark.parametrize("content", [None, b"no network"])
@pytest.mark.parametrize("kind", [Network, CropNetwork])
def test_a_missing_or_damaged_network_is_one_clear_error(tmp_path: Path, content: bytes | None, kind: type) -> None:
    path = tmp_path / "card_finder.tflite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VisionError, match=r"card_finder\.tflite is (missing|damaged)"):
        kind(path)


def test_a_picture_is_counted_in_one_thread_while_another_watches() -> None:
    picture, finder = Picture("pale-confetti"), CardFinder()
    across, down = picture.card_mm

    def places(card: tuple[float, float]) -> Floats:
        return finder.find(picture.view, card).corners_px

    sizes = [(across, down), (0.8 * across, 0.8 * down)]
    with ThreadPoolExecutor(2) as threads:
        at_once = list(threads.map(places, sizes * 4))
    alone = [places(card) for card in sizes] * 4
    assert all(np.array_equal(one, other) for one, other in zip(at_once, alone, strict=True))


def test_cards_side_by_side_are_not_measured_over_the_gaps() -> None:
    table = np.full((900, 700, 3), (70, 80, 95), np.uint8)
    for x, y in np.ndindex(3, 3):
        left, top = 100 + x * 160, 100 + y * 230
        cv2.rectangle(table, (left, top), (left + 149, top + 219), (235, 240, 240), -1)
        for k in range(1 + (x + y) % 3):
            cv2.ellipse(table, (left + 75, top + 50 + 55 * k), (45, 20), 0, 0, 360, (90 * x, 90 * y, 150), -1)
    cards = cards_without_size(np.asarray(cv2.GaussianBlur(table, (5, 5), 0), np.uint8), None, ())
    assert cards.card == pytest.approx((150, 220), rel=0.02)
    assert (cards.hypotheses.scores > 0.5).sum() == 9
