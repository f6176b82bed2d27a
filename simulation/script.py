"""A game's script as data: what lies on the table, who sits round it, and what hands do when.

Times are seconds from the script's beginning, places as in `simulation.view`. A script knows no rules; whoever writes
one does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Spot = tuple[float, float]
Colour = tuple[int, int, int]

SKINS: tuple[Colour, ...] = ((140, 170, 222), (95, 130, 190), (150, 182, 236), (60, 88, 140))
SLEEVES: tuple[Colour, ...] = ((110, 60, 40), (60, 60, 150), (70, 110, 60), (120, 120, 125), (40, 120, 170))


@dataclass(frozen=True)
class Lying:
    """How a card lies: its middle, mm, its turn clockwise, degrees, and the side that is up."""

    x_mm: float
    y_mm: float
    angle_deg: float
    side: str


@dataclass(frozen=True)
class ScriptCard:
    """A card. key: names this very card, unique. face: its id in the deck (many cards may show one face)."""

    key: str
    face: str
    lies: Lying


@dataclass(frozen=True)
class Person:
    """Who sits at a seat: where the shoulder is and where the hand waits, both out of the picture; colours are BGR."""

    shoulder_mm: Spot
    home_mm: Spot
    skin: Colour
    sleeve: Colour
    left_handed: bool = False


@dataclass(frozen=True)
class Carry:
    """A hand takes cards at `grasp_s` and lays them as `to` says, one for each, at `release_s`.

    A card whose side changes is turned over on the way, about its long axis.
    """

    seat: int
    cards: tuple[str, ...]
    grasp_s: float
    release_s: float
    to: tuple[Lying, ...]


@dataclass(frozen=True)
class Ring:
    """A hand hits the bell: contact at `at_s`, for `hold_s`. line: which line closes, as `hardware.bell` names it."""

    seat: int
    at_s: float
    hold_s: float = 0.12
    line: str = "bell"


@dataclass(frozen=True)
class Flip:
    """A hand turns the sandtimer: it stands at `at_s`, and the sand runs for `runs_s` from then on."""

    seat: int
    at_s: float
    runs_s: float


@dataclass(frozen=True)
class Rest:
    """A hand lies on a place from `start_s` to `end_s` and hides what is there."""

    seat: int
    start_s: float
    end_s: float
    spot_mm: Spot


Action = Carry | Ring | Flip | Rest


@dataclass(frozen=True)
class Script:
    """A whole game.

    area_mm: width and height of what the camera is aimed at. cards: in the order in which they lie, the lowest first.
    markers: ids of the marker cards in its corners, from the top left. bell_mm, sandtimer_mm: where they stand, None:
    there is none. length_s: when it is over. waits_s: when people wait for the referee.
    """

    area_mm: tuple[float, float]
    cards: tuple[ScriptCard, ...]
    people: tuple[Person, ...]
    actions: tuple[Action, ...]
    length_s: float
    bell_mm: Spot | None = None
    sandtimer_mm: Spot | None = None
    markers: tuple[int, ...] = (0, 1, 2, 3)
    waits_s: tuple[float, ...] = ()


def person_at(edge_mm: Spot, area_mm: tuple[float, float], number: int) -> Person:
    """Give a person who sits at a place of the table's edge; `number` chooses the looks."""
    middle = (area_mm[0] / 2, area_mm[1] / 2)
    # Outwards over the nearest edge, a little away from the middle of it.
    gaps = {(0, 1): area_mm[1] - edge_mm[1], (-1, 0): edge_mm[0], (0, -1): edge_mm[1], (1, 0): area_mm[0] - edge_mm[0]}
    out = min(gaps, key=lambda way: gaps[way])
    lean = 0.15 * (edge_mm[0] - middle[0]) * abs(out[1]), 0.15 * (edge_mm[1] - middle[1]) * abs(out[0])
    reach = gaps[out]
    home = edge_mm[0] + out[0] * (reach + 180) + lean[0], edge_mm[1] + out[1] * (reach + 180) + lean[1]
    shoulder = home[0] + out[0] * 380 + lean[0], home[1] + out[1] * 380 + lean[1]
    return Person(shoulder, home, SKINS[number % len(SKINS)], SLEEVES[number % len(SLEEVES)], number % 5 == 3)


def smooth(share: float) -> float:
    """Give how far a hand has come after a share of its time: it starts and ends at rest (minimum jerk)."""
    s = min(max(share, 0.0), 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def between(one: Spot, other: Spot, share: float) -> Spot:
    """Give the place at a share of the way."""
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def towards(spot: Spot, goal: Spot, mm: float) -> Spot:
    """Give the place `mm` from a spot in the direction of another."""
    distance = math.dist(spot, goal)
    return between(spot, goal, mm / distance if distance else 0.0)
