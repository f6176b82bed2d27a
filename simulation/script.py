"""Scripts of the simulated table: cards, places and hands, and their states at each instant.

Times are seconds from the script's beginning, places as in `simulation.view`. A script knows no rules; its author does.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

PINCH, FLAT = "pinch", "flat"
TRAVEL_S = 0.45
"""Time of a hand from its home to its work, and back."""
TURN_S = 0.8
"""Time to turn the sandtimer."""
_LIFT_MM = 28.0
_GRIP_MM = 30.0
_BELL_MM = 42.0
_GLASS_MM = 60.0


@dataclass(frozen=True)
class CardNow:
    """A card at an instant.

    side: the visible one. height_mm: of its middle. turn_deg: rotation about its long axis, 0 to 180. since_s: start of
    this state, s; None while it is carried.
    """

    key: str
    face: str
    side: str
    x_mm: float
    y_mm: float
    angle_deg: float
    height_mm: float
    turn_deg: float
    since_s: float | None


@dataclass(frozen=True)
class HandNow:
    """A hand at an instant: place of its fingertips, mm, and pose (PINCH or FLAT)."""

    seat: int
    x_mm: float
    y_mm: float
    height_mm: float
    pose: str


@dataclass(frozen=True)
class SandNow:
    """The sandtimer: its rotation, 0 to 180 degrees, its height, mm, and the share of sand above."""

    turn_deg: float
    height_mm: float
    left: float


@dataclass(frozen=True)
class _Leg:
    """A card's way from one place to the next."""

    start_s: float
    end_s: float
    origin: CardPose
    goal: CardPose
    order: int


@dataclass(frozen=True)
class _Stay:
    """A time in which a hand is at work; `leg`: the card's way that it follows."""

    start_s: float
    end_s: float
    spot: Spot
    height_mm: float
    pose: str
    leg: _Leg | None = None


