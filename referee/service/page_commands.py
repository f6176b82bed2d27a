"""What pages tell: a press on a phone that is a bell, who rang, events that are told by hand, and corrections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.settings import MS
from referee.announcer import Announcer
from referee.engine.session import Doubt, Doubts
from referee.errors import BadInputError
from referee.service.desk_protocol import Data
from referee.service.device_admin import DatesRings, DeviceAdmin
from referee.service.game_controller import GameController
from referee.service.live_game import LiveGame
from referee.service.phone_bells import Arrival


def ring(controller: GameController, device_admin: DeviceAdmin, command: Data) -> None:
    """Take a press of a phone: `seat`, `t_ns`, `within_ms`, and if known `came_ns` and `half_ns` of its round trip.

    Raises:
        BadInputError: no game is played, or nobody sits there.
        PhoneRingError: it cannot count.
    """
    with controller.lock:
        players = len(controller.playing().header.players)
    seat, t_ns, within_ns = int(command["seat"]), int(command["t_ns"]), int(command["within_ms"]) * MS
    if seat >= players:
        raise BadInputError("error.service.nobody_sits_there")
    if "came_ns" in command and isinstance(device_admin, DatesRings):
        arrival = Arrival(int(command["came_ns"]), int(command["half_ns"]))
        taken = device_admin.ring_that_came(seat, t_ns, within_ns, arrival)
    else:
        taken = device_admin.ring(seat, t_ns, within_ns)
    if not taken:
        controller.say("bell", {"seat": seat})


def name_ringer(controller: GameController, seat: object) -> None:
    """Say who rang.

    Raises:
        BadInputError: no game is played, or there is no such seat.
    """
    with controller.lock:
        question = controller.playing().question()
        which = {} if question is None or question.kind != "who_rang" else {"ring_t_ns": question.t_ns}
        controller.say("ringer", {"seat": seat, **which})


def tell(controller: GameController, event: object) -> list[dict[str, Any]]:
    """Take an event with its keys of the outside contract, and give what was ruled.

    Raises:
        BadInputError: it is none of this game's.
    """
    if not isinstance(event, Mapping) or not isinstance(event.get("event"), str):
        raise BadInputError("error.engine.event_must_say_what_happened")
    data = {str(key): value for key, value in event.items() if key not in ("event", "t_ns")}
    return [dict(ruling) for ruling in controller.say(str(event["event"]), data).rulings]


def correct(controller: GameController, command: Mapping[str, Any]) -> int:
    """Correct an event, or what led to a ruling, of this game or a past one; gives how many rulings are others now.

    Raises:
        BadInputError: there is no such event or ruling, or it cannot be so.
    """
    data = command.get("with")
    if data is not None and not isinstance(data, Mapping):
        raise BadInputError("error.service.correction_says_what_is_right")
    with controller.lock:
        ident = str(command.get("event", command.get("ruling")))
        play = controller.game_of(ident)
        number = play.log.event_number(ident) if "event" in command else play.log.about_id(ident)
        change = controller.correct(number, data, play)
    return len({place for place, _ in (*change.gone, *change.new)})


def answer(controller: GameController, question: str, number: object) -> None:
    """Take an answer to what the watcher asks; what was told instead meanwhile is corrected.

    Raises:
        BadInputError: that is asked no more, or so much came after it that the answer has no place among it.
    """
    with controller.lock:
        play = controller.playing()
        asked = {play.question_id(doubt): doubt for doubt in play.doubts}
        doubt = asked.get(question)
        if doubt is None or not isinstance(number, int) or not 0 <= number < len(doubt.answers):
            raise BadInputError("error.service.that_is_not_asked_any")
        given, watcher = doubt.answers[number], play.watcher
        if isinstance(watcher, Doubts):
            watcher.answered(doubt)
        told = _told(play, doubt)
        gone_on = not told or any(record.is_of_game for record in play.log.since(told[-1]))
        if doubt.told and len(given.events) > len(told) and gone_on:
            # Said now, it would be judged as if it had happened now: a foul of nobody's.
            raise BadInputError("error.service.play_has_gone_on_since")
        for at, event in enumerate(given.events):
            data = {key: value for key, value in event.data.items() if key != "event"}
            if at < len(told):
                controller.correct(told[at], {"event": event.kind, **data})
            else:
                controller.say(event.kind, data)
        for number_told in told[len(given.events) :]:
            controller.correct(number_told, None)
        controller.settled()


def _told(play: LiveGame, doubt: Doubt) -> list[int]:
    """Give the numbers of the events that the watcher told because nobody answered."""
    wanted = [(event.kind, dict(event.data)) for event in doubt.told]
    numbers: list[int] = []
    for number, record in reversed(play.log.records.items()):
        if wanted and (record.event.kind, dict(record.event.data)) == wanted[-1]:
            wanted.pop()
            numbers.insert(0, number)
    return [] if wanted else numbers


def look_again(controller: GameController, ruling: str) -> None:
    """Challenge a ruling (C11): hands are counted anew, others are said again; their pictures are kept for long.

    Raises:
        BadInputError: there is no such ruling.
    """
    with controller.lock:
        play = controller.playing()
        _, ruled = play.log.ruling(ruling)
        controller.journal.dispute(play.log.row.game, play.log.about_id(ruling))
        if ruled["ruling"] == "hand":
            controller.say("challenge", {"seat": ruled["seat"]})
            return
        controller.journal.flush()
        header = play.log.header
        controller.voice.tell(*Announcer(header.game, header.players, controller.language).sentences(ruled))
