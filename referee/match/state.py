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
from typing import TYPE_CHECKING, Any

from hardware.problems import Problem
from hardware.settings import MS
from referee.announcer import Announcer
from referee.engine.events import Question
from referee.engine.log import RulingData, RulingPlace
from referee.engine.session import Session
from referee.games.kind import Seat
from referee.games.registry import GAMES
from referee.language import Language
from referee.match.pictures import PictureNames
from referee.sayings import service as sayings
from referee.store.games import games, iso_time

if TYPE_CHECKING:
    from hardware.camera.frames import Frame
    from referee.match.referee import Referee

MOST_RULINGS = 50
_READINGS = ("hand", "card_shown", "card_read")
_HIDDEN = ("t_ns", "frame_t_ns", "faces", "phone")
_TURNING = ("round", "time", "hand", "ring", "round_end", "end")
_NO_PHASE = {"key": "idle", "turn": None, "since_ns": None, "lasts_ms": None}
PictureOf = Mapping[tuple[int, int], str]
Newest = Sequence[tuple[RulingPlace, RulingData]]
Data = Mapping[str, Any]


def state_of(referee: Referee, announcer: Announcer | None) -> dict[str, Any]:
    """Return the state without its version and time; announcer: of the game on the table, None without one."""
    match, language = referee.match, referee.language
    session = match.session
    data: dict[str, Any] = {
        "mode": _mode(session),
        "game": None,
        "board": [],
        "phase": _NO_PHASE,
        "rulings": [],
        "questions": [],
        "caption": referee.voice.caption,
        "said": list(referee.voice.said),
        "quiet_now": referee.voice.is_quiet,
        "devices": [_device(health, language) for health in referee.health.snapshot()],
        "outlines": [],
        "readings": {},
        "notices": list(referee.notices),
        "settings": referee.shown_settings,
        "language": language.code,
        "can_undo": False,
        "undoes": None,
        "moment": moment(session),
    }
    if session is not None and announcer is not None:
        kind, newest = GAMES[session.header.game], session.log.newest(MOST_RULINGS)
        last = session.log.last_readings(_READINGS, len(session.header.players))
        readings = {ident: {key: data[key] for key in data if key not in _HIDDEN} for ident, data in last.items()}
        undoes, sand = match.undoes, referee.settings.sand
        sand_ms = None if sand is None else sand[0] // MS
        data |= {
            "game": _game(session),
            "board": _board(session, newest, kind.page.seats(session, language)),
            "phase": _phase(session, newest, kind.page.phase(session, sand_ms, language)),
            "rulings": _rulings(session, newest, announcer, referee.picture_of),
            "questions": _questions(session, newest, announcer, referee.question_pictures.names()),
            "outlines": _outlines(session, readings, referee.frame),
            "readings": readings,
            "can_undo": undoes is not None,
            "undoes": undoes,
        }
    data["latest"] = next((ruling for ruling in data["rulings"] if ruling["text"]), None)
    data["setup"] = _setup(referee)
    return data


def _rulings(session: Session, newest: Newest, announcer: Announcer, picture_of: PictureOf) -> list[dict[str, Any]]:
    log = session.log
    return [
        {
            "id": ident,
            "t_ns": ruling["t_ns"] - log.shift_ns,
            "text": announcer.say(ruling),
            "ruling": dict(ruling),
            "picture": picture_of.get((log.game, about)),
            "corrected": corrected,
        }
        for (_, ruling), (ident, about, corrected) in zip(newest, log.shown(newest), strict=True)
    ]


def moment(session: Session | None) -> str:
    """Return a name of the state of play for commands that depend on it; another name: something came in between."""
    if session is None:
        return "idle"
    step = GAMES[session.header.game].page.step
    question = session.question
    asked = "" if question is None else str(question.t_ns)
    played = ("over" if session.over else "") if step is None else step(session)
    return "-".join((str(session.log.game), played, str(session.paused), str(len(session.log.corrections)), asked))


def _setup(referee: Referee) -> dict[str, Any]:
    """Return whether setting up begins by itself, the number of open steps, the players and the game.

    It begins on a new machine, on which nothing was set up and no game was played.
    """
    kept, nobody_plays = referee.walk.kept, referee.match.session is None
    due = referee.begins_with_setup and not kept and nobody_plays and not games(referee.store.read)
    undone = [one for one in kept.values() if one.state in ("skipped", "missing")]
    # Players who have played without it all along are not asked.
    left = len(referee.walk.left) + len(undone) if kept else 0
    deck = kept["deck"].data.get("deck") if "deck" in kept else None
    game = deck if isinstance(deck, str) and deck in GAMES else None
    players = kept["seats"].data.get("players") if "seats" in kept else None
    return {"due": due, "left": left, "players": players, "game": game}


