"""The light on a card is found again, whatever of it is clipped or covered."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.prints.light_model import ArtFields, LightModel, Seen, art_fields

Shade = NDArray[np.floating] | float
ROWS, COLUMNS = 40, 28
X, Y = (
    axis.reshape(-1).astype(np.float32) for axis in np.meshgrid(np.linspace(-1, 1, COLUMNS), np.linspace(-1, 1, ROWS))
)
MODEL = LightModel(X, Y)
EVERYWHERE = np.ones(ROWS * COLUMNS, bool)


def art(seed: int) -> Singles:
    """A picture of blocks in random colours, (3, cells), grey levels of white."""
    blocks = np.random.default_rng(seed).uniform(0.1, 1, (3, ROWS // 4, COLUMNS // 4))
    return np.kron(blocks, np.ones((4, 4))).reshape(3, -1).astype(np.float32)


def fields(*seeds: int) -> ArtFields:
    """What the model needs of some pictures, without blur."""
    all_of = [art_fields(art(seed), art(seed), np.full(ROWS * COLUMNS, 0.006, np.float32)) for seed in seeds]
    return ArtFields(*(np.stack([getattr(one, name) for one in all_of]) for name in ("art", "ways", "noise")))


def shown(seed: int, white: Shade = 1.0, veil: Shade = 0.0) -> Seen:
    """What a camera shows of a picture whose white and black are so bright, in linear light."""
    light = art(seed) ** 2
    levels = np.sqrt(white * light + veil * (1 - light)).astype(np.float32)
    clipped = levels >= 1
    return Seen(np.minimum(levels, np.float32(1)), clipped, bool(clipped.mean() > 0.3), True, 0.001)


def scores(seen: Seen) -> list[float]:
    """How likely three pictures are, of which the first is the true one."""
    light = MODEL.fitted(fields(1, 2, 3), seen, seen.known, np.stack([MODEL.start(1.0, 0.1)] * 3), 4)
    return [float(score) for score in light.score(seen.known)]


@pytest.mark.parametrize("white", [1.0, 0.7, 1 + 0.3 * X, 1 - 0.3 * Y * Y])
@pytest.mark.parametrize("veil", [0.0, 0.4, 0.8 * np.exp(-((X - 0.8) ** 2 + Y**2) / 0.5)])
def test_lamps_shadows_and_gloss_are_told_from_the_picture(white: Shade, veil: Shade) -> None:
    seen = shown(1, white, veil)
    one = MODEL.fitted(fields(1), seen, seen.known, MODEL.start(1.0, 0.1)[None], 4)
    assert np.abs(one.gap[0]).mean() < 0.03
    true, *others = scores(seen)
    assert true > max(others) + 30


def test_where_a_lamp_has_bleached_half_of_a_card_the_other_half_tells_it() -> None:
    seen = shown(1, veil=1.5 / (1 + np.exp(-8 * X)))
    assert 0.3 < 1 - seen.known.mean() < 0.7
    true, *others = scores(seen)
    assert true > max(others) + 30


def mirrored(*, whole: bool) -> Seen:
    """What a camera shows of a picture in whose gloss a blue window is mirrored."""
    light = art(1) ** 2
    window = 0.25 * np.exp(-((X + 0.4) ** 2 + (Y + 0.3) ** 2) / 0.5) * np.array([[2.2], [0.8], [0.5]])
    levels = np.sqrt(light + window * (1 - light)).astype(np.float32)
    return Seen(levels, levels >= 1, False, whole, 0.001)


def test_gloss_may_mirror_a_window_of_another_colour_but_is_no_skin() -> None:
    off = []
    for whole in (True, False):
        light = MODEL.fitted(fields(1), mirrored(whole=whole), EVERYWHERE, MODEL.start(1.0, 0.1)[None], 4)
        off.append(np.abs(light.gap[0]).mean())
    # Where a hand may lie on a card, its colour is not explained away.
    assert off[0] < 0.75 * off[1]


def test_what_is_clipped_may_be_brighter_but_not_darker() -> None:
    levels = art(1)
    bright = Seen(np.ones_like(levels), np.ones_like(levels, bool), True, True, 0.001)
    as_it_is = MODEL.fitted(fields(1), bright, EVERYWHERE, MODEL.start(4.0, 4.0)[None], 0)
    assert (as_it_is.gap == 0).all()
    darker = MODEL.fitted(fields(1), bright, EVERYWHERE, MODEL.start(0.5, 0.0)[None], 0)
    assert (darker.gap < 0).all()


def test_what_is_not_known_has_no_say() -> None:
    seen = shown(1)
    known = X < 0.3
    spoilt = Seen(np.where(known, seen.levels, 0.5), seen.clipped, seen.bleached, seen.whole, seen.noise)
    for view in (seen, spoilt):
        light = MODEL.fitted(fields(1, 2), view, known, np.stack([MODEL.start(1.0, 0.1)] * 2), 4)
        one, other = light.score(known)
        assert one > other + 30
        assert np.abs(light.gap[0][:, known]).mean() < 0.02
