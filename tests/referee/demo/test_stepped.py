"""Games on the simulated table, stepped: what is ruled is what the script did, through pins, queue and reader."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed, SandFlipped, SandRanOut
from hardware.events import TimedEvent as DeviceEvent
from hardware.gpio import PinFactory
from hardware.problems import DeviceMissingError, Health, Problem
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Outcome, Session, Watcher
from referee.games.confetti import demo as confetti_script
from referee.games.confetti.score import score_hand
from referee.games.piccolino import demo as piccolino_script
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.pins import edges_of
from simulation.script import BellHit, Script, person_at
from simulation.view import Look
from simulation.waits import LONGEST_NS
from tests.support.script_check import collisions
from vision.deck import Deck, load_deck

Flaky = Callable[[PinFactory], PinFactory]
SMALL = Shots(size=(320, 180), frames_per_s=4, look=Look(noise=0))


def colours(deck: Deck, face: str) -> tuple[str, str, str]:
    small, medium, big = (mark.colour for mark in deck.face(face, "white").marks)
    return small, medium, big


def play(
    table: LiveTable, seed: int, session: Session, until_s: float | None = None, flaky: Flaky | None = None
) -> tuple[list[DeviceEvent], list[Mapping[str, Any]]]:
    """Return the events and the rulings of a stepped table."""
    events: list[DeviceEvent] = []
    rulings: list[Mapping[str, Any]] = []

    def note(event: DeviceEvent, outcome: Outcome) -> None:
        events.append(event)
        rulings.extend(outcome.rulings)

    stepped = SteppedTable(table, seed, session, note, make_factory=flaky)
    for _ in stepped.play(until_s):
        pass
    stepped.close()
    return events, rulings


def heard(table: LiveTable, seed: int, flaky: Flaky | None = None) -> list[DeviceEvent]:
    header = Header("piccolino", ("Ann", "Ben", "Cem"), {})
    return play(table, seed, Session(header, game_kind("piccolino").start, Watcher()), flaky=flaky)[0]


@pytest.mark.parametrize("missing", [0, 8])
def test_every_ring_comes_once_in_time_order_once_the_pins_are_there(missing: int) -> None:
    clowns = load_deck("piccolino")
    script = piccolino_script.write_piccolino(clowns, 3, piccolino_script.PiccolinoPlan(turns=10, temper=0.6)).script
    assert collisions(script) == []
    table = LiveTable(script, clowns, 3, SMALL, start_ns=5 * 10**9)
    tries = itertools.count()

    def flaky(factory: PinFactory) -> PinFactory:
        if next(tries) < missing:
            raise DeviceMissingError("some.fault", "The pins are not there.")
        return factory

    events = heard(table, 3, flaky)
    health = [event for event in events if isinstance(event, Problem) and event.part == "bell"]
    assert [event.state for event in health][-2:] == ([Health.MISSING] if missing else []) + [Health.OK]
    back_ns = health[-1].t_ns if missing else 0
    pressed = [event.t_ns for event in events if isinstance(event, BellPressed)]
    hits_ns = (table.start_ns + round(one.at_s * 1e9) for one in script.actions if isinstance(one, BellHit))
    true = sorted(t_ns for t_ns in hits_ns if t_ns > back_ns)
    assert len(true) >= 2
    assert all(abs(t_ns - true_ns) < 10 for t_ns, true_ns in zip(pressed, true, strict=True))
    times = [event.t_ns for event in events]
    assert times == sorted(times)


def test_the_sandtimer_of_a_game_is_judged_from_its_pins(deck: Deck) -> None:
    plan = confetti_script.ConfettiPlan(players=2, rounds=2, heap=20, sand_s=6.0)
    game = confetti_script.write_confetti(deck, 4, plan)
    table = LiveTable(game.script, deck, 4, SMALL)
    events = heard(table, 4)
    ends = [event.t_ns for event in events if isinstance(event, SandRanOut)]
    # No referee counts here: before the second round the players wait for as long as they ever do.
    waited_ns = [number * LONGEST_NS for number in range(2)]
    outs_ns = [round(truth.out_s * 1e9) + waited for truth, waited in zip(game.rounds, waited_ns, strict=True)]
    assert [round(t_ns / 1e6) for t_ns in ends] == [round(t_ns / 1e6) for t_ns in outs_ns]
    assert sum(isinstance(event, SandFlipped) for event in events) == 2
    assert len(edges_of(game.script, 4, 0)) > 400


def test_memory_stays_flat_over_frames_and_edges(deck: Deck) -> None:
    """Of each edge, frame or press even a little that is kept would add up to more than is allowed here."""
    rings = tuple(BellHit(0, 1.0 + 0.5 * count) for count in range(128))
    script = Script((800.0, 450.0), (), (person_at((400, 430), (800.0, 450.0), 0),), rings, 66.0, bell_mm=(400, 200))
    table = LiveTable(script, deck, 1, replace(SMALL, size=(32, 18)))
    session = Session(Header("piccolino", ("Ann", "Ben"), {}), game_kind("piccolino").start, Watcher())
    heard = [0]

    def count(event: DeviceEvent, outcome: object) -> None:
        heard[0] += isinstance(event, BellPressed)

    stepped, used = SteppedTable(table, 1, session, count), []
    for until_s in (15.0, 25.0, 65.0):
        for _ in stepped.play(until_s):
            pass
        tracemalloc.start()
        gc.collect()
        used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    stepped.close()
    assert heard[0] >= 126
    assert used[2] - used[1] < 12_000


class SlowReferee(Session):
    """A session on a machine so slow that hands are counted `late_ns` after they could be."""

    late_ns: int
    out_ns: int | None = None

    @classmethod
    def of_confetti(cls, late_s: int, options: dict[str, object]) -> SlowReferee:
        header = Header("confetti", ("Ann", "Ben", "Cem"), options)
        session = cls(header, game_kind("confetti").start, watcher_for(header, WatchSetup()))
        session.late_ns = late_s * 10**9
        return session

    def hear(self, event: DeviceEvent) -> Outcome:
        if isinstance(event, SandRanOut):
            self.out_ns = event.t_ns
        return super().hear(event)

    def look(self, frame: Frame) -> Outcome:
        if self.out_ns is not None and frame.t_ns < self.out_ns + self.late_ns:
            return Outcome()
        return super().look(frame)


def test_players_wait_for_a_slow_count_before_they_put_their_cards_away(deck: Deck) -> None:
    game = confetti_script.write_confetti(deck, 7, confetti_script.ConfettiPlan(rounds=2, heap=18, sand_s=8.0))
    table = LiveTable(game.script, deck, 7, Shots(frames_per_s=3))
    _, rulings = play(table, 7, SlowReferee.of_confetti(15, {}), game.rounds[1].flipped_s + 1.0)
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
    game = confetti_script.write_confetti(deck, 7, confetti_script.ConfettiPlan(rounds=2, heap=18, sand_s=8.0))
    table = LiveTable(replace(game.script, waits_s=()), deck, 7, Shots(frames_per_s=4))
    _, rulings = play(table, 7, SlowReferee.of_confetti(late_s, options), game.rounds[0].out_s + 9.0)
    assert [ruling["ruling"] for ruling in rulings][:2] == ["round", "time"]
    assert not [ruling for ruling in rulings if ruling["ruling"] in ("foul", "hand")]
    asked = [ruling for ruling in rulings if ruling["ruling"] == "unclear"]
    assert {ruling["reason"] for ruling in asked} == {"hand_gone"}
    truth = [sorted(colours(deck, face) for face in hand) for hand in game.rounds[0].hands]
    for ruling in asked:
        for seat, hand in zip(ruling["seats"], ruling["last_seen"], strict=True):
            assert hand is None or sorted(map(tuple, hand)) == truth[seat]
