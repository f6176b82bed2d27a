"""A short drawn game of each kind, filmed small and slowly: what is ruled is what was played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import Frame
from hardware.camera.supervisor import CameraWatch
from referee.demo.stepped import SteppedTable
from referee.engine.events import Header
from referee.engine.session import Session
from referee.games.coloretto.demo import ColorettoPlan
from referee.games.confetti import demo as confetti
from referee.games.confetti.score import score_hand
from referee.games.piccolino import demo as piccolino
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from tests.support.coloretto_drawn import watch_game
from tests.support.piles_table import piles_table
from vision.deck import Deck, load_deck

SHOTS = Shots(size=(640, 360), frames_per_s=8)
MS = 1_000_000


def rulings_of(table: LiveTable, header: Header, seed: int) -> list[Mapping[str, Any]]:
    rulings: list[Mapping[str, Any]] = []
    session = Session(header, game_kind(header.game).start, watcher_for(header, WatchSetup()))
    stepped = SteppedTable(table, seed, session, lambda event, outcome: rulings.extend(outcome.rulings))
    for _ in stepped.play():
        pass
    stepped.close()
    return rulings


def test_a_round_of_confetti_with_a_card_taken_late(deck: Deck) -> None:
    plan = confetti.ConfettiPlan(players=2, heap=15, sand_s=9.0, late_seat=1)
    game = confetti.write_confetti(deck, 5, plan)
    rulings = rulings_of(LiveTable(game.script, deck, 5, SHOTS), Header("confetti", ("Ann", "Ben"), {}), 5)
    (truth,) = game.rounds
    (time_up,) = (ruling for ruling in rulings if ruling["ruling"] == "time")
    assert abs(time_up["t_ns"] - round(truth.out_s * 1e9)) < 1 * MS
    hands = {ruling["seat"]: ruling for ruling in rulings if ruling["ruling"] == "hand"}
    for seat, faces in enumerate(truth.hands):
        marks = [deck.face(face, "white").marks for face in faces]
        cards = [(small.colour, medium.colour, big.colour) for small, medium, big in marks]
        expected = score_hand(cards, 6)
        assert (hands[seat]["sets"], hands[seat]["points"]) == (expected.sets, expected.points)
    assert [ruling["seat"] for ruling in rulings if ruling["ruling"] == "foul"] in ([1], [])
    assert hands[1]["over_limit"] == 1


def test_a_game_of_piccolino_with_rings() -> None:
    deck = load_deck("piccolino")
    game = piccolino.write_piccolino(deck, 4, piccolino.PiccolinoPlan(players=3, turns=6))
    header = Header("piccolino", ("Ann", "Ben", "Cem"), {})
    rulings = rulings_of(LiveTable(game.script, deck, 4, SHOTS), header, 4)
    rung, true = (
        [(one["seat"], one["valid"], one.get("colour")) for one in ones if one["ruling"] == "ring"]
        for ones in (rulings, game.rulings)
    )
    assert rung == true
    assert {valid for _, valid, _ in rung} == {True, False}


def test_a_round_of_coloretto_for_two() -> None:
    counted = watch_game(5, 8.0, ColorettoPlan(players=2, rounds=1), size=SHOTS.size)
    assert (counted.wrong, counted.fouls_false, counted.fouls_missed) == ([], [], [])
    assert counted.understood == counted.moves and counted.points_right


def another_deck() -> Deck:
    """Return clowns whose every face is a dark panel with a disc."""
    card = np.full((176, 126, 3), (48, 38, 34), np.uint8)
    cv2.circle(card, (63, 88), 31, (230, 235, 238), -1, cv2.LINE_AA)
    clowns = load_deck("piccolino")
    return replace(clowns, faces=tuple(replace(one, art=card) if one.side == "front" else one for one in clowns.faces))


def test_rings_on_cards_of_another_deck_are_unclear() -> None:
    laid = piles_table(3, 4, 1, SHOTS, deck=another_deck(), known=load_deck("piccolino"))
    for frame in laid.frames(laid.landings_ns):
        laid.session.look(frame)
    assert laid.ruling_at(laid.landings_ns[-1] + 500 * MS, 0)["ruling"] == "unclear"


def test_rings_are_unclear_once_the_camera_gives_one_picture_again_and_again() -> None:
    laid, watch = piles_table(3, 4, 2, SHOTS), CameraWatch(0)
    frozen: Frame | None = None
    rulings = []
    rings = [landed_ns + 560 * MS for landed_ns in laid.landings_ns]
    for frame in laid.frames(laid.landings_ns):
        while rings and rings[0] <= frame.exposure_end_ns:
            rulings.append(laid.ruling_at(rings.pop(0), 0)["ruling"])
        if frame.exposure_end_ns > laid.landings_ns[0] - 200 * MS:
            frozen = frozen or frame
            frame = replace(frame, image=frozen.image)
        if watch.accept(frame, frame.exposure_end_ns):
            laid.session.look(frame)
    assert len(rulings) >= 3 and set(rulings[1:]) == {"unclear"}
