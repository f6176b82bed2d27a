"""Games on the simulated table, stepped: what is ruled is what the script did, through pins, queue and reader."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed, SandFlipped, SandRanOut
from hardware.events import Event as DeviceEvent
from hardware.gpio import PinFactory
from hardware.problems import DeviceHealth, DeviceMissingError, Health
from hardware.settings import MS
from referee.decks.finding import find_print_deck
from referee.demo.seating import ring_of
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Outcome, Session
from referee.games.confetti import demo as confetti_script
from referee.games.confetti.score import score_hand
from referee.games.piccolino import demo as piccolino_script
from referee.games.registry import game_kind, watcher_for
from referee.watchers.by_hand import ByHandWatcher
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.pins import edges_of
from simulation.script import collisions
from simulation.truth import rings_of, truth_at
from simulation.view import Look
from simulation.waits import LONGEST_NS
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
    # Nobody counts here: before the second round the players wait for as long as they ever do.
    waited_ns = [number * LONGEST_NS for number in range(2)]
    outs_ns = [round(truth.out_s * 1e9) + waited for truth, waited in zip(game.rounds, waited_ns, strict=True)]
    assert [round(t_ns / 1e6) for t_ns in ends] == [round(t_ns / 1e6) for t_ns in outs_ns]
    assert sum(isinstance(event, SandFlipped) for event in events) == 2
    assert len(edges_of(game.script, 4, 0)) > 400


class SlowReferee(Session):
    """A session on a machine so slow that hands are counted `late_ns` after they could be."""

    late_ns = 15 * 10**9
    out_ns: int | None = None

    def hear(self, event: DeviceEvent) -> Outcome:
        if isinstance(event, SandRanOut):
            self.out_ns = event.t_ns
        return super().hear(event)

    def look(self, frame: Frame) -> Outcome:
        if self.out_ns is not None and frame.t_ns < self.out_ns + self.late_ns:
            return Outcome()
        return super().look(frame)


def test_players_wait_for_a_slow_count_before_they_put_their_cards_away(deck: Deck) -> None:
    game = confetti_script.write_confetti(deck, 7, confetti_script.Plan(rounds=2, heap=18, sand_s=8.0))
    table = LiveTable(game.script, deck, 7, Shots(frames_per_s=3))
    header = Header("confetti", ("Ann", "Ben", "Cem"), {})
    rulings: list[Mapping[str, Any]] = []
    session = SlowReferee(game_kind("confetti").start(header), watcher_for(header, WatchSetup()))
    stepped = SteppedTable(table, 7, session, lambda event, outcome: rulings.extend(outcome.rulings))
    for _ in stepped.play(game.rounds[1].flipped_s + 1.0):
        pass
    stepped.close()
    assert [ruling["ruling"] for ruling in rulings] == ["round", "time", "hand", "hand", "hand", "round"]
    for ruling in rulings[2:5]:
        expected = score_hand([colours(deck, face) for face in game.rounds[0].hands[ruling["seat"]]], 6)
        assert ruling["points"] == expected.points
    assert rulings[2]["t_ns"] > rulings[1]["t_ns"] + 15 * 10**9


@pytest.mark.parametrize(("after_time_s", "late_s", "options"), [(0.6, 0, {}), (1.0, 6, {"side": "white"})])
def test_players_who_do_not_wait_for_the_count_are_asked_and_nobody_has_a_foul_or_points(
    deck: Deck, monkeypatch: pytest.MonkeyPatch, after_time_s: float, late_s: int, options: dict[str, object]
) -> None:
    monkeypatch.setattr(confetti_script, "_AFTER_TIME_S", after_time_s)
    game = confetti_script.write_confetti(deck, 7, confetti_script.Plan(rounds=2, heap=18, sand_s=8.0))
    table = LiveTable(replace(game.script, waits_s=()), deck, 7, Shots(frames_per_s=4))
    header = Header("confetti", ("Ann", "Ben", "Cem"), options)
    rulings: list[Mapping[str, Any]] = []
    session = SlowReferee(game_kind("confetti").start(header), watcher_for(header, WatchSetup()))
    session.late_ns = late_s * 10**9
    stepped = SteppedTable(table, 7, session, lambda event, outcome: rulings.extend(outcome.rulings))
    for _ in stepped.play(game.rounds[0].out_s + 9.0):
        pass
    stepped.close()
    assert [ruling["ruling"] for ruling in rulings][:2] == ["round", "time"]
    assert not [ruling for ruling in rulings if ruling["ruling"] in ("foul", "hand")]
    asked = [ruling for ruling in rulings if ruling["ruling"] == "unclear"]
    assert {ruling["reason"] for ruling in asked} == {"hand_gone"}
    truth = [sorted(colours(deck, face) for face in hand) for hand in game.rounds[0].hands]
    for ruling in asked:
        for seat, hand in zip(ruling["seats"], ruling["last_seen"], strict=True):
            assert hand is None or sorted(map(tuple, hand)) == truth[seat]
