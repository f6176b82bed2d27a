"""Writes a game of Piccolino for the simulated table: turned cards, rings, and the expected rulings."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any

from referee.engine.events import Event
from referee.games.piccolino.events import Action as Move
from referee.games.piccolino.events import Bell, CardShown
from referee.games.piccolino.rules import Piccolino
from referee.games.piccolino.rulings import ValidRing
from referee.games.piccolino.start_options import MIN_PLAYERS, PiccolinoOptions, cards_dealt
from referee.games.piccolino.tops import Mood
from referee.games.seating import AREA_MM, MIDDLE_MM, people_at, ring_of, spot
from simulation.art import BACK, FRONT
from simulation.script import TRAVEL_S, Action, BellHit, CardPose, Carry, Script, ScriptCard
from vision.deck import Deck, Face

_FIRST_STILL_S = 2.5
_TURN_S = 0.75
_BELL_ROOM_MM = 120.0
_SECOND_NS = 1_000_000_000
_HAPPY, _SAD = 6, 1  # assumed for each face where the deck gives no counts


@dataclass(frozen=True)
class PiccolinoPlan:
    """Parameters of a demonstration game.

    players: 2 to 5. turns: number of turned cards; None: until a player has won. pace_s: interval of cards. notice:
    share of happy pairs that a player rings for. reactions_s: each player's reaction time, ± 25 %. hothead: seat that
    now and then rings without a pair, or None; temper: its rate, as a share of the turned cards. bell_lines:
    `hardware.bell`'s name of each seat's button; None: one bell for all. settings: the game's options.
    """

    players: int = 3
    turns: int | None = 24
    pace_s: float = 1.4
    notice: float = 0.85
    reactions_s: tuple[float, ...] = (0.55, 0.48, 0.7, 0.85, 0.6)
    hothead: int | None = 1
    temper: float = 0.12
    bell_lines: tuple[str, ...] | None = None
    settings: PiccolinoOptions = field(default_factory=PiccolinoOptions)


@dataclass(frozen=True)
class PiccolinoGame:
    """A script with its truth: the events (`t_ns` from the beginning) and their rulings."""

    script: Script
    events: tuple[Event, ...]
    rulings: tuple[Mapping[str, Any], ...]


def write_piccolino(deck: Deck, seed: int, plan: PiccolinoPlan | None = None) -> PiccolinoGame:
    """Return a game; the same seed always gives the same one."""
    return _Writer(deck, seed, plan or PiccolinoPlan()).write()


class _Writer:
    """Writer of one game, which plays by the rules. Piles are lists of keys, the top card last."""

    def __init__(self, deck: Deck, seed: int, plan: PiccolinoPlan) -> None:
        self._plan = plan
        self._rng = random.Random(seed)
        self._ring = ring_of(plan.players)
        faces = _cards_of(deck)
        if plan.players == MIN_PLAYERS:
            faces = [face for face in faces if face.attributes["colour"] != "black"]
        wanted = cards_dealt(plan.players, plan.settings)
        # A deck with too few cards for P1 has some of them twice.
        cards = [(f"{face.id}/{k}", face) for k, face in enumerate(islice(cycle(faces), max(wanted, len(faces))))]
        self._rng.shuffle(cards)
        self._rules = Piccolino(plan.players, replace(plan.settings, cards=wanted))
        self._faces = dict(cards[:wanted])
        keys = iter(self._faces)
        self._draw = [[next(keys) for _ in range(count)] for count in self._rules.cards.draw]
        self._discard: list[list[str]] = [[] for _ in range(plan.players)]
        self._events: list[Event] = []
        self._rulings: list[Mapping[str, Any]] = []
        self._actions: list[Action] = []

    def write(self) -> PiccolinoGame:
        """Return the game, after all turns and the time that follows the last one."""
        start = tuple(
            ScriptCard(key, self._faces[key].id, self._place(seat, -0.65, BACK))
            for seat, pile in enumerate(self._draw)
            for key in pile
        )
        now_s = _FIRST_STILL_S
        turned = 0
        while turned != self._plan.turns and not self._rules.over and (seat := self._rules.turn()) is not None:
            now_s = self._turn(seat, now_s)
            turned += 1
        actions = tuple(self._actions)
        script = Script(AREA_MM, start, people_at(self._ring), actions, now_s + 3.0, bell_mm=MIDDLE_MM)
        return PiccolinoGame(script, tuple(self._events), tuple(self._rulings))

    def _turn(self, seat: int, now_s: float) -> float:
        """Turn a card (P2) and let a player ring; return the time of the next turn, s."""
        key = self._draw[seat].pop()
        self._discard[seat].append(key)
        landed_s = now_s + _TURN_S
        self._actions.append(Carry(seat, (key,), now_s, landed_s, (self._place(seat, 0.65, FRONT),)))
        colour, mood = (self._faces[key].attributes[name] for name in ("colour", "mood"))
        shown = CardShown(t_ns=_ns(landed_s), seat=seat, colour=colour, mood=Mood(mood))
        self._do(shown, Event(shown.t_ns, "card_shown", {"seat": seat, "colour": colour, "mood": mood}))
        next_s = now_s + self._plan.pace_s + self._rng.uniform(0, 0.2)
        valid = isinstance(self._rules.foresee(Bell(t_ns=shown.t_ns + 1, seat=None)), ValidRing)
        if valid and self._rng.random() < self._plan.notice:
            others = [player for player in range(self._plan.players) if not self._rules.cards.is_out[player]]
            needed = {player: self._plan.reactions_s[player] * self._rng.uniform(0.75, 1.25) for player in others}
            ringer = min(needed, key=lambda player: needed[player])
            return self._rung(ringer, seat, landed_s, needed[ringer])
        hothead = self._plan.hothead
        angry = not valid and self._rng.random() < self._plan.temper
        if angry and hothead is not None and not self._rules.cards.is_out[hothead]:
            return self._rung(hothead, seat, landed_s, self._rng.uniform(0.42, 0.6))
        return next_s

    def _rung(self, ringer: int, turner: int, landed_s: float, needed_s: float) -> float:
        """Ring and move the cards (P4, P5); return the time afterwards. The turner's way to the bell is longer."""
        slowest = TRAVEL_S + 0.1 if ringer == turner else 0.0
        at_s = landed_s + max(needed_s, slowest)
        line = "bell" if self._plan.bell_lines is None else self._plan.bell_lines[ringer]
        self._actions.append(BellHit(ringer, at_s, 0.12, line))
        known = None if self._plan.bell_lines is None else ringer
        rulings = self._do(Bell(t_ns=_ns(at_s), seat=ringer), Event(_ns(at_s), "bell", {"seat": known}))
        now_s = at_s + 1.6
        for ruling in rulings:
            if ruling["ruling"] == "cards_move":
                now_s = self._move_cards(ruling, now_s)
        return now_s + 0.6

    def _move_cards(self, ruling: Mapping[str, Any], now_s: float) -> float:
        """Let givers push cards towards the middle and the receiver take them there; return the time afterwards."""
        receiver, giver = ruling["to"], ruling["from"]
        if giver != "piles":
            key = self._draw[giver].pop()
            self._carry(giver, [key], self._halfway(giver, receiver, BACK), now_s)
            self._carry(receiver, [key], self._place(receiver, -0.65, BACK), now_s + 1.0)
            self._draw[receiver].append(key)
            return now_s + 2.2
        won = [key for pile in self._discard for key in pile]
        for owner, pile in enumerate(self._discard):
            if pile and owner != receiver:
                self._carry(owner, pile, self._halfway(owner, receiver, FRONT), now_s)
        self._carry(receiver, won, self._place(receiver, -0.65, BACK), now_s + 1.0)
        self._draw[receiver] += won
        self._discard = [[] for _ in self._discard]
        return now_s + 2.2

    def _carry(self, seat: int, keys: Sequence[str], to: CardPose, now_s: float) -> None:
        """Put cards on a pile, slightly askew as people do."""
        slips = [(self._rng.uniform(-2, 2), self._rng.uniform(-2, 2), self._rng.uniform(-3, 3)) for _ in keys]
        goals = tuple(CardPose(to.x_mm + x, to.y_mm + y, to.angle_deg + turn, to.side) for x, y, turn in slips)
        self._actions.append(Carry(seat, tuple(keys), now_s, now_s + 0.9, goals))

    def _halfway(self, giver: int, receiver: int, side: str) -> CardPose:
        """Return a place between two players, beside the bell."""
        one, other = self._place(giver, 0.0, side), self._place(receiver, 0.0, side)
        x, y = (one.x_mm + other.x_mm) / 2, (one.y_mm + other.y_mm) / 2
        if math.dist((x, y), MIDDLE_MM) < _BELL_ROOM_MM:
            x += _BELL_ROOM_MM
        return CardPose(x, y, one.angle_deg, side)

    def _do(self, move: Move, event: Event) -> list[Mapping[str, Any]]:
        rulings: list[Mapping[str, Any]] = [ruling.as_json() for ruling in self._rules.do(move)]
        self._events.append(event)
        self._rulings += rulings
        return rulings

    def _place(self, seat: int, column: float, side: str) -> CardPose:
        """Return a place on a seat's draw or discard pile, slightly askew."""
        pose = spot(self._ring, seat, column, 0.6, side)
        x, y = pose.x_mm + self._rng.uniform(-2.5, 2.5), pose.y_mm + self._rng.uniform(-2.5, 2.5)
        return CardPose(x, y, pose.angle_deg + self._rng.uniform(-5, 5), side)


def _cards_of(deck: Deck) -> Sequence[Face]:
    """Return the face of every single card."""
    usual = {face.id: _HAPPY if face.attributes["mood"] == Mood.HAPPY.value else _SAD for face in deck.fronts}
    return [face for face in deck.fronts for _ in range(usual[face.id] if face.count is None else face.count)]


def _ns(seconds: float) -> int:
    return round(seconds * _SECOND_NS)
