"""Models the light on a card: its art's brightness at every place under lamps, shadows, gloss and a camera's effects.

In linear light the picture is `white * art + veil * (1 - art)`. `white` is the brightness of the card's own white
there,
which lamps and shadows change smoothly. `veil` is the brightness of its black, which gloss mirrors from a lamp. Both
are
few smooth fields over the card with a prior for each, beside the few ways in which cameras bend colours. So the light
is
one least squares fit, repeated without cells unlike the art. Clipped cells are unknown, except that they are no darker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles

CAP = 9.0  # of a cell's squared error over its noise
INDEPENDENT = 0.055  # share of all cells that count as independent
OUTLIER = 5.0  # of the same: a cell that differs from the fit

_LUMINANCE = np.array([0.0722, 0.7152, 0.2126], np.float32)


@dataclass(frozen=True)
class LightParams:
    """Spreads of the light's factors, and bounds; levels are shares of white, in linear light."""

    contrast: tuple[float, float] = (0.15, 1.0)  # the least and most span left between black and white
    light: tuple[float, float] = (0.0004, 4.0)
    clear_light: float = 0.02
    black: float = 0.04  # of white
    # of white
    like_white: float = 0.92
    shines: float = 1.08
    waves: int = 6  # of the veil, across and down together: half waves, less one
    # Variation of each field: the white with its slopes and bends, the veil with its waves, blue and red casts of both,
    # then crosstalk, saturation, the tone curve's bend and blur; a clipped white may be brighter, and of another
    # colour.
    white_varies: tuple[float, ...] = (0.15, 0.2, 0.2, 0.15, 0.15, 0.15)
    clipped_white_varies: tuple[float, ...] = (1.0, 0.5, 0.5, 0.5, 0.5, 0.5)
    veil_varies: float = 0.25
    wave_varies: float = 0.3
    # Of the white, by its brightness: where that is clipped, the lamp's colour is not known.
    cast_varies: float = 0.08
    clipped_cast_varies: float = 0.4
    # Of a veil, by its brightness; skin would look like a coloured veil where a hand may be on the card.
    veil_cast_varies: float = 0.02
    whole_veil_cast_varies: float = 0.25
    # Most ways change one channel only: a row is one way in one channel, and the rows go channel by channel.
    channels_of_ways: tuple[tuple[int, ...], ...] = (
        *((0,), (2,)) * 2,
        *((0,), (0,), (1,), (1,), (2,), (2,)),
        *((0, 1, 2),) * 3,
    )
    # Measured share of one channel's light that a camera gives to another: green and red to blue, blue and red to
    # green,
    # blue and green to red. Lamps that it was not built for increase it.
    crosstalk_varies: tuple[float, ...] = (0.09, 0.09, 0.045, 0.07, 0.04, 0.045)
    saturation_varies: float = 0.15
    tone_varies: float = 0.3
    blur_varies: float = 0.4
    blur: float = 0.3
    steady: float = 1e-5  # of all weights


LIGHT = LightParams()

_CROSSTALK = slice(-9, -3)  # among the ways
_ROWS = tuple(
    (channel, way) for channel in range(3) for way, has in enumerate(LIGHT.channels_of_ways) if channel in has
)
_CHANNEL_OF, _WAY_OF = (np.array(column) for column in zip(*_ROWS, strict=True))
_ROWS_OF = tuple(slice(*np.searchsorted(_CHANNEL_OF, (channel, channel + 1)).tolist()) for channel in range(3))
_SAME_CHANNEL = (_CHANNEL_OF[:, None] == _CHANNEL_OF).astype(np.float32)
_TO_WAYS = (np.arange(len(LIGHT.channels_of_ways))[:, None] == _WAY_OF).astype(np.float32)
_WHITE_CASTS, _VEIL_CASTS = (np.flatnonzero(np.isin(_WAY_OF, ways)) for ways in ((0, 1), (2, 3)))  # among the rows


