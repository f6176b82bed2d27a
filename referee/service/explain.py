"""Why a ruling is as it is: what it was judged on, and what happened around it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announcer import Announcer
from referee.engine.corrections import corrected, corrected_events
from referee.engine.events import Event
from referee.games.registry import game_kind
from referee.language import Language
from referee.sayings import guard
from referee.sayings.service import phone_way
from referee.service.game_log import GameLog
from referee.service.records import Record
from referee.store.games import MISHAP


def explanation(log: GameLog, record: Record, ruling: Mapping[str, Any], language: Language) -> dict[str, Any]:
    """Give the ruling in words, its steps, its way, readings and mishaps, and whether a correction changed it."""
    announcer = Announcer(log.header.game, log.header.players, language)
    readings = _readings(log, record, ruling)
    return {
        "text": announcer.say(ruling),
        "ruling": dict(ruling),
        "corrected": record.is_changed(ruling),
        "steps": game_kind(log.header.game).page.steps(ruling, [event for _, event in readings], language),
        "way": phone_way(ruling["phone"], language) if "phone" in ruling else "",
        "mishaps": [guard.begun(what, language) for what in _mishaps(log, record)],
        "readings": [
            {"event": log.event_id(number), "seat": event.data.get("seat"), "data": _shown(event)}
            for number, event in readings
        ],
    }


def _mishaps(log: GameLog, record: Record) -> list[str]:
    """Give what the guard had said and was not over when something was ruled."""
    on: dict[str, None] = {}
    for number, earlier in log.records.items():
        if number < record.number and earlier.event.kind == MISHAP:
            what = str(earlier.event.data.get("what"))
            on.pop(what, None)
            if earlier.event.data.get("on") is True:
                on[what] = None
    return list(on)


def _readings(log: GameLog, record: Record, ruling: Mapping[str, Any]) -> list[tuple[int, Event]]:
    """Give the events, as they hold now, that a ruling was judged on."""
    instead = corrected_events(log.corrections)
    past = [
        (number, held(log, number, instead))
        for number in log.records
        if number <= record.number and instead.get(number, {}) is not None
    ]
    if ruling["ruling"] in ("ring", "unclear"):
        return _tops(log, past, ruling["t_ns"])
    seat = ruling.get("seat")
    hands = [(number, event) for number, event in past if event.kind == "hand" and event.data.get("seat") == seat]
    if ruling["ruling"] in ("hand", "foul", "arrangement") and hands:
        return hands[-1:]
    return past[-1:]


def _tops(log: GameLog, past: list[tuple[int, Event]], ring_ns: int) -> list[tuple[int, Event]]:
    """Give the cards that lay open at a ring, and the ring."""
    tops: dict[object, tuple[int, Event]] = {}
    rings = [(number, event) for number, event in past if event.kind == "bell" and event.t_ns == ring_ns]
    for number, event in past:
        if event.kind in ("card_shown", "card_read") and event.t_ns <= ring_ns:
            tops[event.data.get("seat")] = (number, event)
        elif any(one["ruling"] == "cards_move" and one["from"] == "piles" for one in log.records[number].rulings):
            cleared_ns = max(one["t_ns"] for one in log.records[number].rulings)
            tops = {seat: top for seat, top in tops.items() if cleared_ns >= ring_ns or top[1].t_ns > cleared_ns}
    return [*sorted(tops.values(), key=lambda top: top[0]), *rings[:1]]


def held(log: GameLog, number: int, instead: Mapping[int, Mapping[str, Any] | None]) -> Event:
    """Give an event as it holds now. instead: as `corrected_events` gives it."""
    event, data = log.records[number].event, instead.get(number)
    return event if data is None else corrected(event, data)


def _shown(event: Event) -> dict[str, Any]:
    hidden = ("t_ns", "frame_t_ns", "faces", "event", "phone")
    return {"event": event.kind} | {key: value for key, value in event.data.items() if key not in hidden}
