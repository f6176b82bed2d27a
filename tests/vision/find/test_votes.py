import numpy as np
import pytest

from vision.find.scale import CELL_PX, CHANNELS, SHORT_PX
from vision.find.votes import clusters_of

ASPECT = 1.4


def clusters(poses: list[tuple[float, float, float]], aspect: float = ASPECT) -> np.ndarray:
    """Poses by the answer of a network without errors for cards, the last one on top."""
    cells = np.zeros((96, 96, CHANNELS), np.float32)
    cells[..., 0] = -8
    centres = np.arange(96) * CELL_PX + CELL_PX / 2
    for x, y, turn in poses:
        dx, dy = x - centres[None], y - centres[:, None]
        cos, sin = np.cos(turn), np.sin(turn)
        inside = (np.abs(cos * dx + sin * dy) < SHORT_PX / 2) & (np.abs(cos * dy - sin * dx) < SHORT_PX * aspect / 2)
        vote = (8, dx / SHORT_PX, dy / SHORT_PX, 3, 0, 3)
        turns = np.cos(2 * turn), np.sin(2 * turn), np.cos(4 * turn), np.sin(4 * turn)
        for channel, value in enumerate(vote + turns):
            cells[..., channel] = np.where(inside, value, cells[..., channel])
    rows, columns = np.nonzero(cells[..., 0] > 0)
    return clusters_of(
        np.stack([columns, rows], -1), cells[rows, columns], (96 * CELL_PX, 96 * CELL_PX), aspect < 1.05
    )[0]


def assert_found(poses: list[tuple[float, float, float]], aspect: float = ASPECT) -> None:
    found = clusters(poses, aspect)
    assert len(found) == len(poses)
    fold = np.pi / 2 if aspect < 1.05 else np.pi
    for x, y, turn in poses:
        off = np.hypot(found[:, 0] - x, found[:, 1] - y)
        turned = np.abs((found[:, 2] - turn + fold / 2) % fold - fold / 2)
        assert ((off < 0.5) & (turned < 0.03)).any()


@pytest.mark.parametrize("turn", [0.0, 0.4, np.pi / 2, 3.0, -1.57])
def test_one_card_at_any_turn(turn: float) -> None:
    assert_found([(90.3, 88.8, turn)])


def test_a_square_card_looks_the_same_after_a_quarter_turn() -> None:
    assert_found([(60.0, 70.0, 0.3), (120.0, 110.0, 0.3 + np.pi / 2)], aspect=1.0)


def test_cards_of_a_column_of_which_strips_of_10_mm_are_in_sight() -> None:
    assert_found([(90.0, 50.0 + 4.5 * k, 0.0) for k in range(8)])


def test_a_crossed_pair_with_one_centre() -> None:
    assert_found([(90.0, 90.0, 0.2), (91.0, 90.0, 0.2 + np.pi / 2)])


def test_an_empty_table_has_no_clusters() -> None:
    assert len(clusters([])) == 0
