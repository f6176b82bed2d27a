"""Writes a game of Confetti for the simulated table: each player's moves, and the rulings that follow."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.games.confetti.rules import Confetti
from referee.games.confetti.score import Card, score_hand
from referee.games.seating import AREA_MM, people_at, ring_of, spot
from referee.scoring.seats import SeatRing
from simulation.script import Action, CardPose, Carry, Flip, Script, ScriptCard
from vision.deck import Deck

SIDE = "white"
_OTHER = {"white": "black", "black": "white"}
_SANDTIMER_MM = (330.0, 110.0)
_HEAP_MM = (285.0, 865.0, 272.0, 372.0)
_FIRST_STILL_S = 3.6  # in which the referee finds the seats
_AFTER_TIME_S = 7.5  # in which the referee reads the hands
_TIDY_S = 3.5
_KEPT_COLUMN = 2.75
# Reading fewer cards than C3 lays out takes less time.
DEMO_HEAP = 30


@dataclass(frozen=True)
class ConfettiPlan:
    """Parameters of a demonstration game.

    players: 1 to 5. rounds: at most the game's. heap: cards laid out in the first round; None: half of the deck (C3).
    sand_s: duration of the sand. late_seat: the seat that takes a card after time in the first round, or None. side:
    the side of the cards that is played.
    """

    players: int = 3
    rounds: int = 1
    heap: int | None = None
    sand_s: float = 14.0
    late_seat: int | None = None
    side: str = SIDE


@dataclass(frozen=True)
class RoundTruth:
    """Result of a scripted round: start and end of the sand in s, and each seat's faces at the end."""

    flipped_s: float
    out_s: float
    hands: tuple[tuple[str, ...], ...]


@dataclass
class _DrawnConfetti:
    """State of the table while a game is written: places and order of cards, and movements of hands."""

    poses: dict[str, CardPose]
    side: str
    actions: list[Action] = field(default_factory=list)
    rounds: list[RoundTruth] = field(default_factory=list)
    waits_s: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class ConfettiGame:
    """A script with its truth."""

    script: Script
    rounds: tuple[RoundTruth, ...]


