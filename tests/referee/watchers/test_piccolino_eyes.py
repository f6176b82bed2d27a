"""What is read anew when somebody rings: what is too dear for every frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardware.events import Event as DeviceEvent
from referee.bench.piles_table import piles_table
from referee.demo.piccolino_script import Plan, write_piccolino
from referee.demo.stepped import SteppedTable
from referee.events import Header
from referee.games.registry import game_kind
from referee.session import Outcome, Session
from referee.watchers.setup import WatchSetup, watcher_for
from simulation.live import LiveTable, Shots
from vision.picture_deck import load_picture_deck
from vision.piles import Image, PileReader, PileSight

MS = 1_000_000


def test_a_card_under_a_finger_counts_at_the_ring_and_is_not_looked_for_before(monkeypatch: pytest.MonkeyPatch) -> None:
    laid = piles_table(2, 2, 1, Shots(size=(960, 540), frames_per_s=12))
    frames = [laid.session.look(frame).frame for frame in laid.frames(laid.landings_ns)]
    last = frames[-1]
    assert last is not None
    searched: list[int] = []

    def read_part(reader: PileReader, image_bgr: Image, number: int) -> PileSight:
        searched.append(number)
        return PileSight(reader.places[number].seat, "face", "purple", "happy", 0.99, np.eye(4, 2) * 60 + 300, None)

    monkeypatch.setattr(PileReader, "read_part", read_part)
    hidden = np.random.default_rng(1).integers(0, 256, last.bgr().shape).astype(np.uint8)
    hidden[:, :480] = last.bgr()[:, :480]
    later_ns = last.exposure_end_ns + 33 * MS
    laid.session.look(replace(last, t_ns=later_ns, exposure_end_ns=later_ns, image=hidden, sequence=last.sequence + 1))
    assert searched == []
    ruling = laid.ruling_at(later_ns + 5 * MS, 0)
    assert searched != []
    # Ann's purple happy card lies there, and now Ben's.
    assert (ruling["valid"], ruling["colour"]) == (True, "purple")


def test_won_piles_are_seen_taken_away_from_grained_wood_and_new_cards_count_at_once() -> None:
    game = write_piccolino(load_picture_deck("piccolino"), 33, Plan(players=3, turns=24))
    table = LiveTable(game.script, load_picture_deck("piccolino"), 33, Shots(size=(1280, 720)))
    header = Header("piccolino", ("Ann", "Ben", "Cem"), {})
    session = Session(game_kind("piccolino").start(header), watcher_for(header, WatchSetup()))
    ruled: list[tuple[int, object, object]] = []

    def note(event: DeviceEvent, outcome: Outcome) -> None:
        rings = [one for one in outcome.rulings if one["ruling"] in ("ring", "unclear", "ignored")]
        ruled.extend((round(table.seconds(one["t_ns"])), one.get("valid"), one.get("colour")) for one in rings)

    stepped = SteppedTable(table, 33, session, note)
    for _ in stepped.play(23.0):
        pass
    stepped.close()
    # The second ring came on the first card after the piles were won, the third on a card laid where those had been.
    assert ruled == [(7, True, "purple"), (13, False, None), (22, True, "purple")]
