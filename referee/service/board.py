"""Where a game stands, for the page: points by seat, what is going on, and what the players are asked. Pure."""

from __future__ import annotations

from typing import Any

from referee.announcer import Announcer
from referee.events import Game, Question
from referee.games.coloretto.rules import Coloretto
from referee.games.confetti.rules import Confetti, Phase
from referee.games.piccolino.one_bell import OneBell
from referee.games.piccolino.rules import Piccolino
from referee.journal.corrections import corrected_events
from referee.language import Language
from referee.sayings import coloretto as coloretto_sayings
from referee.sayings import service as sayings
from referee.service.coloretto_page import stands
from referee.service.live_game import LiveGame
from referee.service.question_pictures import PictureNames

_CONFETTI = {
    Phase.BEFORE_ROUND: "before_round",
    Phase.RUNNING: "running",
    Phase.COUNTING: "counting",
    Phase.OVER: "over",
}


def board(play: LiveGame, language: Language) -> list[dict[str, Any]]:
    """Give the seats: `{"seat", "name", "points", "gained", "held", "detail"}`."""
    gained = _gained(play)
    return [
        {
            "seat": seat,
            "name": name,
            "points": points_of(play, seat),
            "gained": gained.get(seat),
            "held": _held(play.game, seat),
            "detail": _detail(play.game, seat, language),
        }
        for seat, name in enumerate(play.header.players)
    ]


def points_of(play: LiveGame, seat: int) -> int | None:
    """Give a seat's points, or cards in Piccolino; None where they are known at the end only."""
    match play.game:
        case Confetti() as confetti:
            return confetti.kept[seat]
        case OneBell(game=Piccolino() as piccolino):
            return piccolino.cards.totals()[seat]
        case _:
            ends = (ruling for _, ruling in play.log.newest(50) if ruling["ruling"] == "end")
            return next((ruling["points"][seat] for ruling in ends), None)


def phase(play: LiveGame, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    """Give what is going on; lasts_ms: how long the sand runs, where that is known."""
    since_ns = _since_ns(play) - play.shift_ns
    match play.game:
        case Confetti() as confetti:
            key = _CONFETTI[confetti.phase]
            return {
                "key": key,
                "round": confetti.number,
                "rounds": len(confetti.limits),
                "limit": confetti.limit,
                "turn": None,
                "since_ns": since_ns,
                "lasts_ms": (lasts_ms or _last_round_ms(play)) if key == "running" else None,
            }
        case OneBell(game=Piccolino() as piccolino):
            question = play.question()
            asked = question is not None and question.kind == "who_rang"
            key = "over" if piccolino.over else "who_rang" if asked else "turning"
            # Cards may have been turned since the ring that waits: whose turn it was then is not whose it is.
            return _plain(key, None if asked else piccolino.turn(), since_ns)
        case Coloretto() as coloretto:
            plain = _plain("over" if coloretto.over else "placing", coloretto.turn, since_ns)
            return {**plain, **stands(coloretto, language), "told": _last_told(play)}
        case _:
            return _plain("over" if play.over else "turning", None, since_ns)


def moment(play: LiveGame | None) -> str:
    """Name how things stand, as far as what people tell hangs on it; another name: something came in between."""
    if play is None:
        return "idle"
    match play.game:
        case Confetti() as confetti:
            step = f"{confetti.number} {_CONFETTI[confetti.phase]}"
        case Coloretto():
            step = str(len(play.log.records))
        case _:
            step = "over" if play.over else ""
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
    ask = sayings.tell_hands if question.kind == "no_hand" else sayings.decide
    return [
        {
            "id": f"{question.kind}-{play.log.row.game}-{question.t_ns}",
            "kind": question.kind,
            "text": ask(announcer.language),
            "seats": list(question.seats),
            "ruling": None if place is None else play.log.ruling_id(place),
            "verdict": None,
        }
    ]


def _doubts(play: LiveGame, announcer: Announcer, pictures: PictureNames) -> list[dict[str, Any]]:
    """Give what the watcher cannot tell, each with its answers: `{"text", "seat", "card"}`, each one tap."""
    players, language = play.header.players, announcer.language
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
                    "text": coloretto_sayings.answer(one.data, players, language),
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


def _held(game: Game, seat: int) -> list[tuple[str, int]]:
    """Give what lies open before a seat and counts at the end, most of one kind first: a card's name, and how many."""
    if not isinstance(game, Coloretto):
        return []
    return [(card, count) for card, count in game.hands[seat].most_common() if count]


def _detail(game: Game, seat: int, language: Language) -> str:
    match game:
        case OneBell(game=Piccolino() as piccolino):
            cards = piccolino.cards
            return sayings.cards_held(cards.draw[seat], cards.discard[seat], cards.is_out[seat], language)
        case Coloretto() as coloretto:
            return sayings.rows_taken(seat in coloretto.taken, language)
        case _:
            return ""


def _last_round_ms(play: LiveGame) -> int | None:
    """Give how long the sand ran last time, where nothing else tells how long it will."""
    ended_ns: int | None = None
    for _, ruling in play.log.newest(50):
        if ruling["ruling"] == "time":
            ended_ns = ruling["t_ns"]
        elif ruling["ruling"] == "round" and ended_ns is not None:
            return int(ended_ns - ruling["t_ns"]) // 1_000_000
    return None


def _last_told(play: LiveGame) -> str | None:
    """Give what a person told last of the game, as a correction names it; None if that was struck or is not there."""
    struck = {number for number, data in corrected_events(play.log.corrections).items() if data is None}
    told = (number for number, record in reversed(play.log.records.items()) if record.is_of_game)
    return next((play.log.event_id(number) for number in told if number not in struck), None)


def _plain(key: str, turn: int | None, since_ns: int) -> dict[str, Any]:
    return {"key": key, "turn": None if key == "over" else turn, "since_ns": since_ns, "lasts_ms": None}


def _since_ns(play: LiveGame) -> int:
    """Give when what is going on began: at the last ruling that turned a game, on the game's clock."""
    turning = ("round", "time", "hand", "ring", "round_end", "end")
    return next((r["t_ns"] for _, r in play.log.newest(50) if r["ruling"] in turning), play.begun_ns)