def write_confetti(deck: Deck, seed: int, plan: ConfettiPlan | None = None) -> ConfettiGame:
    """Return a game; the same seed always gives the same one."""
    plan = plan or ConfettiPlan()
    rng = random.Random(seed)
    ring = ring_of(plan.players)
    faces = [face.id for face in deck.side(plan.side)]
    rng.shuffle(faces)
    limits = Confetti(plan.players).limits[: plan.rounds]
    heap = faces[: plan.heap or len(faces) // 2]
    table = _DrawnConfetti({face: _in_heap(rng, plan.side) for face in heap}, plan.side)
    first = _choose(table, deck, heap, ring, limits[0], rng)
    # Cards that players take are on top.
    taken = [face for hand in first for face in hand]
    order = [face for face in heap if face not in taken] + taken
    begin_s = _FIRST_STILL_S
    kept: list[list[str]] = [[] for _ in range(plan.players)]
    start = tuple(ScriptCard(face, face, table.poses[face]) for face in order)
    for number, limit in enumerate(limits):
        free = [face for face in order if not any(face in pile for pile in kept)]
        chosen = first if number == 0 else _choose(table, deck, free, ring, limit, rng)
        late = plan.late_seat if number == 0 else None
        spare = [face for face in free if not any(face in hand for hand in chosen)]
        end_s = _play_round(table, ring, chosen, begin_s, plan, late, spare, rng)
        if number + 1 < len(limits):
            table.waits_s.append(end_s)
            end_s = _tidy(table, deck, ring, chosen, kept, limit, end_s, rng)
        begin_s = end_s + _FIRST_STILL_S
    actions = tuple(sorted(table.actions, key=_when))
    script = Script(
        AREA_MM,
        start,
        people_at(ring),
        actions,
        begin_s - _FIRST_STILL_S,
        sandtimer_mm=_SANDTIMER_MM,
        waits_s=tuple(table.waits_s),
    )
    return ConfettiGame(script, tuple(table.rounds))


def _play_round(
    table: _DrawnConfetti,
    ring: SeatRing,
    chosen: list[list[str]],
    begin_s: float,
    plan: ConfettiPlan,
    late: int | None,
    spare: list[str],
    rng: random.Random,
) -> float:
    """Write a round that begins at `begin_s`; return the time when its hands have been read."""
    flipped_s = begin_s + 1.3
    out_s = flipped_s + plan.sand_s
    table.actions.append(Flip(0, flipped_s, plan.sand_s))
    for seat, hand in enumerate(chosen):
        places = _spots(ring, seat, len(hand) + 1, plan.side)
        pace = (plan.sand_s - 2.2) / max(len(hand), 1)
        for count, face in enumerate(hand):
            grasp_s = flipped_s + 0.9 + pace * count + rng.uniform(0.0, 0.25 * pace)
            _take(table, seat, face, places[count], grasp_s, min(1.1, 0.6 * pace), rng)
        if seat == late:
            _take(table, seat, spare[-1], places[len(hand)], out_s + 0.5, 1.0, rng)
    hands = [tuple(hand) for hand in chosen]
    if late is not None:
        hands[late] = (*hands[late], spare[-1])
    table.rounds.append(RoundTruth(flipped_s, out_s, tuple(hands)))
    return out_s + _AFTER_TIME_S + (1.5 if late is not None else 0.0)


def _take(
    table: _DrawnConfetti, seat: int, face: str, place: CardPose, grasp_s: float, carry_s: float, rng: random.Random
) -> None:
    turn = place.angle_deg + rng.uniform(-5, 5)
    goal = CardPose(place.x_mm + rng.uniform(-2, 2), place.y_mm + rng.uniform(-2, 2), turn, place.side)
    table.actions.append(Carry(seat, (face,), grasp_s, grasp_s + carry_s, (goal,)))
    table.poses[face] = goal


def _tidy(
    table: _DrawnConfetti,
    deck: Deck,
    ring: SeatRing,
    chosen: list[list[str]],
    kept: list[list[str]],
    limit: int,
    begin_s: float,
    rng: random.Random,
) -> float:
    """Put point cards before the seats, other side up, and other cards back (C8); return the time afterwards.

    Cards with only one known side are kept beside the table.
    """
    other = _OTHER[table.side] if _OTHER[table.side] in deck.background else None
    for seat, hand in enumerate(chosen):
        points = max(0, score_hand([_colours(table, deck, face) for face in hand], limit).points)
        keep, back = hand[:points], hand[points:]
        pile = spot(ring, seat, _KEPT_COLUMN, 0, other or table.side)
        if other is None:
            pile = CardPose(*people_at(ring)[seat].home_mm, 0.0, table.side)
        grasp_s = begin_s + 0.5
        if keep:
            goals = tuple(
                CardPose(pile.x_mm + rng.uniform(-4, 4), pile.y_mm + rng.uniform(-4, 4), pile.angle_deg, pile.side)
                for _ in keep
            )
            table.actions.append(Carry(seat, tuple(keep), grasp_s, grasp_s + 1.0, goals))
        if back:
            goals = tuple(_in_heap(rng, table.side) for _ in back)
            table.actions.append(Carry(seat, tuple(back), grasp_s + 1.4, grasp_s + 2.3, goals))
        kept[seat] += keep
    return begin_s + _TIDY_S


def _choose(
    table: _DrawnConfetti, deck: Deck, heap: list[str], ring: SeatRing, limit: int, rng: random.Random
) -> list[list[str]]:
    """Return a hand for each player within reach; most are good, like those of people who search for a while."""
    free, poses = list(heap), table.poses
    hands: list[list[str]] = []
    for seat, person in enumerate(people_at(ring)):
        # Two rows before a short side of the table have room for eight cards.
        size = min(max(3, min(limit, 8) - (seat % 3 == 2)), len(free) // (ring.players - seat))
        by_distance = sorted(free, key=lambda face: math.dist((poses[face].x_mm, poses[face].y_mm), person.home_mm))
        near = by_distance[: max(2 * size, len(by_distance) // 2)]
        tries = [rng.sample(near, size) for _ in range(60 if seat % 3 != 1 else 12)]
        best = max(tries, key=lambda hand: score_hand([_colours(table, deck, face) for face in hand], limit).points)
        hands.append(best)
        free = [face for face in free if face not in best]
    return hands


def _colours(table: _DrawnConfetti, deck: Deck, face: str) -> Card:
    ((small, medium, big),) = cards_of(deck, table.side, [face])
    return small, medium, big


def cards_of(deck: Deck, side: str, faces: Sequence[str]) -> list[list[str]]:
    """Return cards in an event's form: the colours of the small, medium and big mark."""
    return [list(deck.face(face, side).attributes.values()) for face in faces]


def _in_heap(rng: random.Random, side: str) -> CardPose:
    left, right, top, bottom = _HEAP_MM
    return CardPose(rng.uniform(left, right), rng.uniform(top, bottom), rng.uniform(0, 360), side)


def _spots(ring: SeatRing, seat: int, count: int, side: str) -> list[CardPose]:
    """Return places for cards before a seat: two rows along the edge, the upper side away from the player."""
    columns = math.ceil(count / 2)
    return [spot(ring, seat, index % columns - (columns - 1) / 2, index // columns, side) for index in range(count)]


def _when(action: Action) -> float:
    match action:
        case Carry():
            return action.grasp_s
        case Flip():
            return action.at_s
        case _:
            return 0.0
