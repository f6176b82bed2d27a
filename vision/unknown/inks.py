"""Inks of marks: what colour each is by itself, and by what the others in the picture are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.unknown.colour_names import colour_name, lab_of_linear

_FULL = 0.93  # of the light that an ink lets through least, taken away where it covers all
_FAINT = 0.2  # less is a shadow
_TINTED = 0.25  # of what is missing most: so much less is missing elsewhere, if an ink has a colour
_PLAIN_CHROMA, _LEAST_CHROMA = 20.0, 4.0
_NEAR_DEG = 25.0
_COLOURLESS = ("grey", "white")
_WARM = ("red", "orange", "pink")


@dataclass(frozen=True)
class Ink:
    """An ink as a mark shows it: `name` of its colour, CIE `lab` and how much light it takes away, 0 to 1.

    `solid`: whether it covers the mark; of strokes nobody sees how light it is.
    """

    name: str
    lab: tuple[float, float, float]
    taken: float
    solid: bool

    @property
    def chroma(self) -> float:
        """How much colour it has."""
        return float(np.hypot(*self.lab[1:]))

    @property
    def hue_deg(self) -> float:
        """Its hue, 0 to 360."""
        return float(np.degrees(np.arctan2(self.lab[2], self.lab[1])) % 360)


UNKNOWN_INK = Ink("grey", (50.0, 0.0, 0.0), 0.0, solid=True)


def ink_of(taken: NDArray[np.floating], *, solid: bool) -> Ink:
    """The ink that takes these shares (3,), RGB, of the paper's light away; of strokes the sums of them."""
    most = max(float(taken.max()), 1e-6)
    whole = taken * (_FULL / most)
    lab = _lab_without(taken if solid else whole)
    name = colour_name(lab)
    if not solid and name == "pink":
        name = "red"
    if name in _COLOURLESS and (not solid or most > _FAINT) and float(taken.min()) < (1 - _TINTED) * most:
        # Faint, because what is printed thin is blurred: its colour is that of the same ink where it covers all.
        full = colour_name(_lab_without(whole))
        name = name if full in (*_COLOURLESS, "black") else full
    return Ink(name, lab, min(most, 1.0) if solid else _FULL, solid)


def names_together(inks: Iterable[Ink]) -> list[str]:
    """The colours' names of the marks of one picture: what has little colour by itself has one that others show."""
    inks = list(inks)
    plain = [ink for ink in inks if ink.chroma >= _PLAIN_CHROMA and ink.name not in (*_COLOURLESS, "black")]
    hues = {name: _middle_deg([ink.hue_deg for ink in plain if ink.name == name]) for name in {p.name for p in plain}}
    warm = _one_warm(plain, hues)
    return [_name_among(ink, hues, warm) for ink in inks]


def _name_among(ink: Ink, hues: dict[str, float], warm: str | None) -> str:
    if ink.name in _COLOURLESS and ink.chroma >= _LEAST_CHROMA and ink.taken > _FAINT and hues:
        near = min(hues, key=lambda name: (_apart_deg(hues[name], ink.hue_deg), name))
        if _apart_deg(hues[near], ink.hue_deg) < _NEAR_DEG:
            return warm if warm is not None and near in _WARM else near
    return warm if warm is not None and ink.name in _WARM else ink.name


def _one_warm(plain: list[Ink], hues: dict[str, float]) -> str | None:
    """The name of all red, orange and pink marks where they are one ink in changing light; None if they are several."""
    inks = [ink for ink in plain if ink.name in _WARM]
    if len({ink.name for ink in inks}) < 2:
        return None
    middle = _middle_deg([ink.hue_deg for ink in inks])
    if any(_apart_deg(ink.hue_deg, middle) > _NEAR_DEG / 2 for ink in inks):
        return None
    # Solid marks show it best.
    sure = [ink.name for ink in inks if ink.solid] or [ink.name for ink in inks]
    return max(sorted(set(sure)), key=sure.count)


def _middle_deg(hues: list[float]) -> float:
    turn = np.exp(1j * np.radians(hues))
    first = np.angle(turn.sum())
    return float(np.degrees(first + np.median(np.angle(turn * np.exp(-1j * first)))) % 360)


def _apart_deg(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


def _lab_without(taken: NDArray[np.floating]) -> tuple[float, float, float]:
    lightness, a, b = lab_of_linear(np.clip(1 - taken, 0, 1)).tolist()
    return lightness, a, b
