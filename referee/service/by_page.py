"""What pages tell: a press on a phone that is a bell, who rang, events that are told by hand, and corrections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.settings import MS
from referee.announcer import Announcer
from referee.errors import BadInputError
from referee.service.desk import Data
from referee.service.fitting import Fitting
from referee.service.play import Play
from referee.service.stage import Stage
from referee.session import Doubt, Doubts


def ring(stage: Stage, fitting: Fitting, command: Data) -> None:
    """Take a press of a phone: `seat`, `t_ns`, `within_ms`.

    Raises:
        BadInputError: no game is played, or nobody sits there.
        PhoneRingError: it cannot count.
    """
    with stage.lock:
        players = len(stage.playing().header.players)
    seat, t_ns, within_ns = int(command["seat"]), int(command["t_ns"]), int(command["within_ms"]) * MS
    if seat >= players:
        raise BadInputError("nobody sits there")
    if not fitting.ring(seat, t_ns, within_ns):
        stage.say("bell", {"seat": seat})


def name_ringer(stage: Stage, seat: object) -> None:
    """Say who rang.

    Raises:
        BadInputError: no game is played, or there is no such seat.
    """
    with stage.lock:
        question = stage.playing().question()
        which = {} if question is None or question.kind != "who_rang" else {"ring_t_ns": question.t_ns}
        stage.say("ringer", {"seat": seat, **which})


def tell(stage: Stage, event: object) -> list[dict[str, Any]]:
    """Take an event with its keys of the outside contract, and give what was ruled.

    Raises:
        BadInputError: it is none of this game's.
    """
    if not isinstance(event, Mapping) or not isinstance(event.get("event"), str):
        raise BadInputError('"event" must say what happened')
    data = {str(key): value for key, value in event.items() if key not in ("event", "t_ns")}
    return [dict(ruling) for ruling in stage.say(str(event["event"]), data).rulings]


def correct(stage: Stage, command: Mapping[str, Any]) -> int:
    """Correct an event, or what led to a ruling; gives how many rulings are others now.

    Raises:
        BadInputError: there is no such event or ruling, or it cannot be so.
    """
    data = command.get("with")
    if data is not None and not isinstance(data, Mapping):
        raise BadInputError("a correction says what is right, or that it never was")
    with stage.lock:
        play = stage.playing()
        if "event" in command:
            number = play.log.event_number(str(command["event"]))
        else:
            number = play.log.about_id(str(command.get("ruling")))
        change = stage.correct(number, data)
    return len({place for place, _ in (*change.gone, *change.new)})


def answer(stage: Stage, question: str, number: object) -> None:
    """Take an answer to what the watcher asks; what was told instead meanwhile is corrected.

    Raises:
        BadInputError: that is asked no more, or so much came after it that the answer has no place among it.
    """
    with stage.lock:
        play = stage.playing()
        asked = {play.question_id(doubt): doubt for doubt in play.doubts}
        doubt = asked.get(question)
        if doubt is None or not isinstance(number, int) or not 0 <= number < len(doubt.answers):
            raise BadInputError("that is not asked any more")
        given, watcher = doubt.answers[number], play.watcher
        if isinstance(watcher, Doubts):
            watcher.answered(doubt)
        told = _told(play, doubt)
        gone_on = not told or any(record.is_of_game for record in play.log.since(told[-1]))
        if doubt.told and len(given.events) > len(told) and gone_on:
            # Said now, it would be judged as if it had happened now: a foul of nobody's.
            raise BadInputError("play has gone on since: please put it right in the list of what happened")
        for at, event in enumerate(given.events):
            data = {key: value for key, value in event.data.items() if key != "event"}
            if at < len(told):
                stage.correct(told[at], {"event": event.kind, **data})
            else:
                stage.say(event.kind, data)
        for number_told in told[len(given.events) :]:
            stage.correct(number_told, None)
        stage.settled()


def _told(play: Play, doubt: Doubt) -> list[int]:
    """Give the numbers of the events that the watcher told because nobody answered."""
    wanted = [(event.kind, dict(event.data)) for event in doubt.told]
    numbers: list[int] = []
    for number, record in reversed(play.log.records.items()):
        if wanted and (record.event.kind, dict(record.event.data)) == wanted[-1]:
            wanted.pop()
            numbers.insert(0, number)
    return [] if wanted else numbers


def look_again(stage: Stage, ruling: str) -> None:
    """Challenge a ruling (C11): hands are counted anew, others are said again; their pictures are kept for long.

    Raises:
        BadInputError: there is no such ruling.
    """
    with stage.lock:
        play = stage.playing()
        _, ruled = play.log.ruling(ruling)
        stage.journal.dispute(play.log.row.game, play.log.about_id(ruling))
        if ruled["ruling"] == "hand":
            stage.say("challenge", {"seat": ruled["seat"]})
            return
        stage.journal.flush()
        header = play.log.header
        stage.voice.tell(*Announcer(header.game, header.players, stage.language).sentences(ruled))