def _mode(session: Session | None) -> str:
    if session is None:
        return "idle"
    return "over" if session.over else "paused" if session.paused else "playing"


def _game(session: Session) -> dict[str, Any]:
    return {
        "id": str(session.log.game),
        "game": session.header.game,
        "players": list(session.header.players),
        "options": dict(session.header.options),
        "started": iso_time(session.log.started_ms),
    }


def _device(health: Problem, language: Language) -> dict[str, str]:
    text = sayings.problem(health, language)
    return {"name": health.part, "state": health.state.value, "message": text}


def _board(session: Session, newest: Newest, seats: Sequence[Seat]) -> list[dict[str, Any]]:
    gained = _gained(newest)
    return [
        {
            "seat": seat,
            "name": name,
            "points": seats[seat].points,
            "gained": gained.get(seat),
            "held": list(seats[seat].held),
            "detail": seats[seat].detail,
        }
        for seat, name in enumerate(session.header.players)
    ]


def _gained(newest: Newest) -> dict[int, int]:
    """Return the points of the round that was counted last, by seat."""
    gained: dict[int, int] = {}
    for _, ruling in newest:
        if ruling["ruling"] == "hand":
            gained.setdefault(ruling["seat"], ruling["points"])
        elif ruling["ruling"] == "round" and gained:
            break
    return gained


def _phase(session: Session, newest: Newest, phase: Data) -> dict[str, Any]:
    """Return the phase of play, since the last ruling that turned the game."""
    turn = None if phase["key"] == "over" else phase.get("turn")
    since_ns = next((ruling["t_ns"] for _, ruling in newest if ruling["ruling"] in _TURNING), session.begun_ns)
    return {"lasts_ms": None, **phase, "turn": turn, "since_ns": since_ns - session.log.shift_ns}


def _questions(session: Session, newest: Newest, announcer: Announcer, pictures: PictureNames) -> list[dict[str, Any]]:
    """Return the present questions to the players."""
    question, log = session.question, session.log
    if question is None:
        return _doubts(session, announcer, pictures)
    if question.kind == "who_rang":
        return [
            {
                "id": f"who-{log.game}-{question.t_ns}",
                "kind": "who_rang",
                "text": sayings.who_rang(announcer.language),
                "seats": list(question.seats),
                "ruling": None,
                "verdict": _verdict(question, log.shift_ns, announcer),
            }
        ]
    place = next((place for place, ruling in newest if ruling["ruling"] == "unclear"), None)
    last_seen = question.ruling.get("last_seen")
    ask = (
        sayings.decide if question.kind != "no_hand" else sayings.tell_hands if last_seen is None else sayings.tell_gone
    )
    return [
        {
            "id": f"{question.kind}-{log.game}-{question.t_ns}",
            "kind": question.kind,
            "text": ask(announcer.language),
            "seats": list(question.seats),
            "ruling": None if place is None else log.ruling_id(place),
            "verdict": None,
            **({} if last_seen is None else {"last_seen": last_seen}),
        }
    ]


def _doubts(session: Session, announcer: Announcer, pictures: PictureNames) -> list[dict[str, Any]]:
    """Return the watcher's questions, each with its answers: `{"text", "seat", "card"}`, each one tap."""
    players, language = session.header.players, announcer.language
    answer = GAMES[session.header.game].words.answer
    return [
        {
            "id": session.question_id(doubt),
            "kind": "doubt",
            "text": sayings.notice(doubt.kind, doubt.data.get("seat"), doubt.data, players, language),
            "seats": [],
            "ruling": None,
            "verdict": None,
            "pictures": pictures.get(session.question_id(doubt)),
            "answers": [
                {
                    "text": answer(one.data, players, language),
                    "seat": one.data.get("seat"),
                    "card": one.data.get("card"),
                }
                for one in doubt.answers
            ],
        }
        for doubt in session.doubts
    ]


def _verdict(question: Question, shift_ns: int, announcer: Announcer) -> dict[str, Any]:
    """Return the verdict of a ring that waits for its ringer's name: announced, so the page must show it, too."""
    ruling = question.ruling
    return {"t_ns": question.t_ns - shift_ns, "text": announcer.say(ruling), "ruling": ruling}


def _outlines(session: Session, readings: Data, frame: Frame | None) -> list[dict[str, Any]]:
    if frame is None:
        return []
    width, height = frame.size_px
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
