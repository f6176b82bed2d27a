"""What pages tell: a press on a phone that is a bell, who rang, and events of games that are played by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.settings import MS
from referee.errors import BadInputError
from referee.service.desk import Data
from referee.service.fitting import Fitting
from referee.service.stage import Stage


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
