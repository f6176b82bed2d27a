import numpy as np
import pytest

from tools.train.canvas import NOBODY, Canvas, placed
from tools.train.scenes import SIDE_PX
from tools.train.shards import Shard, make_shard
from tools.train.targets import Example, answers, marked
from vision.find.scale import CELL_PX, SHORT_PX


@pytest.fixture(scope="module")
def shard() -> Shard:
    return make_shard(seed=7, index=0, pictures=12, decks=3)


def test_the_same_seed_gives_the_same_pictures(shard: Shard) -> None:
    again = make_shard(seed=7, index=0, pictures=12, decks=3)
    assert (again.images == shard.images).all()
    assert (again.cards == shard.cards).all()
    other = make_shard(seed=7, index=1, pictures=1, decks=3)
    assert (other.images[0] != shard.images[0]).any()


def test_a_canvas_knows_whose_colour_a_pixel_has() -> None:
    canvas = Canvas(np.zeros((120, 120, 3), np.uint8))
    for owner, colour, at, turn in ((1, (0, 0, 250), (50, 60), 0.3), (2, (0, 250, 0), (75, 66), 1.4)):
        art = np.full((40, 28, 4), (*colour, 255), np.uint8)
        canvas.lay(art, placed((28, 40), (28, 40), np.array(at, float), turn), owner)
    top = canvas.image.argmax(2)
    certain = canvas.image.max(2) > 240
    assert (certain & (canvas.owners == 1)).sum() > 500
    assert (top[certain & (canvas.owners == 1)] == 2).all()
    assert (top[certain & (canvas.owners == 2)] == 1).all()
    assert (canvas.image[canvas.owners == NOBODY].max(1) < 130).all()


def test_labels_lie_on_the_cards_that_they_name(shard: Shard) -> None:
    centres = np.arange(SIDE_PX // CELL_PX) * CELL_PX + CELL_PX / 2
    labelled = 0
    for owners, cards, aspect in zip(shard.owners, shard.cards, shard.aspects, strict=True):
        for k in np.unique(owners[owners > 0]):
            row, column = np.nonzero(owners == k)
            x, y, turn, share = cards[k - 1]
            dx, dy = centres[column] - x, centres[row] - y
            across, along = np.cos(turn) * dx + np.sin(turn) * dy, np.cos(turn) * dy - np.sin(turn) * dx
            assert np.abs(across).max() < SHORT_PX / 2 * 1.08 + 1
            assert np.abs(along).max() < SHORT_PX * aspect / 2 * 1.08 + 1
            assert share == pytest.approx(len(row) * CELL_PX**2 / (SHORT_PX**2 * aspect), rel=1e-3)
            labelled += 1
    assert labelled > 20


def test_targets_lead_from_each_cell_to_its_card(shard: Shard) -> None:
    i = int(np.argmax([(owners > 0).sum() for owners in shard.owners]))
    target = answers(shard.owners[i], shard.cards[i], float(shard.aspects[i]))
    row, column = np.nonzero(shard.owners[i])
    centre = np.stack([column, row], 1) * CELL_PX + CELL_PX / 2 + target[row, column, 1:3] * SHORT_PX
    assert centre == pytest.approx(shard.cards[i][shard.owners[i][row, column] - 1, :2], abs=1e-3)
    assert (target[..., 0] == (shard.owners[i] > 0)).all()


def test_known_cards_are_marked_and_not_searched_for(shard: Shard) -> None:
    g = np.random.default_rng(0)
    taken = 0
    for i in range(len(shard.aspects)):
        example = Example(shard.images[i], shard.owners[i], shard.cards[i], float(shard.aspects[i]))
        marks, owners = marked(g, example)
        gone = (example.owners > 0) & (owners == 0)
        taken += int(gone.sum())
        assert (marks[1::CELL_PX, 1::CELL_PX][gone]).mean() > 0.9 if gone.any() else not marks.any()
    assert taken > 0
