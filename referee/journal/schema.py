"""What a game in an export must be: each value of its kind and size, and its rulings those that its events lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.engine.corrections import CorrectionRow, corrected
from referee.engine.events import parse_event
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.journal.judging import Trouble, checked
from referee.journal.rows import EventRow, GameRow, KeptGame, RulingRow
from referee.journal.stored import kept_header, maybe, number, ruling_data, wall_time
from referee.jsonlines import MOST_DEPTH, is_flat, is_name, to_line

MOST_EVENTS = 20_000
_MOST_RULINGS = 100_000
_MOST_CORRECTIONS = 5000
_MOST_EVENT_CHARS = 1 << 16


@dataclass(frozen=True)
class Taken:
    """A game out of an export. otherwise: whether its events lead to another result than stands there."""

    kept: KeptGame
    otherwise: bool


def game_from(data: object) -> Taken:
    """Give a game out of an export, with the rulings that its events lead to.

    Raises:
        BadInputError: it is none, or cannot be judged.
    """
    if not is_flat(data, MOST_DEPTH):
        raise BadInputError("error.journal.brackets_in_it_are_nested")
    if not isinstance(data, dict):
        raise BadInputError("error.journal.it_is_none")
    try:
        kept = _game(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError("error.journal.it_is_not_whole", list=" ".join(str(error).split())[:60]) from error
    game_kind(kept.row.header.game).start(kept.row.header)
    _check_corrections(kept)
    told = checked(kept, past=True)
    ended = kept.row.ended_ms if told.end is not None else None
    if told.end is not None and ended is None:
        ended = kept.events[-1].wall_ms
    row = replace(kept.row, ended_ms=ended, judged=len(kept.events))
    return Taken(replace(told.kept, row=row), told.trouble is Trouble.OTHERWISE)


def _game(data: Mapping[str, Any]) -> KeptGame:
    uid = data["uid"]
    if not is_name(uid):
        raise BadInputError("error.journal.uid_must_be_name_of")
    header = kept_header(data)
    ended = None if data["ended_ms"] is None else wall_time(data["ended_ms"], "ended_ms")
    started, judged = wall_time(data["started_ms"], "started_ms"), number(data["judged"], "judged")
    events = tuple(_event(one) for one in _list(data["events"], MOST_EVENTS))
    rulings = tuple(
        RulingRow(
            number(one["event"], "event", 1),
            number(one["place"], "place"),
            number(one["since"], "since"),
            maybe(one["until"], "until"),
            ruling_data(one["data"]),
        )
        for one in _list(data["rulings"], _MOST_RULINGS)
    )
    corrections = tuple(
        CorrectionRow(
            number(one["number"], "number", 1),
            wall_time(one["wall_ms"], "wall_ms"),
            maybe(one["event"], "event", 1),
            None if one["data"] is None else _small(dict(one["data"])),
            maybe(one["undoes"], "undoes", 1),
        )
        for one in _list(data["corrections"], _MOST_CORRECTIONS)
    )
    row = GameRow(0, uid, header, started, "", 0, judged, ended, True)
    return _in_order(KeptGame(row, events, rulings, corrections))


def _event(data: Mapping[str, Any]) -> EventRow:
    refused = data["refused"]
    if not isinstance(refused, bool):
        raise BadInputError("error.journal.refused_is_true_or_false")
    event = parse_event(_small(data["data"]))
    return EventRow(number(data["number"], "number", 1), wall_time(data["wall_ms"], "wall_ms"), event, refused)


def _small(data: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data, dict) or len(to_line(data)) > _MOST_EVENT_CHARS:
        raise BadInputError("error.journal.event_in_it_is_none")
    return data


def _list(value: object, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise BadInputError("error.journal.list_is_missing_in_it")
    if len(value) > most:
        raise BadInputError("error.journal.more_happened_in_it_than")
    return value


def _in_order(kept: KeptGame) -> KeptGame:
    """Refuse a game in which a number stands twice, or something is missing."""
    if [one.number for one in kept.events] != list(range(1, len(kept.events) + 1)):
        raise BadInputError("error.journal.its_events_are_not_numbered")
    if [one.number for one in kept.corrections] != list(range(1, len(kept.corrections) + 1)):
        raise BadInputError("error.journal.its_corrections_are_not_numbered")
    if len({(one.event, one.place, one.since) for one in kept.rulings}) < len(kept.rulings):
        raise BadInputError("error.journal.ruling_stands_twice_in_it")
    return kept


def _check_corrections(kept: KeptGame) -> None:
    for one in kept.corrections:
        if one.event is not None and one.event > len(kept.events):
            raise BadInputError("error.journal.it_corrects_what_never_was")
        if one.undoes is not None and one.undoes >= one.number:
            raise BadInputError("error.journal.it_takes_back_correction_that")
        if one.event is not None and one.data is not None:
            corrected(kept.events[one.event - 1].event, one.data)
