"""Answers read-only requests of pages except the state, as JSON data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.announcer import Announcer
from referee.engine.events import Event
from referee.engine.log import MISHAP, GameLog, Record, RulingData, RulingPlace
from referee.games.registry import game_kind
from referee.language import Language
from referee.match.referee import Referee
from referee.phrases import in_language
from referee.sayings import mishaps
from referee.sayings.service import phone_way
from referee.store.games import sight_of
from referee.store.history import history, one_game, quality, statistics

Data = Mapping[str, Any]

MS = 1_000_000
BEFORE_MS, AFTER_MS = 3000.0, 2000.0
_CARDS = ("card_shown", "card_read")


def timeline(referee: Referee, ruling: str) -> Data:
    """Return the photo-finish of a ruling, of this game or a past one, times from its ring.

    `{"frames": [{"picture", "t_ms"}], "sight", "players": names}`, and the keys of `_photo_finish`. `sight`: null, or
    the outlines in the deciding frame: `{"t_ms", "width", "height": of its picture, px, "outlines": [{"corners": px,
    "seat", "label", "certain"}]}`.

    Raises:
        BadInputError: there is no such ruling.
    """
    with referee.lock:
        log = referee.match.log(ruling)
        number = log.about(*log.ruling(ruling))
        shown = _photo_finish(log, log.records[number].event, referee.language)
    kept = referee.evidence.of_event(log.game, number)
    return {
        "frames": [{"picture": one.name, "t_ms": round(one.t_ms, 1)} for one in kept],
        **shown,
        "sight": sight_of(referee.store.read, log.game, number),
        "players": list(log.header.players),
    }


def explain(referee: Referee, ruling: str) -> Data:
    """Return the grounds of a ruling, with the deciding picture.

    The keys of `_explanation`, and `{"picture", "sight": as in `timeline`, "past": whether its game is no longer on the
    table, "game": `{"game", "players", "options"}`}`.

    Raises:
        BadInputError: there is no such ruling.
    """
    with referee.lock:
        log = referee.match.log(ruling)
        place, ruled = log.ruling(ruling)
        number, why = log.about(place, ruled), _explanation(log, place, ruled, referee.language)
        past = referee.match.session is None or referee.match.session.log is not log
    header, pictures = log.header, referee.evidence.of_game(log.game)
    game = {"game": header.game, "players": list(header.players), "options": dict(header.options)}
    sight = sight_of(referee.store.read, log.game, number)
    return {**why, "picture": pictures.get(number), "sight": sight, "past": past, "game": game}


def past_games(referee: Referee) -> Data:
    """Return past games, newest first: `{"games": […]}`.

    Each `{"id", "game", "players", "started", "ended" (ISO 8601 or null), "points", "winners" (seats)}`.
    """
    return history(referee.store.read, referee.language)


def past_game(referee: Referee, which: str) -> Data:
    """Return one past game: as in `past_games`, and `options`, `rounds`, `rulings`, `corrections`.

    `rounds`: `[{"number", "points": […]}]`; `rulings`: as in the state, oldest first; `corrections`: `[{"change":
    "Ben: red, happy → red, sad", "text", "at" (ISO 8601), "undone"}]`.
    """
    pictures = referee.evidence.of_game(int(which)) if which.isascii() and which.isdecimal() else {}
    return one_game(referee.store.read, which, referee.language, pictures)


def figures(referee: Referee) -> Data:
    """Return figures over all evenings: `{"players": […], "evenings": […]}`.

    Players: `{"name", "games", "wins", "valid", "false", "too_late", "reactions_ms": […]}`, by wins; evenings, oldest
    first: `{"date", "games", "wins": {name: number}, "false": {name: number}, "median_ms": {name: number}}`.
    """
    return statistics(referee.store.read)


def how_good(referee: Referee) -> Data:
    """Return the quality at this table: `{"games": […], "evenings": […], "challenged": a sentence or ""}`.

    Games: `{"game", "cards", "corrected", "rings", "unclear", "text"}` of its last cards; evenings, oldest first: the
    same with `date` instead of `game` and `text`.
    """
    return quality(referee.store.read, referee.language)


def table_decks(referee: Referee) -> Data:
    """Return the decks for each game, the one played last first.

    `{"decks": {game: [name, …]}, "colours": {name: [colour, …]}}`, the colours of those for Coloretto; the game's own
    deck has its name. `Start` takes one of them as the option `deck`.
    """
    choices = referee.table_decks.choices(referee.store.read)
    return {"decks": dict(choices), "colours": referee.table_decks.colours(choices)}


def cameras(referee: Referee) -> Data:
    """Return the cameras: `{"cameras": [{"camera": as in the settings, "name"}], "notes": […]}`.

    `cameras`: those plugged in now. `notes`: failures of the setup of the camera in use, a sentence each.
    """
    notes = [in_language(note, referee.language) for note in referee.devices.camera_notes]
    return {"cameras": [{"camera": spec, "name": name} for spec, name in referee.plugged()], "notes": notes}


def _explanation(log: GameLog, place: RulingPlace, ruling: RulingData, language: Language) -> dict[str, Any]:
    """Return the grounds of a ruling, as JSON data.

    `{"text", "ruling", "corrected", "steps", "way", "mishaps", "readings"}`. `steps`: for Confetti the arrangement
    (C11), a set a step, then the costs in points, and the sum: `[{"kind": "set", "spare", "over" or "sum", "text",
    "cards": […]}]`; a set's cards (their colours, small, medium, big) are in the order in which they give small,
    medium, big. `readings`: its events, each to be corrected: `{"event": an id, "seat", "data": the event with its keys
    of the outside contract}`, such as the visible tops at a ring and the ring itself, or a hand. `way`: how far a
    phone's press was dated back, a sentence, or "". `mishaps`: the referee's warnings about light, lens or machine that
    still held, a sentence each.
    """
    record, readings = log.records[place.event], _readings(log, log.records[place.event], ruling)
    return {
        "text": Announcer(log.header.game, log.header.players, language).say(ruling),
        "ruling": dict(ruling),
        "corrected": record.is_changed(ruling),
        "steps": game_kind(log.header.game).page.steps(ruling, [event for _, event in readings], language),
        "way": phone_way(ruling["phone"], language) if "phone" in ruling else "",
        "mishaps": [mishaps.begun(what, language) for what in _mishaps(log, record)],
        "readings": [
            {"event": log.event_id(number), "seat": event.data.get("seat"), "data": _shown(event)}
            for number, event in readings
        ],
    }


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
        return _tops(log, past, ruling["t_ns"])
    seat = ruling.get("seat")
    hands = [(number, event) for number, event in past if event.kind == "hand" and event.data.get("seat") == seat]
    if ruling["ruling"] in ("hand", "foul", "arrangement") and hands:
        return hands[-1:]
    return past[-1:]


def _tops(log: GameLog, past: list[tuple[int, Event]], ring_ns: int) -> list[tuple[int, Event]]:
    """Return the visible cards at a ring, and the ring."""
    tops: dict[object, tuple[int, Event]] = {}
    rings = [(number, event) for number, event in past if event.kind == "bell" and event.t_ns == ring_ns]
    for number, event in past:
        if event.kind in _CARDS and event.t_ns <= ring_ns:
            tops[event.data.get("seat")] = (number, event)
        elif _piles_taken_ns(log.records[number]):
            cleared_ns = max(one["t_ns"] for one in log.records[number].rulings)
            tops = {seat: top for seat, top in tops.items() if cleared_ns >= ring_ns or top[1].t_ns > cleared_ns}
    return [*sorted(tops.values(), key=lambda top: top[0]), *rings[:1]]


def _shown(event: Event) -> dict[str, Any]:
    hidden = ("t_ns", "frame_t_ns", "faces", "event", "phone")
    return {"event": event.kind} | {key: value for key, value in event.data.items() if key not in hidden}


def _photo_finish(log: GameLog, instant: Event, language: Language) -> dict[str, Any]:
    """Return the events around a ring, `{"marks", "faces"}`, times in ms from it.

    `marks`: `[{"t_ms", "text", "seat", "kind": "ring", "also_rang", "card" or "frame"}]`, oldest first. `faces`: the
    visible ones, `[{"seat", "colour", "mood" (null: it could not be read), "from_ms", "until_ms": null if it stayed}]`.
    """
    announcer = Announcer(log.header.game, log.header.players, language)
    return {"marks": _marks(log, instant, announcer), "faces": _faces(log, instant)}


def _marks(log: GameLog, instant: Event, announcer: Announcer) -> list[dict[str, Any]]:
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
    """A face that is visible since `from_ns`."""

    seat: int
    colour: object
    mood: object
    from_ns: int


def _faces(log: GameLog, instant: Event) -> list[dict[str, Any]]:
    """Return the visible face of each seat around a ring, oldest first, after all corrections.

    A face counts from the first frame in which it could be read (P9), until another covers it, or the pile goes.
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
    """Return each face with the time at which it was covered or taken away."""
    tops: dict[int, _Open] = {}
    for number, event in log.held():
        seat = event.data.get("seat")
        if event.kind in (*_CARDS, "pile_gone") and isinstance(seat, int):
            before = tops.get(seat)
            if event.kind == "card_read" and before is not None and _is_same(before, event.data):
                continue
            if before is not None:
                yield before, event.t_ns
            tops.pop(seat, None)
            if event.kind != "pile_gone":
                tops[seat] = _Open(seat, event.data.get("colour"), event.data.get("mood"), event.t_ns)
        for taken_ns in _piles_taken_ns(log.records[number]):
            # Cards turned while a name was waited for are on new piles.
            for top in [top for top in tops.values() if top.from_ns <= taken_ns]:
                yield tops.pop(top.seat), taken_ns
    for top in tops.values():
        yield top, None


def _is_same(face: _Open, data: Mapping[str, object]) -> bool:
    return (face.colour, face.mood) == (data.get("colour"), data.get("mood"))


def _piles_taken_ns(record: Record) -> list[int]:
    moves = (ruling for ruling in record.rulings if ruling["ruling"] == "cards_move" and ruling["from"] == "piles")
    return [ruling["t_ns"] for ruling in moves]
