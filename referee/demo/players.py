"""The players at a simulated table, who answer the referee's questions from the script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.demo.table import DemoTable
from referee.engine.events import Event
from referee.engine.session import Doubt

PAUSE_S = 1.5
"""Time for which people think about a question."""
_RECENT_S = 30.0
_MOVES = frozenset({"card_placed", "row_taken", "last_round"})


@dataclass(frozen=True)
class PlayerAnswer:
    """An answer of the players: an event's kind ("ringer" or "decided") and data, and its words."""

    kind: str
    data: Mapping[str, Any]
    words: str


class TablePlayers:
    """Answers each question once."""

    def __init__(self, demo: DemoTable) -> None:
        self._rings, self._truth, self._names = demo.played.rings, demo.played.truth, demo.header.players
        self._asked_s: dict[tuple[str, float], float] = {}
        self._answered: set[tuple[str, float]] = set()

    def answer(self, kind: str, ring_s: float, now_s: float) -> PlayerAnswer | None:
        """Answer a question ("who_rang" or "decide"), asked at `now_s`, about the ring at `ring_s` of the script.

        Returns None while they think, after an answer, or if the script has no rings.
        """
        if not self._rings or not self._now((kind, ring_s), now_s):
            return None
        # Contacts close slightly after the hand comes down.
        ring = min(self._rings, key=lambda ring: abs(ring["t_ns"] / 1e9 - ring_s))
        if kind == "who_rang":
            return PlayerAnswer(
                "ringer", {"seat": ring["seat"]}, f"(a tap on the page: {self._names[ring['seat']]} rang)"
            )
        return PlayerAnswer(
            "decided", {"valid": ring["valid"]}, f"(a tap on the page: {'valid' if ring['valid'] else 'false'} ring)"
        )

    def choose(self, doubt: Doubt, script_s: float, now_s: float) -> int | None:
        """Return the number of the true answer to a question; None while players think, or without a true one.

        script_s: time of the script; now_s: the clock, for thinking.
        """
        if not self._now((doubt.kind, doubt.t_ns), now_s):
            return None
        recent = [one for one in self._truth if script_s - _RECENT_S <= _at(one) <= script_s or not one.t_ns]
        known = [_said(event) for event in recent]
        true = [n for n, one in enumerate(doubt.answers) if all(_said(event) in known for event in one.events)]
        # "Nothing happened" is the answer only if no other is true.
        return max(true, key=lambda number: len(doubt.answers[number].events), default=None)

    def hands(self, asked_ns: int, seats: Sequence[int], script_s: float, now_s: float) -> list[Event]:
        """Return the hands that the game asks for at `asked_ns`, in their last state; none while players think."""
        if not self._now(("no_hand", asked_ns), now_s):
            return []
        last = {event.data["seat"]: event for event in self._truth if event.kind == "hand" and _at(event) <= script_s}
        return [last[seat] for seat in seats if seat in last]

    def missed_moves(self, heard: Iterable[Event], script_s: float) -> list[Event]:
        """Return the script's moves after those that the game has heard; none if these differ from the script."""
        happened = [event for event in self._truth if _at(event) and event.kind in _MOVES and _at(event) <= script_s]
        known = _settled(heard)
        agrees = known == [_said(event) for event in happened[: len(known)]]
        return happened[len(known) :] if agrees else []

    def _now(self, question: tuple[str, float], now_s: float) -> bool:
        """Return whether a question is answered now: once, after PAUSE_S."""
        asked_s = self._asked_s.setdefault(question, now_s)
        if now_s - asked_s < PAUSE_S or question in self._answered:
            return False
        self._answered.add(question)
        return True


def _at(event: Event) -> float:
    return event.t_ns / 1e9


def _said(event: Event) -> tuple[object, ...]:
    """Return the content of an event, with cards in no order."""
    cards = event.data.get("cards")
    held = frozenset(Counter(cards).items()) if isinstance(cards, list) else None
    return event.kind, held, *(event.data.get(key) for key in ("seat", "row", "card", "to", "was"))


def _settled(heard: Iterable[Event]) -> list[tuple[object, ...]]:
    """Return the contents of the moves that a game has heard, with later corrections applied."""
    moves: list[Event] = []
    for event in heard:
        if event.kind in _MOVES:
            moves.append(event)
        elif event.kind == "card_taken_back" and moves:
            moves.pop()
        elif event.kind == "card_moved":
            was = {"card": event.data.get("card"), "row": event.data.get("row")}
            for number in reversed(range(len(moves))):
                if was.items() <= moves[number].data.items():
                    moves[number] = replace(moves[number], data={**moves[number].data, "row": event.data.get("to")})
                    break
    return [_said(event) for event in moves]
