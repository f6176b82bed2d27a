"""Answers read-only requests of pages except the state, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.match.referee import Referee
from referee.match.why import explanation, log_named, photo_finish
from referee.phrases import in_language
from referee.store.figures import quality, statistics
from referee.store.games import sight_of
from referee.store.history import history, one_game

Data = Mapping[str, Any]


def timeline(referee: Referee, ruling: str) -> Data:
    """Return the photo-finish of a ruling, of this game or a past one, times from its ring.

    `{"frames": [{"picture", "t_ms"}], "sight", "players": names}`, and the keys of `photo_finish`. `sight`: null, or
    the
    outlines in the deciding frame: `{"t_ms", "width", "height": of its picture, px, "outlines": [{"corners": px,
    "seat",
    "label", "certain"}]}`.

    Raises:
        BadInputError: there is no such ruling.
    """
    with referee.lock:
        log = log_named(referee.match, ruling)
        number = log.about(*log.ruling(ruling))
        shown = photo_finish(log, log.records[number].event, referee.language)
    kept = referee.evidence.of_event(log.game, number)
    return {
        "frames": [{"picture": one.name, "t_ms": round(one.t_ms, 1)} for one in kept],
        **shown,
        "sight": sight_of(referee.store.read, log.game, number),
        "players": list(log.header.players),
    }


def explain(referee: Referee, ruling: str) -> Data:
    """Return the grounds of a ruling, with the deciding picture.

    The keys of `explanation`, and `{"picture", "sight": as in `timeline`, "past": whether its game is no longer on the
    table, "game": `{"game", "players", "options"}`}`.

    Raises:
        BadInputError: there is no such ruling.
    """
    with referee.lock:
        log = log_named(referee.match, ruling)
        place, ruled = log.ruling(ruling)
        number, why = log.about(place, ruled), explanation(log, place, ruled, referee.language)
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
