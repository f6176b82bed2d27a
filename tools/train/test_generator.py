import numpy as np
import pytest

from tools.train.canvas import NOBODY, SceneCanvas, Shadow, placed
from tools.train.scenes import OWNER_PX, SIDE_PX, Scene, make_shard
from tools.train.targets import answers, batch_of, marked, poses_of
from vision.find.crops import corners_of
from vision.find.scale import CELL_PX, CROP_CELL_PX, CROP_PX, FINE, SHORT_PX

STEP = OWNER_PX / FINE  # px of a view, each place of `owners`


@pytest.fixture(scope="module")
def shard() -> Scene:
    return make_shard(seed=7, index=0, pictures=12, decks=3)


def scenes_of(shard: Scene) -> list[Scene]:
    return [Scene(*one) for one in zip(*shard, strict=True)]


def test_the_same_seed_gives_the_same_pictures(shard: Scene) -> None:
    again = make_shard(seed=7, index=0, pictures=12, decks=3)
    assert (again.image == shard.image).all()
    assert (again.quads == shard.quads).all()
    other = make_shard(seed=7, index=1, pictures=1, decks=3)
    assert (other.image[0] != shard.image[0]).any()


def test_a_canvas_knows_whose_colour_a_pixel_has() -> None:
    canvas = SceneCanvas(np.zeros((120, 120, 3), np.uint8))
    for owner, colour, at, turn in ((1, (0, 0, 250), (50, 60), 0.3), (2, (0, 250, 0), (75, 66), 1.4)):
        art = np.full((40, 28, 4), (*colour, 255), np.uint8)
        canvas.lay(art, placed((28, 40), (28, 40), np.array(at, float), turn), owner, Shadow((0, 0), 1, 0.0))
    top = canvas.image.argmax(2)
    certain = canvas.image.max(2) > 240
    assert (certain & (canvas.owners == 1)).sum() > 500
    assert (top[certain & (canvas.owners == 1)] == 2).all()
    assert (top[certain & (canvas.owners == 2)] == 1).all()
    assert (canvas.image[canvas.owners == NOBODY].max(1) < 130).all()


def test_labels_are_on_the_cards_that_they_name(shard: Scene) -> None:
    labelled = 0
    for scene in scenes_of(shard):
        poses = poses_of(scene.quads).astype(np.float64)
        assert corners_of(poses)[scene.shares > 0] == pytest.approx(scene.quads[scene.shares > 0], abs=0.4)
        for k in np.unique(scene.owners[scene.owners > 0]):
            row, column = np.nonzero(scene.owners == k)
            x, y, turn, width, height = poses[k - 1]
            dx, dy = (column + 0.5) * STEP - x, (row + 0.5) * STEP - y
            assert np.abs(np.cos(turn) * dx + np.sin(turn) * dy).max() < width / 2 + 1
            assert np.abs(np.cos(turn) * dy - np.sin(turn) * dx).max() < height / 2 + 1
            assert scene.shares[k - 1] == pytest.approx(len(row) * STEP**2 / (SHORT_PX**2 * scene.aspect), rel=1e-3)
            labelled += 1
    assert labelled > 20


def test_answers_lead_from_each_cell_to_its_card(shard: Scene) -> None:
    scene = max(scenes_of(shard), key=lambda one: int((one.owners > 0).sum()))
    owners = np.ascontiguousarray(scene.owners[1::2, 1::2])
    target = answers(owners, scene)
    row, column = np.nonzero(owners)
    centre = np.stack([column, row], 1) * CELL_PX + CELL_PX / 2 + target[row, column, 1:3] * SHORT_PX
    assert centre == pytest.approx(scene.quads[owners[row, column] - 1].mean(1), abs=1e-3)
    assert (target[..., 0] == (owners > 0)).all()


def test_known_cards_are_marked_and_not_searched_for(shard: Scene) -> None:
    g, gone_in_all = np.random.default_rng(0), 0
    for scene in scenes_of(shard):
        marks, owners = marked(g, scene)
        gone = (scene.owners > 0) & (owners == 0)
        gone_in_all += int(gone.sum())
        assert marks[gone].mean() > 0.9 * 255 if gone.any() else not marks.any()
    assert gone_in_all > 0


def test_cells_of_crops_point_to_sides_of_rectangles(shard: Scene) -> None:
    batch, straight = batch_of(np.random.default_rng(0), [shard], 12, 6), 0
    assert batch.views.shape[1] == SIDE_PX
    for cell in batch.crop_cells:
        row, column = np.nonzero(cell[..., 0])
        if len(row) < 200:
            continue
        side = (column + 0.5) * CROP_CELL_PX + cell[row, column, 1]
        low = side < CROP_PX / 2
        for some in (low, ~low):
            if some.sum() > 20 and np.ptp(row[some]) > 10:
                slope, offset = np.polyfit(row[some], side[some], 1)
                assert np.abs(slope * row[some] + offset - side[some]).max() < 0.5
                straight += 1
    assert straight > 10
