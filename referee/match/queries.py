"""Explains rulings and shows their photo-finish, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.announcer import Announcer
from referee.engine.events import Event
from referee.engine.log import MISHAP, GameLog, Record, RulingData
from referee.games.registry import game_kind
from referee.language import Language
from referee.match.referee import Referee
from referee.store.games import sight_of

Data = Mapping[str, Any]

MS = 1_000_000
BEFORE_MS, AFTER_MS = 3000.0, 2000.0
_CARDS = ("card_shown", "card_read")


def timeline(referee: Referee, ruling: str) -> Data:
    """Return the photo-finish of a ruling, of this game or a past one, times in ms from its ring.

    `frames`: `[{"picture", "t_ms"}]`. `sight`: null, or the outlines in the deciding frame: `{"t_ms", "width" and
    "height" of its picture, px, "outlines": [{"corners": px, "seat", "label", "certain"}]}`. `players`: names. `marks`:
    `[{"t_ms", "text", "seat", "kind": "ring", "also_rang", "card" or "frame"}]`, oldest first. `faces`: the visible
    ones, `[{"seat", "colour", "mood" (null: it could not be read), "from_ms", "until_ms": null if it stayed}]`.

    Raises:
        BadInputError: there is no such ruling.
    """
    with referee.lock:
        log = referee.match.log(ruling)
        number = log.about(log.ruling(ruling))
        instant = log.records[number].event
        marks, faces = _marks(log, instant, referee.language), _faces(log, instant)
    kept = referee.evidence.of_event(log.game, number)
    return {
        "frames": [{"picture": one.name, "t_ms": round(one.t_ms, 1)} for one in kept],
        "marks": marks,
        "faces": faces,
        "sight": sight_of(referee.store.read, log.game, number),
        "players": list(log.header.players),
    }


def explain(referee: Referee, ruling: str) -> Data:
    """Return the grounds of a ruling, of this game or a past one, as JSON data.

    `text`, `ruling`, `corrected`. `steps`: for Confetti the arrangement (C11), a set a step, then the costs in points,
    and the sum: `[{"kind": "set", "spare", "over" or "sum", "text", "cards": […]}]`; a set's cards (their colours,
    small, medium, big) are in the order in which they give small, medium, big. `readings`: its events, each to be
    corrected: `{"event": an id, "seat", "data": the event with its keys of the outside contract}`, such as the visible
    tops at a ring and the ring itself, or a hand. `way`: how far a phone's press was dated back, a sentence, or "".
    `mishaps`: the warnings about light, lens or machine that still held, a sentence each. `picture`: the deciding one;
    `sight`: as in `timeline`; `past`: whether its game is no longer on the table; `game`: `{"game", "players",
    "options"}`.

    Raises:
        BadInputError: there is no such ruling.
    """
    language = referee.language
    with referee.lock:
        log, session = referee.match.log(ruling), referee.match.session
        row = log.ruling(ruling)
        number, record, ruled = log.about(row), log.records[row.event], row.data
        readings, on = _readings(log, record, ruled), _mishaps(log, record)
    header = log.header
    return {
        "text": Announcer(header.game, header.players, language).say(ruled),
        "ruling": dict(ruled),
        "corrected": log.is_changed(row),
        "steps": game_kind(header.game).page.steps(ruled, [event for _, event in readings], language),
        "way": _way(ruled["phone"], language) if "phone" in ruled else "",
        "mishaps": [language.text(f"guard.begun.{what}") for what in on if f"guard.begun.{what}" in language],
        "readings": [
            {"event": log.event_id(number), "seat": event.data.get("seat"), "data": _shown(event)}
            for number, event in readings
        ],
        "picture": referee.evidence.of_game(log.game).get(number),
        "sight": sight_of(referee.store.read, log.game, number),
        "past": session is None or session.log is not log,
        "game": header.as_json(),
    }


def _way(way: Mapping[str, float], language: Language) -> str:
    """Return the back-dating of a phone's press, and its limit."""
    return language.text("service.rung_on_phone_ms_were", back=f"{way['back_ms']:.0f}", most=f"{way['most_ms']:.0f}")


def _mishaps(log: GameLog, record: Record) -> list[str]:
    """Return the guard's warnings that still held at a ruling."""
    on: dict[str, None] = {}
    for number, earlier in log.records.items():
        if number < record.number and earlier.event.kind == MISHAP:
            what = str(earlier.event.data.get("what"))
            on.pop(what, None)
            if earlier.event.data.get("on") is True:
                on[what] = None
    return list(on)