@dataclass(frozen=True, eq=False)
class ArtFields:
    """One picture, or several along a first axis, as arrays for the fit, channel after channel.

    `art` (..., 3, cells) is linear light; `ways` (..., 19, cells) the possible effects of cameras, a row for each
    channel
    that a way changes, some of them by the veil there; `noise` (..., cells) its variance.
    """

    art: Singles
    ways: Singles
    noise: Singles

    def take(self, pictures: NDArray[np.intp]) -> ArtFields:
        """Return the chosen pictures."""
        return ArtFields(self.art[pictures], self.ways[pictures], self.noise[pictures])


@dataclass(frozen=True, eq=False)
class CardPixels:
    """Pixels of a card: its cells (3, cells), grey levels by the white, and which of them are clipped.

    `bleached`: the white itself is clipped; `whole`: nothing hides any of the margin; `noise`: the camera's variance,
    of
    white.
    """

    levels: Singles
    clipped: Flags
    bleached: bool
    whole: bool
    noise: float

    @property
    def known(self) -> Flags:
        """Return the cells (cells,) that are not all clipped."""
        return np.asarray(~self.clipped.all(axis=0))

    @property
    def shines(self) -> Flags:
        """Return the cells (cells,) that are brighter than white, or as bright and clipped."""
        darkest = self.levels.min(axis=0)
        return np.asarray((darkest > LIGHT.shines) | ((darkest > LIGHT.like_white) & self.clipped.any(axis=0)))

    def take(self, cells: Flags) -> CardPixels:
        """Return the chosen cells."""
        return replace(self, levels=self.levels[:, cells], clipped=self.clipped[:, cells])

    def turned(self) -> CardPixels:
        """Return the cells from the last to the first."""
        return replace(self, levels=self.levels[:, ::-1], clipped=self.clipped[:, ::-1])


@dataclass(frozen=True, eq=False)
class Light:
    """A fitted light for each picture.

    `amounts` (..., fields) of the fields; `ways` (..., 19, cells) the possible effects of cameras and gloss; `light`
    (..., 3, cells) their result; `gap` (..., 3, cells) by how much that result is brighter than the picture; `weight`
    (..., cells) of its square; `contrast` (..., cells) the span left between black and white; `cells` (..., cells) the
    weighted errors; `odds` (...) the prior's, at most 0.
    """

    amounts: Floats
    ways: Singles
    light: Singles
    gap: Singles
    weight: Singles
    contrast: Singles
    cells: Singles
    odds: Floats

    @property
    def bent(self) -> Floats:
        """Return by how many standard deviations a camera would have to mix colours, (...)."""
        return np.asarray(np.abs(self.amounts[..., _CROSSTALK] / LIGHT.crosstalk_varies).max(axis=-1))

    def score(self, known: Flags) -> Floats:
        """Return the log-likelihood of the known cells, (...)."""
        errors = np.minimum(self.cells, CAP) @ known.astype(np.float32)
        return np.asarray(self.odds - 1.5 * INDEPENDENT * errors)


def art_fields(art: Singles, soft: Singles, noise: Singles) -> ArtFields:
    """Return the fields of a picture with grey levels `art`, and blurred `soft`, (3, cells) each, of white."""
    light = art**2
    missing = 1 - light
    channels = np.eye(3, dtype=np.float32)[:, :, None]
    blue, _, red = channels
    cross = [channels[to] * (light[of] - light[to]) for to in range(3) for of in range(3) if of != to]
    casts = [light * blue, light * red, missing * blue, missing * red]
    colourless = np.broadcast_to(_LUMINANCE @ missing, missing.shape)
    ways = [*casts, *cross, colourless - missing, -missing * light, soft**2 - light]
    return ArtFields(light, np.stack(ways).astype(np.float32)[_WAY_OF, _CHANNEL_OF], noise)


