"""What is read anew when somebody rings: what is too dear for every frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.bench.piles_table import piles_table
from simulation.live import Shots
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