def _readings(log: GameLog, record: Record, ruling: RulingData) -> list[tuple[int, Event]]:
    """Return the events, with corrections, that a ruling rests on."""
    past = [(number, event) for number, event in log.held() if number <= record.number]
    if ruling["ruling"] in ("ring", "unclear"):
        known = {number: event for number, event in past if event.t_ns <= ruling["t_ns"]}
        return _tops(log, known, ruling["t_ns"])
    seat = ruling.get("seat")
    hands = [(number, event) for number, event in past if event.kind == "hand" and event.data.get("seat") == seat]
    if ruling["ruling"] in ("hand", "foul", "arrangement") and hands:
        return hands[-1:]
    return past[-1:]


def _tops(log: GameLog, past: Mapping[int, Event], ring_ns: int) -> list[tuple[int, Event]]:
    """Return the visible cards at a ring, and the ring. past: the events until the ring."""
    tops = {face.seat: face.number for face in _lives(log, past) if face.until_ns in (None, ring_ns)}
    rings = [number for number, event in past.items() if event.kind == "bell" and event.t_ns == ring_ns]
    return [(number, past[number]) for number in (*sorted(tops.values()), *rings[:1])]


def _shown(event: Event) -> dict[str, Any]:
    hidden = ("t_ns", "frame_t_ns", "faces", "event", "phone")
    return {"event": event.kind} | {key: value for key, value in event.data.items() if key not in hidden}


def _marks(log: GameLog, instant: Event, language: Language) -> list[dict[str, Any]]:
    announcer, marks = Announcer(log.header.game, log.header.players, language), list[dict[str, Any]]()
    frame_ns = instant.data.get("frame_t_ns")
    if isinstance(frame_ns, int):
        marks.append({"t_ms": (frame_ns - instant.t_ns) / MS, "text": "", "seat": None, "kind": "frame"})
    for record in log.records.values():
        t_ms = (record.event.t_ns - instant.t_ns) / MS
        if -BEFORE_MS <= t_ms <= AFTER_MS and record.event.kind in ("bell", "card_shown"):
            kind = "card" if record.event.kind == "card_shown" else "ring" if record.event is instant else "also_rang"
            text = " ".join(announcer.texts(record.rulings))
            marks.append({"t_ms": t_ms, "text": text, "seat": record.event.data.get("seat"), "kind": kind})
    return sorted(marks, key=lambda mark: float(mark["t_ms"]))


@dataclass
class _OpenFace:
    """A face that is visible from `from_ns` until `until_ns`, None: it stayed. number: of its last reading."""

    number: int
    seat: int
    colour: object
    mood: object
    from_ns: int
    until_ns: int | None = None


def _faces(log: GameLog, instant: Event) -> list[dict[str, Any]]:
    """Return the visible face of each seat around a ring, oldest first, after all corrections.

    A face counts from the first frame in which it could be read (P9), until another covers it, or the pile goes.
    """
    first_ns, last_ns = instant.t_ns - BEFORE_MS * MS, instant.t_ns + AFTER_MS * MS
    lives = _lives(log, dict(log.held()))
    near = [one for one in lives if one.from_ns <= last_ns and (one.until_ns or first_ns) >= first_ns]
    return [
        {
            "seat": face.seat,
            "colour": face.colour,
            "mood": face.mood,
            "from_ms": round((face.from_ns - instant.t_ns) / MS, 1),
            "until_ms": None if face.until_ns is None else round((face.until_ns - instant.t_ns) / MS, 1),
        }
        for face in sorted(near, key=lambda one: (one.seat, one.from_ns))
    ]


def _lives(log: GameLog, events: Mapping[int, Event]) -> list[_OpenFace]:
    """Return each face of some events with the time at which it was covered or taken away."""
    faces, tops = list[_OpenFace](), dict[int, _OpenFace]()
    for number, event in events.items():
        seat, face = event.data.get("seat"), (event.data.get("colour"), event.data.get("mood"))
        if event.kind in (*_CARDS, "pile_gone") and isinstance(seat, int):
            before = tops.get(seat)
            if event.kind == "card_read" and before is not None and (before.colour, before.mood) == face:
                before.number = number
                continue
            if before is not None:
                tops.pop(seat).until_ns = event.t_ns
            if event.kind != "pile_gone":
                tops[seat] = _OpenFace(number, seat, *face, event.t_ns)
                faces.append(tops[seat])
        for taken_ns in _piles_taken_ns(log.records[number]):
            # Cards turned while a name was waited for are on new piles.
            for top in [top for top in tops.values() if top.from_ns <= taken_ns]:
                tops.pop(top.seat).until_ns = taken_ns
    return faces


def _piles_taken_ns(record: Record) -> list[int]:
    moves = (ruling for ruling in record.rulings if ruling["ruling"] == "cards_move" and ruling["from"] == "piles")
    return [ruling["t_ns"] for ruling in moves]