class Motion:
    """The states of a script; every method takes seconds from its beginning.

    Raises:
        ValueError: a card is carried twice at a time, or from nowhere.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self._faces = {card.key: card.face for card in script.cards}
        if len(self._faces) < len(script.cards):
            raise ValueError("two cards of the script have the same key")
        self._legs = {card.key: [_Leg(-1.0, 0.0, card.pose, card.pose, i)] for i, card in enumerate(script.cards)}
        self._carried = len(script.cards)
        self._stays: list[list[_Stay]] = [[] for _ in script.people]
        self._flips = sorted((act for act in script.actions if isinstance(act, Flip)), key=lambda flip: flip.at_s)
        for action in sorted(script.actions, key=_begin):
            self._add(action)
        self._ends = {key: [leg.end_s for leg in legs] for key, legs in self._legs.items()}

    def cards(self, t_s: float) -> list[CardNow]:
        """Return all cards, the lowest first."""
        placed = [(self._leg_at(key, t_s), key) for key in self._legs]
        lying = sorted((leg.end_s, leg.order, key) for leg, key in placed if leg.end_s <= t_s)
        carried = sorted((leg.start_s, leg.order, key) for leg, key in placed if leg.end_s > t_s)
        return [self.card(key, t_s) for _, _, key in (*lying, *carried)]

    def card(self, key: str, t_s: float) -> CardNow:
        """Return one card."""
        leg = self._leg_at(key, t_s)
        face, goal = self._faces[key], leg.goal
        if leg.end_s <= t_s:
            return CardNow(key, face, goal.side, goal.x_mm, goal.y_mm, goal.angle_deg, 0.0, 0.0, max(leg.end_s, 0.0))
        x, y, height, share = _on_leg(leg, t_s)
        turn = 180 * smooth((share - 0.25) / 0.5) if leg.origin.side != goal.side else 0.0
        side = goal.side if turn > 90 else leg.origin.side
        spin = (goal.angle_deg - leg.origin.angle_deg + 180) % 360 - 180
        return CardNow(key, face, side, x, y, leg.origin.angle_deg + spin * smooth(share), height, turn, None)

    def hands(self, t_s: float) -> list[HandNow]:
        """Return the hands that are not at home."""
        return [hand for seat in range(len(self._stays)) if (hand := self._hand(seat, t_s)) is not None]

    def sand(self, t_s: float) -> SandNow:
        """Return the sandtimer's state; before the first flip all sand is below."""
        index = bisect_right([flip.at_s - TURN_S for flip in self._flips], t_s) - 1
        if index < 0:
            return SandNow(0.0, 0.0, 0.0)
        flip = self._flips[index]
        share = smooth((t_s - flip.at_s + TURN_S) / TURN_S)
        left = 1.0 if t_s < flip.at_s else max(0.0, 1 - (t_s - flip.at_s) / flip.runs_s)
        return SandNow(180 * ((index + share) % 2), 70 * math.sin(math.pi * share), left if share > 0.5 else 0.0)

    def _add(self, action: Carry | BellHit | Flip | Rest) -> None:
        person = self.script.people[action.seat]
        stays = self._stays[action.seat]
        match action:
            case Carry():
                stays.append(self._carry(action, person))
            case BellHit():
                spot = _present(self.script.bell_mm, "bell")
                stays.append(_Stay(action.at_s, action.at_s + action.hold_s, spot, _BELL_MM, FLAT))
            case Flip():
                spot = _present(self.script.sandtimer_mm, "sandtimer")
                stays.append(_Stay(action.at_s - TURN_S, action.at_s, spot, _GLASS_MM, PINCH))
            case Rest():
                stays.append(_Stay(action.start_s, action.end_s, action.spot_mm, 8.0, FLAT))

    def _carry(self, carry: Carry, person: Person) -> _Stay:
        if carry.release_s <= carry.grasp_s or len(carry.cards) != len(carry.to) or not carry.cards:
            raise ValueError(f"a hand must lay down what it takes, and later: {carry}")
        for key, goal in zip(carry.cards, carry.to, strict=True):
            self._carried += 1
            legs = self._legs[key]
            if legs[-1].end_s > carry.grasp_s:
                raise ValueError(f"{key} is still carried at {carry.grasp_s} s")
            legs.append(_Leg(carry.grasp_s, carry.release_s, legs[-1].goal, goal, self._carried))
        first = self._legs[carry.cards[-1]][-1]
        grip = towards((first.origin.x_mm, first.origin.y_mm), person.shoulder_mm, _GRIP_MM)
        return _Stay(carry.grasp_s, carry.release_s, grip, 8.0, PINCH, first)

    def _leg_at(self, key: str, t_s: float) -> _Leg:
        """Return the leg of a card at a time: the present one, or the last one before."""
        legs = self._legs[key]
        index = bisect_right(self._ends[key], t_s)
        return legs[index] if index < len(legs) and legs[index].start_s <= t_s else legs[index - 1]

    def _hand(self, seat: int, t_s: float) -> HandNow | None:
        stays, person = self._stays[seat], self.script.people[seat]
        index = bisect_right([stay.start_s for stay in stays], t_s) - 1
        if index >= 0 and t_s <= stays[index].end_s:
            return HandNow(seat, *self._at_work(stays[index], person, t_s), stays[index].pose)
        before = stays[index] if index >= 0 else None
        after = stays[index + 1] if index + 1 < len(stays) else None
        if before and after and after.start_s - before.end_s < 2 * TRAVEL_S + 0.2:
            start, end = self._at_work(before, person, before.end_s), self._at_work(after, person, after.start_s)
            return self._travelling(seat, start, end, (before.end_s, after.start_s), t_s, after.pose)
        home = (*person.home_mm, 60.0)
        if before and t_s < before.end_s + TRAVEL_S:
            start = self._at_work(before, person, before.end_s)
            return self._travelling(seat, start, home, (before.end_s, before.end_s + TRAVEL_S), t_s, before.pose)
        if after and t_s > after.start_s - TRAVEL_S:
            end = self._at_work(after, person, after.start_s)
            return self._travelling(seat, home, end, (after.start_s - TRAVEL_S, after.start_s), t_s, after.pose)
        return None

    def _at_work(self, stay: _Stay, person: Person, t_s: float) -> tuple[float, float, float]:
        if stay.leg is None:
            return (*stay.spot, stay.height_mm)
        x, y, height, _ = _on_leg(stay.leg, t_s)
        grip = towards((x, y), person.shoulder_mm, _GRIP_MM)
        return (*grip, height + 8.0)

    def _travelling(
        self,
        seat: int,
        start: tuple[float, float, float],
        end: tuple[float, float, float],
        times_s: tuple[float, float],
        t_s: float,
        pose: str,
    ) -> HandNow:
        share = smooth((t_s - times_s[0]) / max(times_s[1] - times_s[0], 1e-6))
        x, y = between(start[:2], end[:2], share)
        height = start[2] + (end[2] - start[2]) * share + 25 * math.sin(math.pi * share)
        return HandNow(seat, x, y, height, pose)


def _present(spot: Spot | None, name: str) -> Spot:
    if spot is None:
        raise ValueError(f"the script uses a {name}, but there is no {name}")
    return spot


