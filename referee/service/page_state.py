"""All that a page shows of a game, as plain data, built anew after each change. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.problems import Problem
from referee.announcer import Announcer
from referee.engine.corrections import corrected_events
from referee.journal.rows import iso_time
from referee.language import Language
from referee.sayings import service as sayings
from referee.service.board import board, moment, phase, questions
from referee.service.live_game import LiveGame
from referee.service.overlay import drawn
from referee.service.question_pictures import PictureNames
from referee.service.settings import TableSettings

MOST_RULINGS = 50
_READINGS = ("hand", "card_shown", "card_read")
_HIDDEN = ("t_ns", "frame_t_ns", "faces", "phone")
PictureOf = Callable[[int, int], str | None]


@dataclass(frozen=True)
class Scene:
    """What there is to show beside the game. frame_wh: width and height of the picture that the outlines are in.

    pictures: what those of each question of the watcher's are called.
    """

    settings: TableSettings
    caption: str
    said: Sequence[dict[str, Any]]
    devices: Sequence[Problem]
    notices: Sequence[dict[str, Any]]
    frame_wh: tuple[int, int] | None
    lasts_ms: int | None
    pictures: PictureNames


def view(play: LiveGame | None, paused: bool, scene: Scene, picture_of: PictureOf) -> dict[str, Any]:
    """Give the desk's state, but for its version and time. picture_of: a picture's id by game and event."""
    language = Language(scene.settings.language)
    data: dict[str, Any] = {
        "mode": _mode(play, paused),
        "game": None,
        "board": [],
        "phase": {"key": "idle", "turn": None, "since_ns": None, "lasts_ms": None},
        "rulings": [],
        "questions": [],
        "caption": scene.caption,
        "said": list(scene.said),
        "devices": [_device(health, language) for health in scene.devices],
        "outlines": [],
        "readings": {},
        "notices": list(scene.notices),
        "settings": scene.settings.public(),
        "language": scene.settings.language,
        "can_undo": False,
        "undoes": None,
        "moment": moment(play),
    }
    if play is not None:
        announcer = Announcer(play.header.game, play.header.players, language)
        data |= {
            "game": _game(play),
            "board": board(play, language),
            "phase": phase(play, scene.lasts_ms, language),
            "rulings": rulings(play, announcer, picture_of),
            "questions": questions(play, announcer, scene.pictures),
            "outlines": _outlines(play, scene.frame_wh),
            "readings": readings(play),
            "can_undo": play.undoes is not None,
            "undoes": play.undoes,
        }
    data["latest"] = next((ruling for ruling in data["rulings"] if ruling["text"]), None)
    return data


def rulings(
    play: LiveGame, announcer: Announcer, picture_of: PictureOf, most: int = MOST_RULINGS
) -> list[dict[str, Any]]:
    """Give the latest rulings for people, newest first."""
    return [
        {
            "id": play.log.ruling_id(place),
            "t_ns": ruling["t_ns"] - play.shift_ns,
            "text": announcer.say(ruling),
            "ruling": dict(ruling),
            "picture": picture_of(play.log.row.game, play.log.about(place, ruling)),
            "corrected": play.log.records[place.event].is_changed(ruling),
        }
        for place, ruling in play.log.newest(most)
    ]


def _mode(play: LiveGame | None, paused: bool) -> str:
    if play is None:
        return "idle"
    return "over" if play.over else "paused" if paused else "playing"


def _game(play: LiveGame) -> dict[str, Any]:
    return {
        "id": str(play.log.row.game),
        "game": play.header.game,
        "players": list(play.header.players),
        "options": dict(play.header.options),
        "started": iso_time(play.log.row.started_ms),
    }


def _device(health: Problem, language: Language) -> dict[str, str]:
    text = sayings.problem(health, language)
    return {"name": health.part, "state": health.state.value, "message": text}


def _outlines(play: LiveGame, frame_wh: tuple[int, int] | None) -> list[dict[str, Any]]:
    if frame_wh is None:
        return []
    width, height = frame_wh
    reading_of = _latest_readings(play)
    return [
        {
            "corners": [[round(x / width, 4), round(y / height, 4)] for x, y in outline.corners_px],
            "seat": outline.seat,
            "label": outline.label,
            "certain": outline.certain,
            "event": None if outline.seat is None else reading_of.get(outline.seat),
        }
        for outline in drawn(play.watcher.outlines)
    ]


def _latest_readings(play: LiveGame) -> dict[int, str]:
    """Give the event that each seat's cards were last read by."""
    return {int(data["seat"]): ident for ident, data in readings(play).items()}


def readings(play: LiveGame) -> dict[str, dict[str, Any]]:
    """Give the events that each seat's cards were last read by, as they hold now, by their names."""
    instead = corrected_events(play.log.corrections)
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    for record in reversed(play.log.records.values()):
        if len(found) == len(play.header.players):
            break
        if record.event.kind not in _READINGS or instead.get(record.number, {}) is None:
            continue
        data = {**record.event.data, **(instead.get(record.number) or {})}
        seat = data.get("seat")
        if isinstance(seat, int) and seat not in found:
            shown = {key: value for key, value in data.items() if key not in _HIDDEN}
            found[seat] = play.log.event_id(record.number), {**shown, "event": record.event.kind}
    return dict(found.values())
