"""The time line of a ring: who rang when, which face lay open from when to when, and the frame that decided. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.announcer import Announcer
from referee.engine.corrections import corrected_events
from referee.engine.events import Event
from referee.service.explain import held
from referee.service.game_log import GameLog
from referee.service.records import Record

MS = 1_000_000
BEFORE_MS, AFTER_MS = 3000.0, 2000.0


def marks_of(log: GameLog, instant: Event, announcer: Announcer) -> list[dict[str, Any]]:
    """Give what happened around a ring, in ms from it, oldest first: `{"t_ms", "text", "seat", "kind"}`."""
    marks: list[dict[str, Any]] = []
    frame_ns = instant.data.get("frame_t_ns")
    if isinstance(frame_ns, int):
        marks.append({"t_ms": (frame_ns - instant.t_ns) / MS, "text": "", "seat": None, "kind": "frame"})
    for record in log.records.values():
        t_ms = (record.event.t_ns - instant.t_ns) / MS
        if not -BEFORE_MS <= t_ms <= AFTER_MS or record.event.kind not in ("bell", "card_shown"):
            continue
        kind = "card" if record.event.kind == "card_shown" else "ring" if record.event is instant else "also_rang"
        text = " ".join(announcer.say(ruling) for ruling in record.rulings)
        marks.append({"t_ms": t_ms, "text": text, "seat": record.event.data.get("seat"), "kind": kind})
    return sorted(marks, key=lambda mark: float(mark["t_ms"]))


@dataclass
class _Open:
    """A face that lies open since `from_ns`."""

    seat: int
    colour: object
    mood: object
    from_ns: int


def faces_of(log: GameLog, instant: Event) -> list[dict[str, Any]]:
    """Give which face lay open at which seat around a ring, oldest first, as it holds after all corrections.

    `{"seat", "colour", "mood" (null: it could not be read), "from_ms", "until_ms" (null: it still lay there)}`, ms from
    the ring. A face counts from the frame in which it could first be read (P9), until another covers it, or the pile
    goes.
    """
    first_ns, last_ns = instant.t_ns - BEFORE_MS * MS, instant.t_ns + AFTER_MS * MS
    near = [
        (face, until_ns)
        for face, until_ns in _lives(log)
        if face.from_ns <= last_ns and (until_ns is None or until_ns >= first_ns)
    ]
    return [
        {
            "seat": face.seat,
            "colour": face.colour,
            "mood": face.mood,
            "from_ms": round((face.from_ns - instant.t_ns) / MS, 1),
            "until_ms": None if until_ns is None else round((until_ns - instant.t_ns) / MS, 1),
        }
        for face, until_ns in sorted(near, key=lambda one: (one[0].seat, one[0].from_ns))
    ]


def _lives(log: GameLog) -> Iterator[tuple[_Open, int | None]]:
    """Give each face with the time at which it was covered or taken away."""
    instead = corrected_events(log.corrections)
    tops: dict[int, _Open] = {}
    for number, record in log.records.items():
        if instead.get(number, {}) is None:
            continue
        event = held(log, number, instead)
        seat = event.data.get("seat")
        if event.kind in ("card_shown", "card_read", "pile_gone") and isinstance(seat, int):
            before = tops.get(seat)
            if event.kind == "card_read" and before is not None and _is_same(before, event.data):
                continue
            if before is not None:
                yield before, event.t_ns
            tops.pop(seat, None)
            if event.kind != "pile_gone":
                tops[seat] = _Open(seat, event.data.get("colour"), event.data.get("mood"), event.t_ns)
        for taken_ns in _piles_taken_ns(record):
            # What was turned while a name was waited for lies on new piles.
            for top in [top for top in tops.values() if top.from_ns <= taken_ns]:
                yield tops.pop(top.seat), taken_ns
    for top in tops.values():
        yield top, None


def _is_same(face: _Open, data: Mapping[str, object]) -> bool:
    return (face.colour, face.mood) == (data.get("colour"), data.get("mood"))


def _piles_taken_ns(record: Record) -> list[int]:
    moves = (ruling for ruling in record.rulings if ruling["ruling"] == "cards_move" and ruling["from"] == "piles")
    return [ruling["t_ns"] for ruling in moves]
