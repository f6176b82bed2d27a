import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.find.any_deck import find_any_cards

DATA = Path(__file__).parents[2] / "data" / "finder"


@pytest.mark.parametrize("name", ["pale-confetti", "dark-confetti"])
def test_cards_are_reported_where_they_are(name: str) -> None:
    image = np.asarray(cv2.imread(str(DATA / f"{name}.jpg")), np.uint8)
    truth = json.loads((DATA / f"{name}.json").read_text())["cards"]
    found = [card for card in find_any_cards(image) if card.reason is None]
    assert all(0.5 <= card.confidence < 1 for card in found)
    plain = [np.mean(card["corners_px"], axis=0) for card in truth if card["visible_fraction"] >= 0.9]
    assert sum(any(np.linalg.norm(centre - one.centre_px) < 8 for one in found) for centre in plain) >= len(plain) - 1
    centres = [np.mean(card["corners_px"], axis=0) for card in truth]
    assert all(min(np.linalg.norm(centre - one.centre_px) for centre in centres) < 25 for one in found)


def test_a_card_beyond_the_edge_of_the_picture_is_unclear() -> None:
    image = np.asarray(cv2.imread(str(DATA / "dark-confetti.jpg")), np.uint8)
    truth = json.loads((DATA / "dark-confetti.json").read_text())["cards"]
    corners = np.array(max((card["corners_px"] for card in truth), key=lambda quad: np.mean(quad, axis=0)[1]))
    cut = np.ascontiguousarray(image[: int(corners[:, 1].mean() + 0.3 * np.ptp(corners[:, 1]))])
    found = [card for card in find_any_cards(cut) if np.linalg.norm(card.centre_px - corners.mean(0)) < 25]
    assert [card.reason for card in found] in ([], ["edge of picture"])
