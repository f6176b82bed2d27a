"""What is no still table, on small drawn pictures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.still_table import SHADE, THING, StillTable

Floats = NDArray[np.float32]
WOOD = np.array([70, 110, 150], np.float32)
HERE = (slice(20, 40), slice(30, 60))


def table(seed: int, noise: float = 1.0, light: float = 1.0) -> Floats:
    random = np.random.default_rng(seed)
    return np.asarray(WOOD * light + random.normal(0, noise, (60, 100, 3)), np.float32)


def followed(noise: float = 1.0, light: float = 1.0) -> StillTable:
    still = StillTable(table(0, noise, light))
    for seed in range(1, 100):
        still.look(table(seed, noise, light))
    return still


def with_thing(picture: Floats, colour: NDArray[np.float32]) -> Floats:
    changed = picture.copy()
    changed[HERE] += colour - WOOD
    return changed


def test_a_thing_of_nearly_the_tables_colour_is_seen_where_pictures_are_quiet() -> None:
    kinds = followed().look(with_thing(table(200), np.asarray(WOOD + [0, 0, 10], np.float32)))
    assert (kinds[HERE] == THING).mean() > 0.9
    assert (kinds > 0).sum() == pytest.approx(600, abs=70)


@pytest.mark.parametrize("noise", [0.5, 2.0, 4.0])
def test_noise_is_no_thing_however_strong(noise: float) -> None:
    still = followed(noise)
    assert max((still.look(table(seed, noise)) > 0).mean() for seed in range(200, 230)) < 0.004


def test_a_thing_in_dim_light_differs_by_less_and_is_seen() -> None:
    still = followed(noise=0.6, light=0.3)
    dim = np.asarray(table(200, 0.6, 0.3), np.float32)
    dim[HERE] += 0.3 * np.array([20, 20, 20], np.float32)
    assert (still.look(dim)[HERE] == THING).mean() > 0.9


@pytest.mark.parametrize("step", [0.015, -0.015])
@pytest.mark.parametrize("white", [(1.0, 1.0, 1.0), (1.0, 0.3, 0.0)])
def test_the_camera_may_change_its_exposure_and_its_white_balance(
    step: float, white: tuple[float, float, float]
) -> None:
    still = followed()
    for number in range(15):
        gain = np.asarray(1 + np.array(white) * step * (number + 1), np.float32)
        kinds = still.look(np.asarray(table(200 + number) * gain, np.float32))
        assert (kinds > 0).mean() < 0.01
    # And what lies there is seen all the same.
    kinds = still.look(np.asarray(with_thing(table(300), np.array([140, 170, 222], np.float32)) * gain, np.float32))
    assert (kinds[HERE] == THING).all()


def test_what_darkens_all_colours_alike_may_be_a_shadow() -> None:
    kinds = followed().look(with_thing(table(200), WOOD * 0.75))
    assert (kinds[HERE] == SHADE).mean() > 0.9
    kinds = followed().look(with_thing(table(200), WOOD * np.array([0.9, 0.75, 0.75], np.float32)))
    assert (kinds[HERE] == THING).mean() > 0.9


def test_a_shadow_that_stays_for_a_moment_is_none_of_the_table() -> None:
    still = followed()
    for seed in range(200, 240):
        kinds = still.look(with_thing(table(seed), WOOD * 0.75))
    assert (kinds[HERE] == SHADE).mean() > 0.9
    assert (still.look(table(300)) > 0).mean() < 0.01
