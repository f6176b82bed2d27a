import numpy as np
import pytest
from numpy.typing import NDArray

from vision.find.crops import Settled, corners_of, crop_maps, settled
from vision.find.network import CropNetwork
from vision.find.scale import CARD_PX, CROP_CELL_PX, CROP_CHANNELS, CROP_PX, FINE, SHORT_PX

Floats = NDArray[np.float64]
N = CROP_PX // CROP_CELL_PX
CENTRES = (np.arange(N) + 0.5) * CROP_CELL_PX


class Perfect(CropNetwork):
    """Sees one card, whose quad (4, 2) is known, in crops of these hypotheses; a share of cells answers nonsense."""

    def __init__(self, quad: Floats, hypotheses: list[Floats], wrong: float = 0.0, seen: slice = slice(None)) -> None:
        self.quad, self.hypotheses, self.wrong, self.seen = quad, hypotheses, wrong, seen

    def run(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        cells = np.zeros((len(crops), N, N, CROP_CHANNELS), np.float32)
        cells[..., 0] = -8
        for cell, way in zip(cells, crop_maps(self.hypotheses.pop(0)), strict=True):
            (ax, ay), (bx, by), (cx, cy), (dx, dy) = np.linalg.solve(way[:, :2], (self.quad - way[:, 2]).T).T
            x, y = CENTRES[None], CENTRES[:, None]
            left, right = ax + (y - ay) * (dx - ax) / (dy - ay) - x, bx + (y - by) * (cx - bx) / (cy - by) - x
            top, bottom = ay + (x - ax) * (by - ay) / (bx - ax) - y, dy + (x - dx) * (cy - dy) / (cx - dx) - y
            on = (left < 0) & (right > 0) & (top < 0) & (bottom > 0)
            cell[:, self.seen, 0] = np.where(on, 8, -8)[:, self.seen]
            cell[..., 1] = np.where(np.abs(left) < np.abs(right), left, right) / CARD_PX
            cell[..., 2] = np.where(np.abs(top) < np.abs(bottom), top, bottom) / CARD_PX
            cell[..., 3] = np.where(np.minimum(np.abs(left), np.abs(right)) < 8, 1.5, -2)
            cell[..., 4] = np.where(np.minimum(np.abs(top), np.abs(bottom)) < 8, 1.5, -2)
            off = np.random.default_rng(0).random((N, N)) < self.wrong
            cell[off, 1:3] += 0.3
        return cells


def looked_at(true: Floats, hypothesis: Floats, size_known: bool, passes: int = 2, **faults: object) -> Floats:
    """The pose after some passes from a hypothesis."""
    fine, marks = np.zeros((FINE * 160, FINE * 160, 3), np.uint8), np.zeros((160, 160), np.uint8)
    poses = hypothesis[None]
    for _ in range(passes):
        network = Perfect(corners_of(true[None])[0], [poses], **faults)  # type: ignore[arg-type]
        poses = settled(network, fine, marks, Settled.unsettled(poses, np.ones(1)), size_known).poses
    return np.asarray(poses[0])


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.6, -2.0])
def test_a_hypothesis_settles_on_the_card(turn: float) -> None:
    true = np.array([80.0, 76.0, turn, SHORT_PX, 1.4 * SHORT_PX])
    found = looked_at(true, true + (4, -3, 0.15, 0, 0), size_known=True)
    assert found == pytest.approx(true, abs=0.15)


def test_the_size_of_a_card_is_measured_where_it_is_not_known() -> None:
    true = np.array([80.0, 76.0, 0.3, SHORT_PX * 1.07, 1.35 * SHORT_PX])
    found = looked_at(true, np.array([82.0, 75.0, 0.25, SHORT_PX, 1.4 * SHORT_PX]), size_known=False, passes=3)
    assert found == pytest.approx(true, abs=0.2)


def test_a_card_of_which_one_side_is_covered_settles_by_its_known_size() -> None:
    true = np.array([80.0, 76.0, 0.3, SHORT_PX, 1.4 * SHORT_PX])
    found = looked_at(true, true + (2, 2, -0.1, 0, 0), size_known=True, seen=slice(0, N // 2))
    assert found == pytest.approx(true, abs=0.3)


def test_a_tenth_of_wrong_votes_does_no_harm() -> None:
    true = np.array([80.0, 76.0, 0.3, SHORT_PX, 1.4 * SHORT_PX])
    found = looked_at(true, true + (2, -2, 0.1, 0, 0), size_known=True, wrong=0.1)
    assert found == pytest.approx(true, abs=0.4)
