"""A first rough look ranks the pictures that a frame may show: the right one first, at its turn, then its rivals."""

from __future__ import annotations

import numpy as np
import pytest

import vision.prints.light_ranking
from vision.prints.light_model import Seen, Singles, art_fields
from vision.prints.light_ranking import Ranking

ROWS, COLUMNS, PICTURES = 24, 18, 12
X, Y = (part.astype(np.float32).ravel() for part in np.meshgrid(np.linspace(-1, 1, COLUMNS), np.linspace(-1, 1, ROWS)))


def arts() -> list[Singles]:
    """Grey levels (3, cells) of pictures in few colours, of white."""
    luck = np.random.default_rng(3)
    coarse = luck.random((PICTURES, 3, ROWS // 3, COLUMNS // 3)).astype(np.float32)
    return [np.kron(one, np.ones((1, 3, 3), np.float32)).reshape(3, -1) for one in coarse]


def ranking() -> Ranking:
    noise = np.full(ROWS * COLUMNS, 0.006, np.float32)
    return Ranking(
        [art_fields(art, art, noise) for art in arts()], np.stack([X, Y]), np.arange(ROWS * COLUMNS) % 2 == 0
    )


def seen(picture: int, veil: float, noise: float) -> Seen:
    """A picture under a lamp that shines on its right half more, with `veil` of the lamp mirrored there."""
    shine = veil * (X + 1) / 2
    light = arts()[picture] ** 2 * (1 - shine) + shine
    levels = np.sqrt(light) + np.random.default_rng(4).normal(0, noise, light.shape)
    return Seen(levels.astype(np.float32), np.zeros(light.shape, bool), bleached=False, whole=True, noise=0.001)


@pytest.mark.parametrize("veil", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("upside_down", [False, True])
def test_the_right_picture_comes_first_at_its_turn_and_a_rival_after_it(veil: float, upside_down: bool) -> None:
    for picture in range(PICTURES):
        view = seen(picture, veil, 0.05)
        views = {0: view.turned(), 2: view} if upside_down else {0: view, 2: view.turned()}
        first, *others = ranking().likeliest(views)
        assert (first.picture, first.turn) == (picture, 2 if upside_down else 0)
        assert {other.picture for other in others} - {picture}


def test_a_rival_that_looks_likelier_upside_down_is_given_as_the_first_one_lies_too() -> None:
    for picture in range(PICTURES):
        view = seen(picture, 0.0, 0.3)
        first, *others = ranking().likeliest({0: view, 2: view.turned()})
        assert {other.picture for other in others} == {one.picture for one in others if one.turn == first.turn}


def test_what_falls_far_behind_at_once_would_not_be_among_the_likeliest(monkeypatch: pytest.MonkeyPatch) -> None:
    def likeliest(picture: int) -> list[tuple[int, int]]:
        view = seen(picture, 0.7, 0.35)
        return [(one.picture, one.turn) for one in ranking().likeliest({0: view, 2: view.turned()})]

    quickly = [likeliest(picture) for picture in range(PICTURES)]
    monkeypatch.setattr(vision.prints.light_ranking, "_FAR", np.inf)
    assert [likeliest(picture) for picture in range(PICTURES)] == quickly
