"""The state: all that a page shows of the table, as JSON data, made once after each change.

Keys: `version` (grows with each change); `t_ns` (now, monotonic); `mode` ("idle", "playing", "paused", "over");
`game` (null or `{"id", "game", "players", "options", "started"}`); `board` (a list of seats: `{"seat", "name",
"points", "gained": in the round that was counted last, or null, "held": in Coloretto, `[[card, how many], …]`,
"detail": a few words, may be ""}`); `phase` (`{"key": "idle", "before_round", "running", "counting", "turning",
"who_rang", "placing" or "over"}`, with `round`, `rounds`, `limit` where the game has them, `turn`: a seat or null,
`since_ns`: its beginning, `lasts_ms`: how long the sand runs, or null; in Coloretto `rows`: their cards, null for a
row that is gone, `rooms`: for how many cards each, `taken`: seats, `last`: whether the round is the last, `told`: the
id of the event that a person reported last, or null, `colours`: in the game, `sheet`: as the command of that name
gives it, by seat); `rulings` (newest first, at most 50: `{"id", "t_ns", "text", "ruling", "picture" (an id or null),
"corrected"}`); `latest` (the first of them that has a text, or null); `questions` (`{"id", "kind": "who_rang",
"decide", "no_hand" or "doubt", "text", "seats", "ruling": an id or null, "verdict": how a ring stands that waits for
its ringer's name, `{"t_ns", "text", "ruling"}`, or null}`; of hands put away before they were counted `last_seen`: by
the order of `seats`, the cards seen last, or null; a doubt has `answers`, `[{"text", "seat", "card"}]`, and
`pictures`, null or `{"before": when the table was understood last, an id or null, "now": an id}`); `caption` (what is
being said, or ""); `said` (the latest that were said aloud, oldest first: `{"number", "text", "urgent", "chime": its
notes, `[[Hz, ms], …]`}`); `quiet_now` (whether nothing is to be said now); `devices` (`{"name", "state", "message"}`,
the states are those of `hardware.problems`); `outlines` (`{"corners": [[x, y], …] as shares of the picture's size,
"seat", "label", "certain", "event": the id of the event that a correction names, or null}`); `readings` (those events
by their ids); `notices` (`{"text", "seat"}`, what people should do now); `settings` (those of the table that pages
see); `language` (of all texts); `can_undo`; `undoes` (what would be taken back: "correction", "stop", "start" or
null); `moment` (names how things stand, for commands that hang on it); `setup` (`{"due", "left", "players",
"game"}`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from hardware.settings import MS
from referee.announcer import Announcer
from referee.engine.events import Question
from referee.engine.log import RulingRow
from referee.engine.session import Session
from referee.games.registry import GAMES
from referee.sayings import service as sayings
from referee.store.games import games, iso_time

if TYPE_CHECKING:
    from referee.match.referee import Referee

MOST_RULINGS = 50
_READINGS = ("hand", "card_shown", "card_read")
_HIDDEN = ("t_ns", "frame_t_ns", "faces", "phone")
_TURNING = ("round", "time", "hand", "ring", "round_end", "end")
_NO_GAME: Mapping[str, Any] = {
    "game": None,
    "board": [],
    "phase": {"key": "idle", "turn": None, "since_ns": None, "lasts_ms": None},
    "rulings": [],
    "questions": [],
    "outlines": [],
    "readings": {},
    "undoes": None,
}
Newest = Sequence[RulingRow]


def state_of(referee: Referee, announcer: Announcer | None) -> dict[str, Any]:
    """Return the state without its version and time; announcer: of the game on the table, None without one."""
    session = referee.match.session
    game = _NO_GAME if session is None or announcer is None else _game(referee, session, announcer)
    mode = "idle" if session is None else "over" if session.over else "paused" if session.paused else "playing"
    return {
        "mode": mode,
        **game,
        "latest": next((ruling for ruling in game["rulings"] if ruling["text"]), None),
        "can_undo": game["undoes"] is not None,
        "caption": referee.announcements.caption,
        "said": list(referee.announcements.said),
        "quiet_now": referee.announcements.is_quiet,
        "devices": [
            {"name": one.part, "state": one.state.value, "message": sayings.problem(one, referee.language)}
            for one in referee.health.states
        ],
        "notices": list(referee.notices),
        "settings": referee.shown_settings,
        "language": referee.language.code,
        "moment": moment(session),
        "setup": _setup(referee),
    }


def moment(session: Session | None) -> str:
    """Return a name of the state of play for commands that depend on it; another name: something came in between."""
    if session is None:
        return "idle"
    step = GAMES[session.header.game].page.step
    asked = "" if session.question is None else str(session.question.t_ns)
    played = ("over" if session.over else "") if step is None else step(session)
    return "-".join((str(session.log.game), played, str(session.paused), str(len(session.log.corrections)), asked))


def _setup(referee: Referee) -> dict[str, Any]:
    """Return whether setting up begins by itself, the number of open steps, the players and the game.

    It begins on a new machine, on which nothing was set up and no game was played.
    """
    kept, nobody_plays = referee.walk.kept, referee.match.session is None
    if not kept:
        # Players who have played without it all along are not asked.
        due = referee.begins_with_setup and nobody_plays and not games(referee.store.read)
        return {"due": due, "left": 0, "players": None, "game": None}
    undone = [one for one in kept.values() if one.state in ("skipped", "missing")]
    deck = kept["deck"].data.get("deck") if "deck" in kept else None
    return {
        "due": False,
        "left": len(referee.walk.left) + len(undone),
        "players": kept["seats"].data.get("players") if "seats" in kept else None,
        "game": deck if isinstance(deck, str) and deck in GAMES else None,
    }


def _game(referee: Referee, session: Session, announcer: Announcer) -> dict[str, Any]:
    """Return the part of the state that a game has."""
    header, log, language = session.header, session.log, announcer.language
    page, newest = GAMES[header.game].page, list(islice(log.newest(), MOST_RULINGS))
    seats, sand = page.seats(session, language), referee.settings.sand
    phase = page.phase(session, None if sand is None else sand[0] // MS, language)
    since_ns = next((one.data["t_ns"] for one in newest if one.data["ruling"] in _TURNING), session.begun_ns)
    turn, gained = None if phase["key"] == "over" else phase.get("turn"), _gained(newest)
    readings = {
        ident: {key: value for key, value in data.items() if key not in _HIDDEN}
        for ident, data in log.last_readings(_READINGS, len(header.players)).items()
    }
    return {
        "game": {
            "id": str(log.game),
            "game": header.game,
            "players": list(header.players),
            "options": dict(header.options),
            "started": iso_time(log.row.started_ms),
        },
        "board": [
            {
                "seat": seat,
                "name": name,
                "points": seats[seat].points,
                "gained": gained.get(seat),
                "held": list(seats[seat].held),
                "detail": seats[seat].detail,
            }
            for seat, name in enumerate(header.players)
        ],
        "phase": {"lasts_ms": None, **phase, "turn": turn, "since_ns": since_ns - log.shift_ns},
        "rulings": [
            {
                "id": log.ruling_id(one),
                "t_ns": one.data["t_ns"] - log.shift_ns,
                "text": text,
                "ruling": dict(one.data),
                "picture": referee.picture_of.get((log.game, log.about(one))),
                "corrected": log.is_changed(one),
            }
            for one, text in zip(newest, announcer.texts([one.data for one in newest]), strict=True)
        ],
        "questions": _doubts(referee, session)
        if session.question is None
        else [_question(session, session.question, newest, announcer)],
        "outlines": _outlines(referee, session, readings),
        "readings": readings,
        "undoes": referee.match.undoes,
    }


def _gained(newest: Newest) -> dict[int, int]:
    """Return the points of the round that was counted last, by seat."""
    gained: dict[int, int] = {}
    for one in newest:
        if one.data["ruling"] == "hand":
            gained.setdefault(one.data["seat"], one.data["points"])
        elif one.data["ruling"] == "round" and gained:
            break
    return gained


def _question(session: Session, question: Question, newest: Newest, announcer: Announcer) -> dict[str, Any]:
    """Return the question that the rules ask the players."""
    log = session.log
    ruling, last_seen = question.ruling, question.ruling.get("last_seen")
    shown: dict[str, Any] = {
        "id": f"{question.kind}-{log.game}-{question.t_ns}",
        "kind": question.kind,
        "seats": list(question.seats),
        "ruling": None,
        "verdict": None,
    }
    if last_seen is not None:
        shown["last_seen"] = last_seen
    if question.kind == "who_rang":
        # The verdict was announced, so the page must show it, too.
        shown["verdict"] = {"t_ns": question.t_ns - log.shift_ns, "text": announcer.say(ruling), "ruling": ruling}
        return {**shown, "text": announcer.language.text("service.who_rang")}
    shown["ruling"] = next((log.ruling_id(one) for one in newest if one.data["ruling"] == "unclear"), None)
    if question.kind != "no_hand":
        asked = "service.was_ring_valid_please_look"
    else:
        asked = "service.what_do_you_hold_camera" if last_seen is None else "service.what_did_you_hold_cards"
    return {**shown, "text": announcer.language.text(asked)}


def _doubts(referee: Referee, session: Session) -> list[dict[str, Any]]:
    """Return the watcher's questions, each with its answers: `{"text", "seat", "card"}`, each one tap."""
    players, language, answer = session.header.players, referee.language, GAMES[session.header.game].words.answer
    return [
        {
            "id": session.question_id(doubt),
            "kind": "doubt",
            "text": sayings.notice(doubt.kind, doubt.data.get("seat"), doubt.data, players, language),
            "seats": [],
            "ruling": None,
            "verdict": None,
            "pictures": referee.question_pictures.names.get(session.question_id(doubt)),
            "answers": [
                {
                    "text": answer(one.data, players, language),
                    "seat": one.data.get("seat"),
                    "card": one.data.get("card"),
                }
                for one in doubt.answers
            ],
        }
        for doubt in session.watcher.doubts
    ]


def _outlines(referee: Referee, session: Session, readings: Mapping[str, Any]) -> list[dict[str, Any]]:
    if referee.frame is None:
        return []
    width, height = referee.frame.size_px
    reading_of = {int(data["seat"]): ident for ident, data in readings.items()}
    return [
        {
            "corners": [[round(x / width, 4), round(y / height, 4)] for x, y in outline.corners_px],
            "seat": outline.seat,
            "label": outline.label,
            "certain": outline.certain,
            "event": None if outline.seat is None else reading_of.get(outline.seat),
        }
        for outline in session.watcher.outlines
        if outline.corners_px
    ]