class LightModel:
    """The smooth fields over cells at `x` and `y`, (cells,), -1 to 1 over a card."""

    def __init__(self, x: Singles, y: Singles) -> None:
        third = np.float32(1 / 3)
        self._white = np.stack([np.ones_like(x), x, y, x * x - third, x * y, y * y - third], axis=1)
        waves = [(i, j) for i in range(LIGHT.waves) for j in range(LIGHT.waves) if i + j < LIGHT.waves]
        veil = [np.cos(np.pi * i * (x + 1) / 2) * np.cos(np.pi * j * (y + 1) / 2) for i, j in waves]
        self._waves = np.stack(veil, axis=1).astype(np.float32)
        # The same in long rows, which are quicker to weight.
        self._rows = [np.ascontiguousarray(basis.T) for basis in (self._white, self._waves)]
        veils = [LIGHT.wave_varies / np.sqrt(i + j) if i + j else LIGHT.veil_varies for i, j in waves]
        kinds = ((LIGHT.white_varies, LIGHT.cast_varies), (LIGHT.clipped_white_varies, LIGHT.clipped_cast_varies))
        veil_casts = (LIGHT.veil_cast_varies, LIGHT.whole_veil_cast_varies)
        ways = (*LIGHT.crosstalk_varies, LIGHT.saturation_varies, LIGHT.tone_varies, LIGHT.blur_varies)
        self._varies = [
            [np.array([*white, *veils, cast, cast, veil, veil, *ways]) for veil in veil_casts] for white, cast in kinds
        ]
        self._whites, self._veils = len(LIGHT.white_varies), len(LIGHT.white_varies) + len(waves)
        self._expected = np.zeros(len(self._varies[0][0]))
        self._expected[0], self._expected[-1] = 1.0, LIGHT.blur

    def start(self, white: float, veil: float) -> Floats:
        """Return amounts to begin with."""
        amounts = self._expected.copy()
        amounts[0], amounts[self._whites] = white, veil
        return amounts

    def fitted(self, art: ArtFields, seen: CardPixels, known: Flags, amounts: Floats, rounds: int) -> Light:
        """Fit the light that makes pictures most like the `known` cells (cells,); begin with `amounts`."""
        varies = self._varies[int(seen.bleached)][int(seen.whole)]
        light = self._light(art, seen, amounts, varies)
        for _ in range(rounds):
            open_to_see = np.minimum(CAP / np.maximum(light.cells, 1e-9), 1) ** 2 * known
            weight = (INDEPENDENT * light.weight * open_to_see)[..., None, :] / (
                4 * np.maximum(light.light, LIGHT.clear_light)
            )
            weight[seen.clipped & (light.gap == 0)] = 0
            # A vivid camera shows strong colours with nothing in the other channels: their true low level is not known.
            weight[(seen.levels < LIGHT.black) & (light.light <= LIGHT.light[0])] = 0
            light = self._light(art, seen, self._solved(art, light.ways, seen.levels**2, weight, varies), varies)
        return light

    def without_gloss(self, art: ArtFields, light: Light) -> Singles:
        """Return grey levels (3, cells), of white, of a picture in a fitted light without gloss."""
        white = light.amounts[: self._whites].astype(np.float32) @ self._white.T
        return np.asarray(np.sqrt(np.maximum(art.art * white, 0)), np.float32)

    def blank_score(self, levels: Singles, weight: Singles, some: Flags) -> float:
        """Return the log-likelihood of smoothly changing colours fitted to `levels` (3, n), of cells `some`.

        `weight` (n,) is of a cell's squared error.
        """
        waves, colours = self._waves[some], levels.T
        # Where little is visible, some waves are hardly distinguishable.
        steady = LIGHT.steady * (1 + float(weight.sum())) * np.eye(waves.shape[1], dtype=np.float32)
        open_to_see = np.ones_like(weight)
        for _ in range(2):
            pull = waves * (weight * open_to_see)[:, None]
            smooth = waves @ np.linalg.solve(pull.T @ waves + steady, pull.T @ colours)
            cells = ((smooth - colours) ** 2).sum(axis=1) * weight
            open_to_see = np.minimum(CAP / np.maximum(cells, 1e-9), 1) ** 2
        return -1.5 * INDEPENDENT * float(np.minimum(cells, CAP).sum())

    def _solved(self, art: ArtFields, ways_now: Singles, target: Singles, weight: Singles, varies: Floats) -> Floats:
        """Return the amounts at which weighted least squares and the prior agree, (..., fields)."""
        shape = weight.shape[:-2]
        normal = np.broadcast_to(np.diag(1 / varies**2), (*shape, len(varies), len(varies))).copy()
        pull = np.broadcast_to(self._expected / varies**2, (*shape, len(varies))).copy()
        white, veil, ways = slice(self._whites), slice(self._whites, self._veils), slice(self._veils, None)
        lit = weight * art.art
        all_of, some_of, lit_twice = (_over_channels(values) for values in (weight, lit, lit * art.art))
        once = some_of - lit_twice
        self._add_smooth(normal, lit_twice, once, all_of - some_of - once)
        weighted = weight[..., _CHANNEL_OF, :] * ways_now
        lit_ways = weighted * art.art[..., _CHANNEL_OF, :]
        for basis, by, here in ((self._white, lit_ways, white), (self._waves, weighted - lit_ways, veil)):
            block = _TO_WAYS @ (by @ basis)
            normal[..., ways, here] += block
            normal[..., here, ways] += np.swapaxes(block, -1, -2)
        gram = (weighted @ np.swapaxes(ways_now, -1, -2)) * _SAME_CHANNEL
        normal[..., ways, ways] += _TO_WAYS @ gram @ _TO_WAYS.T
        pull[..., ways] += (weighted * target[_CHANNEL_OF]).sum(axis=-1) @ _TO_WAYS.T
        lit_target = _over_channels(lit * target)
        pull[..., white] += lit_target @ self._white
        pull[..., veil] += (_over_channels(weight * target) - lit_target) @ self._waves
        return np.asarray(np.linalg.solve(normal, pull[..., None])[..., 0])

    def _add_smooth(self, normal: Floats, lit_twice: Singles, once: Singles, veiled: Singles) -> None:
        """Add to `normal` (..., fields, fields) the products of white and veil, by weights (..., cells)."""
        white, veil = slice(self._whites), slice(self._whites, self._veils)
        for basis, by, here in zip(self._rows, (lit_twice, veiled), (white, veil), strict=True):
            # A matrix by itself: half the work of a product of two.
            half = np.sqrt(np.maximum(by, 0))[..., None, :] * basis
            normal[..., here, here] += half @ np.swapaxes(half, -1, -2)
        block = (once[..., None, :] * self._rows[0]) @ self._waves
        normal[..., white, veil] += block
        normal[..., veil, white] += np.swapaxes(block, -1, -2)

    def _light(self, art: ArtFields, seen: CardPixels, amounts: Floats, varies: Floats) -> Light:
        used = amounts.astype(np.float32)
        white = (used[..., : self._whites] @ self._white.T)[..., None, :]
        veil = (used[..., self._whites : self._veils] @ self._waves.T)[..., None, :]
        ways_now = art.ways.copy()
        # The lamp has a colour of its own, and so has its reflection in gloss.
        ways_now[..., _WHITE_CASTS, :] *= np.maximum(white, 0)
        ways_now[..., _VEIL_CASTS, :] *= np.maximum(veil, 0)
        amount = used[..., None, self._veils + _WAY_OF]
        ways = np.concatenate([amount[..., rows] @ ways_now[..., rows, :] for rows in _ROWS_OF], axis=-2)
        light = np.clip(art.art * (white - veil) + veil + ways, *LIGHT.light)
        gap = np.sqrt(light) - seen.levels
        gap[seen.clipped & (gap > 0)] = 0
        contrast = np.clip(np.sqrt(np.maximum(white, 0)) - np.sqrt(np.maximum(veil, 0)), *LIGHT.contrast)[..., 0, :]
        # Gloss reduces the differences of pictures from their art as much as the contrast.
        weight = 1 / (art.noise * contrast**2 + np.float32(seen.noise))
        odd = (amounts - self._expected) / varies
        return Light(
            amounts,
            ways_now,
            light,
            gap,
            weight,
            contrast,
            _over_channels(gap * gap) * weight,
            -0.5 * (odd**2).sum(axis=-1),
        )


def _over_channels(values: Singles) -> Singles:
    """Return the sum over the last axis but one, which has three entries: quicker than numpy's own."""
    return values[..., 0, :] + values[..., 1, :] + values[..., 2, :]


def spread_of(picture: Singles) -> Singles:
    """Return the variation (h, w) of the art round each cell."""
    mean, square = cv2.blur(picture, (3, 3)), cv2.blur(picture * picture, (3, 3))
    return np.asarray(np.sqrt(np.maximum(square - mean * mean, 0).mean(axis=2)), np.float32)
