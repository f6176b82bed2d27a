"""Past games for the page and for `ringmaster history`: the list, and one of them. Pure but for the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any

from referee.announcer import Announcer
from referee.engine.corrections import CorrectionRow, corrected_events
from referee.errors import BadInputError
from referee.journal.evenings import Played
from referee.journal.judging import checked
from referee.journal.rows import KeptGame, Query, RulingRow, iso_time
from referee.journal.stored import game_numbered, kept_game
from referee.language import Language
from referee.sayings import kept as sayings
from referee.sayings.cards import changed_reading
from referee.service.past import Known, Past, listed, past_of


def history(query: Query, language: Language, known: Known | None = None, zone: tzinfo | None = None) -> dict[str, Any]:
    """Give past games, the last played first, and sentences about those that make no sense.

    known: what is remembered from one time to the next. zone: None is the table's own.
    """
    shown = listed(query, {} if known is None else known, zone)
    return {
        "games": [_summary(past, when, language) for past, when in reversed(shown.games)],
        "faults": [sayings.unreadable(number, language) for number in shown.unreadable],
    }


def one_game(
    query: Query, which: str, language: Language, picture_of: Mapping[int, str], known: Known | None = None
) -> dict[str, Any]:
    """Give one past game. picture_of: a picture's id by event.

    Raises:
        BadInputError: there is none.
    """
    row = game_numbered(query, int(which)) if which.isascii() and which.isdecimal() else None
    if row is None:
        raise BadInputError("error.service.there_is_no_such_game")
    told = checked(kept_game(query, row), past=True)
    kept = told.kept
    announcer = Announcer(row.header.game, row.header.players, language)
    first = kept.first()
    rulings = [
        {
            "id": f"{row.game}-{ruling.event}-{ruling.place}",
            "t_ns": ruling.data["t_ns"],
            "text": announcer.say(ruling.data),
            "ruling": dict(ruling.data),
            "picture": picture_of.get(ruling.event),
            "corrected": ruling.data not in first.get(ruling.event, ()),
        }
        for ruling in kept.in_force()
    ]
    when = next(when for past, when in listed(query, {} if known is None else known).games if past.row.game == row.game)
    return {
        **_summary(past_of(told), when, language),
        "options": dict(row.header.options),
        "rounds": _rounds(kept.in_force()),
        "rulings": rulings,
        "corrections": _corrections(kept, announcer),
    }


def _summary(past: Past, when: Played, language: Language) -> dict[str, Any]:
    row, end = past.row, past.end
    return {
        "id": str(row.game),
        "game": row.header.game,
        "players": list(row.header.players),
        "started": iso_time(when.started_ms),
        "evening": when.evening,
        "ended": iso_time(row.ended_ms),
        "points": [] if end is None else list(end.get("points", end.get("cards", []))),
        "winners": [] if end is None else list(end["winners"]),
        "fault": "" if past.trouble is None else sayings.trouble(past.trouble, row.game, language),
    }


def _rounds(rulings: Iterable[RulingRow]) -> list[dict[str, Any]]:
    """Give the points of each round of Confetti, by seat; other games have no rounds with points."""
    rounds: list[dict[str, Any]] = []
    for ruling in rulings:
        if ruling.data["ruling"] == "round":
            rounds.append({"number": ruling.data["number"], "points": []})
        elif ruling.data["ruling"] == "hand" and rounds:
            rounds[-1]["points"].append(ruling.data["points"])
    return rounds


def _corrections(kept: KeptGame, announcer: Announcer) -> list[dict[str, Any]]:
    undone = {one.undoes for one in kept.corrections if one.undoes is not None}
    told = []
    for one in kept.corrections:
        if one.event is None or one.undoes is not None:
            continue
        changed = [ruling for ruling in kept.rulings if ruling.since == one.number]
        texts = [text for ruling in changed if (text := announcer.say(ruling.data))]
        struck = [ruling for ruling in kept.rulings if ruling.until == one.number]
        texts = texts or [text for ruling in struck if (text := announcer.say(ruling.data))]
        told.append(
            {
                "change": _changed(kept, one, announcer),
                "text": " ".join(texts[:3]),
                "at": iso_time(one.wall_ms),
                "undone": one.number in undone,
            }
        )
    return told


def _changed(kept: KeptGame, correction: CorrectionRow, announcer: Announcer) -> str:
    """Give what a correction made of what it corrects, as that stood before it, in words."""
    event = next((one.event for one in kept.events if one.number == correction.event), None)
    if event is None or correction.event is None:
        return ""
    earlier = corrected_events(one for one in kept.corrections if one.number < correction.number)
    was = {**event.data, **(earlier.get(correction.event) or {})}
    return changed_reading(event.kind, was, correction.data, announcer.players, announcer.language)