def _on_leg(leg: _Leg, t_s: float) -> tuple[float, float, float, float]:
    """Return a carried card's place and height, and the elapsed share of its time."""
    share = min(max((t_s - leg.start_s) / (leg.end_s - leg.start_s), 0.0), 1.0)
    x, y = between((leg.origin.x_mm, leg.origin.y_mm), (leg.goal.x_mm, leg.goal.y_mm), smooth(share))
    lift = _LIFT_MM if leg.origin.side == leg.goal.side else 1.7 * _LIFT_MM
    return x, y, lift * math.sin(math.pi * share) ** 0.7, share


def _begin(action: Carry | BellHit | Flip | Rest) -> float:
    match action:
        case Carry():
            return action.grasp_s
        case BellHit():
            return action.at_s
        case Flip():
            return action.at_s - TURN_S
        case Rest():
            return action.start_s


Spot = tuple[float, float]
Colour = tuple[int, int, int]

SKINS: tuple[Colour, ...] = ((140, 170, 222), (95, 130, 190), (150, 182, 236), (60, 88, 140))
SLEEVES: tuple[Colour, ...] = ((110, 60, 40), (60, 60, 150), (70, 110, 60), (120, 120, 125), (40, 120, 170))


@dataclass(frozen=True)
class CardPose:
    """Pose of a card: its middle, mm, its clockwise turn, degrees, and the side that is up."""

    x_mm: float
    y_mm: float
    angle_deg: float
    side: str


@dataclass(frozen=True)
class ScriptCard:
    """A card. key: unique. face: its id in the deck (many cards may have one face)."""

    key: str
    face: str
    pose: CardPose


@dataclass(frozen=True)
class Person:
    """A person at a seat: places of the shoulder and of the waiting hand, both outside the picture; colours are BGR."""

    shoulder_mm: Spot
    home_mm: Spot
    skin: Colour
    sleeve: Colour
    left_handed: bool = False


@dataclass(frozen=True)
class Carry:
    """A hand takes cards at `grasp_s` and lays them to the places `to`, one each, at `release_s`.

    A card whose side changes is turned over on the way, about its long axis.
    """

    seat: int
    cards: tuple[str, ...]
    grasp_s: float
    release_s: float
    to: tuple[CardPose, ...]


@dataclass(frozen=True)
class BellHit:
    """A hand hits the bell: contact at `at_s`, for `hold_s`. line: the bell's line, as `hardware.bell` names it."""

    seat: int
    at_s: float
    hold_s: float = 0.12
    line: str = "bell"


@dataclass(frozen=True)
class Flip:
    """A hand turns the sandtimer: it stands at `at_s`, and the sand then runs for `runs_s`."""

    seat: int
    at_s: float
    runs_s: float


@dataclass(frozen=True)
class Rest:
    """A hand covers a place from `start_s` to `end_s`."""

    seat: int
    start_s: float
    end_s: float
    spot_mm: Spot


Action = Carry | BellHit | Flip | Rest


@dataclass(frozen=True)
class Script:
    """A whole game.

    area_mm: width and height of the camera's area. cards: the lowest first. markers: ids of the marker cards in its
    corners, from the top left. bell_mm, sandtimer_mm: their places; None: without one. length_s: end of the script.
    waits_s: times at which people wait for the referee.
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
    """Return a person who sits at a place of the table's edge; `number` chooses the looks."""
    middle = (area_mm[0] / 2, area_mm[1] / 2)
    # Outwards over the nearest edge, slightly away from its middle.
    gaps = {(0, 1): area_mm[1] - edge_mm[1], (-1, 0): edge_mm[0], (0, -1): edge_mm[1], (1, 0): area_mm[0] - edge_mm[0]}
    out = min(gaps, key=lambda way: gaps[way])
    lean = 0.15 * (edge_mm[0] - middle[0]) * abs(out[1]), 0.15 * (edge_mm[1] - middle[1]) * abs(out[0])
    reach = gaps[out]
    home = edge_mm[0] + out[0] * (reach + 180) + lean[0], edge_mm[1] + out[1] * (reach + 180) + lean[1]
    shoulder = home[0] + out[0] * 380 + lean[0], home[1] + out[1] * 380 + lean[1]
    return Person(shoulder, home, SKINS[number % len(SKINS)], SLEEVES[number % len(SLEEVES)], number % 5 == 3)


def smooth(share: float) -> float:
    """Return the share of a hand's way after a share of its time, at rest at both ends (minimum jerk)."""
    s = min(max(share, 0.0), 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def between(one: Spot, other: Spot, share: float) -> Spot:
    """Return the point at a share of the way."""
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def towards(spot: Spot, goal: Spot, mm: float) -> Spot:
    """Return the point `mm` from a spot in the direction of another."""
    distance = math.dist(spot, goal)
    return between(spot, goal, mm / distance if distance else 0.0)
