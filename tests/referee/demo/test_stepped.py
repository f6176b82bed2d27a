"""Games on the simulated table, stepped: what is ruled is what the script did, through pins, queue and reader."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from hardware.errors import DeviceMissingError
from hardware.events import BellPressed, SandFlipped, SandRanOut
from hardware.events import Event as DeviceEvent
from hardware.gpio import PinFactory
from hardware.health import DeviceHealth, Health
from hardware.settings import MS
from referee.decks.finding import find_print_deck
from referee.demo.seating import ring_of
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Outcome, Session
from referee.games.confetti import demo as confetti_script
from referee.games.confetti.score import score_hand
from referee.games.piccolino import demo as piccolino_script
from referee.games.registry import game_kind
from referee.watchers.by_hand import ByHandWatcher
from simulation.edges import edges_of
from simulation.live import LiveTable, Shots
from simulation.motion import collisions
from simulation.truth import rings_of, truth_at
from simulation.view import Look
from vision.deck import Deck, load_deck
from vision.prints.print_deck import PrintDeck

SMALL = Shots(size=(320, 180), frames_per_s=4, look=Look(noise=0))


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


@pytest.fixture(scope="module")
def clowns() -> PrintDeck:
    return find_print_deck("piccolino")


def colours(deck: Deck, face: str) -> tuple[str, str, str]:
    small, medium, big = (mark.colour for mark in deck.by_id["white", face].marks)
    return small, medium, big


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 1), (4, 2)])
def test_confetti_scripts_lay_hands_where_the_referee_looks_for_them(deck: Deck, players: int, seed: int) -> None:
    game = confetti_script.write_confetti(deck, seed, confetti_script.Plan(players=players, rounds=3))
    assert collisions(game.script) == []
    table = LiveTable(game.script, deck, seed, SMALL)
    ring = ring_of(players)
    for truth in game.rounds:
        lying = truth_at(table, round((truth.out_s + 2.0) * 1e9))
        owned = {seat: set[str]() for seat in range(players)}
        for card in lying.cards:
            seat = ring.seat_at(card.centre_mm)
            if seat is not None and card.side == "white":
                owned[seat].add(card.face)
                assert card.visible > 0.9
        assert [owned[seat] for seat in range(players)] == [set(hand) for hand in truth.hands]
    last = truth_at(table, round((game.script.length_s - 0.1) * 1e9))
    kept = sum(card.side == "black" for card in last.cards)
    points = sum(
        max(0, score_hand([colours(deck, face) for face in hand], limit).points)
        for truth, limit in zip(game.rounds[:2], (6, 6), strict=True)
        for hand in truth.hands
    )
    assert kept == points


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 1), (3, 2), (5, 2)])
def test_piccolino_scripts_turn_what_they_say(clowns: PrintDeck, players: int, seed: int) -> None:
    plan = piccolino_script.Plan(players=players, turns=14, temper=0.3)
    game = piccolino_script.write_piccolino(clowns, seed, plan)
    assert collisions(game.script) == []
    table = LiveTable(game.script, clowns, seed, SMALL)
    ring = ring_of(players)
    assert Counter(card.face for card in game.script.cards) <= Counter(
        face.id for face in [face for face in clowns.fronts for _ in range(face.count or 0)]
    )
    for event in game.events:
        now = truth_at(table, event.t_ns + 1 * MS)
        if event.kind == "bell":
            assert any(np.hypot(hand.x_mm - 575, hand.y_mm - 323.5) < 1 for hand in now.hands)
            continue
        open_cards = [
            card for card in now.cards if card.side == "front" and ring.seat_at(card.centre_mm) == event.data["seat"]
        ]
        attributes = clowns.by_id[open_cards[-1].face].attributes
        assert (attributes["colour"], attributes["mood"]) == (event.data["colour"], event.data["mood"])
    assert any(ruling["ruling"] == "ring" for ruling in game.rulings)
    assert [t_ns for t_ns, _ in rings_of(table)] == [event.t_ns for event in game.events if event.kind == "bell"]


def heard(
    table: LiveTable, seed: int, make_factory: Callable[[PinFactory], PinFactory] | None = None
) -> list[DeviceEvent]:
    events: list[DeviceEvent] = []
    header = Header("piccolino", ("Ann", "Ben", "Cem"), {})

    def note(event: DeviceEvent, _outcome: Outcome) -> None:
        events.append(event)

    session = Session(game_kind("piccolino").start(header), ByHandWatcher())
    stepped = SteppedTable(table, seed, session, note, make_factory=make_factory)
    for _ in stepped.play():
        pass
    stepped.close()
    return events


def test_every_ring_comes_once_in_time_order_and_after_the_frames_before_it(clowns: PrintDeck) -> None:
    game = piccolino_script.write_piccolino(clowns, 3, piccolino_script.Plan(turns=10, temper=0.6))
    table = LiveTable(game.script, clowns, 3, SMALL, start_ns=5 * 10**9)
    events = heard(table, 3)
    pressed = [event.t_ns for event in events if isinstance(event, BellPressed)]
    assert len(pressed) >= 3
    for t_ns, (true_ns, _) in zip(pressed, rings_of(table), strict=True):
        assert abs(t_ns - true_ns) < 10
    times = [event.t_ns for event in events]
    assert times == sorted(times)


def test_pins_that_cannot_be_had_at_first_are_reported_and_count_from_when_they_are_back(clowns: PrintDeck) -> None:
    game = piccolino_script.write_piccolino(clowns, 3, piccolino_script.Plan(turns=10, temper=0.6))
    table = LiveTable(game.script, clowns, 3, SMALL, start_ns=5 * 10**9)
    tries = itertools.count()

    def flaky(factory: PinFactory) -> PinFactory:
        if next(tries) < 8:
            raise DeviceMissingError("The pins are not there.")
        return factory

    events = heard(table, 3, flaky)
    states = [event.state for event in events if isinstance(event, DeviceHealth) and event.device == "bell"]
    assert states == [Health.MISSING, Health.OK]
    back_ns = next(e.t_ns for e in events if isinstance(e, DeviceHealth) and (e.device, e.state) == ("bell", Health.OK))
    pressed = [event.t_ns for event in events if isinstance(event, BellPressed)]
    later = [t_ns for t_ns, _ in rings_of(table) if t_ns > back_ns]
    assert later and len(pressed) == len(later)


def test_the_sandtimer_of_a_game_is_told_by_its_pins(deck: Deck) -> None:
    plan = confetti_script.Plan(players=2, rounds=2, heap=20, sand_s=6.0)
    game = confetti_script.write_confetti(deck, 4, plan)
    table = LiveTable(game.script, deck, 4, SMALL)
    events = heard(table, 4)
    ends = [event.t_ns for event in events if isinstance(event, SandRanOut)]
    assert [round(t_ns / 1e6) for t_ns in ends] == [round(truth.out_s * 1e3) for truth in game.rounds]
    assert sum(isinstance(event, SandFlipped) for event in events) == 2
    assert len(edges_of(game.script, 4, 0)) > 400
