"""The players at a simulated table, who answer what the referee asks: they know who rang, for it is in the script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.demo.table import DemoTable

PAUSE_S = 1.5
"""So long people look at a question before they answer it."""


@dataclass(frozen=True)
class Answer:
    """What they say: an event's kind ("ringer" or "decided") and data, and the words that tell of it."""

    kind: str
    data: Mapping[str, Any]
    words: str


class TablePlayers:
    """Answers each question once."""

    def __init__(self, demo: DemoTable) -> None:
        self._demo = demo
        self._asked_s: dict[tuple[str, float], float] = {}
        self._answered: set[tuple[str, float]] = set()

    def answer(self, kind: str, ring_s: float, now_s: float) -> Answer | None:
        """Answer a question ("who_rang" or "decide") about the ring at `ring_s` of the script, that is asked `now_s`.

        None: they think about it still, have answered it, or nobody rings in the script.
        """
        question = (kind, ring_s)
        asked_s = self._asked_s.setdefault(question, now_s)
        if now_s - asked_s < PAUSE_S or question in self._answered or not self._demo.rings:
            return None
        self._answered.add(question)
        # Contacts close a little later than the hand comes down.
        ring = min(self._demo.rings, key=lambda ring: abs(ring["t_ns"] / 1e9 - ring_s))
        if kind == "who_rang":
            name = self._demo.header.players[ring["seat"]]
            return Answer("ringer", {"seat": ring["seat"]}, f"(a tap on the page: {name} rang)")
        return Answer(
            "decided", {"valid": ring["valid"]}, f"(a tap on the page: {'valid' if ring['valid'] else 'false'} ring)"
        )
