"""Where a game stands, for the page: points by seat, what is going on, and what the players are asked. Pure."""

from __future__ import annotations

from typing import Any

from referee.announcer import Announcer
from referee.engine.events import Question
from referee.games.registry import game_kind
from referee.language import Language
from referee.sayings import service as sayings
from referee.service.live_game import LiveGame
from referee.service.question_pictures import PictureNames


def board(play: LiveGame, language: Language) -> list[dict[str, Any]]:
    """Give the seats: `{"seat", "name", "points", "gained", "held", "detail"}`."""
    gained, page = _gained(play), game_kind(play.header.game).page
    return [
        {
            "seat": seat,
            "name": name,
            "points": page.points(play, seat),
            "gained": gained.get(seat),
            "held": page.held(play, seat),
            "detail": page.detail(play, seat, language),
        }
        for seat, name in enumerate(play.header.players)
    ]


def phase(play: LiveGame, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    """Give what is going on; lasts_ms: how long the sand runs, where that is known."""
    told = game_kind(play.header.game).page.phase(play, lasts_ms, language)
    turn = None if told["key"] == "over" else told.get("turn")
    return {"lasts_ms": None, **told, "turn": turn, "since_ns": _since_ns(play) - play.shift_ns}


def moment(play: LiveGame | None) -> str:
    """Name how things stand, as far as what people tell hangs on it; another name: something came in between."""
    if play is None:
        return "idle"
    step = game_kind(play.header.game).page.step(play)
    question = play.question()
    asked = "" if question is None else str(question.t_ns)
    return "-".join((str(play.log.row.game), step, str(play.paused), str(len(play.log.corrections)), asked))


def questions(play: LiveGame, announcer: Announcer, pictures: PictureNames) -> list[dict[str, Any]]:
    """Give what the players are asked now, in the announcer's language; pictures: those of what the watcher asks."""
    question = play.question()
    if question is None:
        return _doubts(play, announcer, pictures)
    if question.kind == "who_rang":
        return [
            {
                "id": f"who-{play.log.row.game}-{question.t_ns}",
                "kind": "who_rang",
                "text": sayings.who_rang(announcer.language),
                "seats": list(question.seats),
                "ruling": None,
                "verdict": _verdict(question, play.shift_ns, announcer),
            }
        ]
    place = next((p for p, ruling in play.log.newest(50) if ruling["ruling"] == "unclear"), None)
    last_seen = question.ruling.as_json().get("last_seen")
    ask = (
        sayings.decide if question.kind != "no_hand" else sayings.tell_hands if last_seen is None else sayings.tell_gone
    )
    return [
        {
            "id": f"{question.kind}-{play.log.row.game}-{question.t_ns}",
            "kind": question.kind,
            "text": ask(announcer.language),
            "seats": list(question.seats),
            "ruling": None if place is None else play.log.ruling_id(place),
            "verdict": None,
            **({} if last_seen is None else {"last_seen": last_seen}),
        }
    ]


def _doubts(play: LiveGame, announcer: Announcer, pictures: PictureNames) -> list[dict[str, Any]]:
    """Give what the watcher cannot tell, each with its answers: `{"text", "seat", "card"}`, each one tap."""
    players, language, answer = play.header.players, announcer.language, game_kind(play.header.game).words.answer
    return [
        {
            "id": play.question_id(doubt),
            "kind": "doubt",
            "text": sayings.notice(doubt.kind, doubt.data.get("seat"), doubt.data, players, language),
            "seats": [],
            "ruling": None,
            "verdict": None,
            "pictures": pictures.get(play.question_id(doubt)),
            "answers": [
                {
                    "text": answer(one.data, players, language),
                    "seat": one.data.get("seat"),
                    "card": one.data.get("card"),
                }
                for one in doubt.answers
            ],
        }
        for doubt in play.doubts
    ]


def _verdict(question: Question, shift_ns: int, announcer: Announcer) -> dict[str, Any]:
    """Give how a ring stands that waits for its ringer's name: it was said, so the page must show it, too."""
    ruling = question.ruling.as_json()
    return {"t_ns": question.t_ns - shift_ns, "text": announcer.say(ruling), "ruling": ruling}


def _gained(play: LiveGame) -> dict[int, int]:
    """Give the points of the round that was counted last, by seat."""
    gained: dict[int, int] = {}
    for _, ruling in play.log.newest(50):
        if ruling["ruling"] == "hand":
            gained.setdefault(ruling["seat"], ruling["points"])
        elif ruling["ruling"] == "round" and gained:
            break
    return gained


def _since_ns(play: LiveGame) -> int:
    """Give when what is going on began: at the last ruling that turned a game, on the game's clock."""
    turning = ("round", "time", "hand", "ring", "round_end", "end")
    return next((r["t_ns"] for _, r in play.log.newest(50) if r["ruling"] in turning), play.begun_ns)
