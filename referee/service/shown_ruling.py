"""What the page shows of one ruling, of the game that is being played or of a past one: its time line, and why."""

from __future__ import annotations

from referee.announcer import Announcer
from referee.errors import BadInputError
from referee.journal.evidence import EvidenceFolder
from referee.journal.judging import checked
from referee.journal.stored import game_numbered, kept_game, sight_of
from referee.service.desk_protocol import Data
from referee.service.explain import explanation
from referee.service.game_controller import GameController
from referee.service.game_log import GameLog, log_of
from referee.service.records import numbers_in
from referee.service.time_line import faces_of, marks_of


def time_line(controller: GameController, evidence: EvidenceFolder, ruling: str) -> Data:
    """Give the photo-finish of a ruling.

    Raises:
        BadInputError: there is no such ruling.
    """
    with controller.lock:
        log = log_named(controller, ruling)
        number = log.about_id(ruling)
        instant = log.records[number].event
        marks = marks_of(log, instant, Announcer(log.header.game, log.header.players, controller.language))
        faces = faces_of(log, instant)
    kept = evidence.of_event(log.row.game, number)
    return {
        "frames": [{"picture": one.name, "t_ms": round(one.t_ms, 1)} for one in kept],
        "marks": marks,
        "faces": faces,
        "sight": sight_of(controller.journal.read, log.row.game, number),
        "players": list(log.header.players),
    }


def explained(controller: GameController, evidence: EvidenceFolder, ruling: str) -> Data:
    """Give why a ruling is as it is, with the picture that decided.

    Raises:
        BadInputError: there is no such ruling.
    """
    with controller.lock:
        log = log_named(controller, ruling)
        record, ruled = log.ruling(ruling)
        number = log.about_id(ruling)
        why = explanation(log, record, ruled, controller.language)
        live = controller.play is not None and controller.play.log is log
    pictures = evidence.of_game(log.row.game)
    sight = sight_of(controller.journal.read, log.row.game, number)
    header = log.header
    game = {"game": header.game, "players": list(header.players), "options": dict(header.options)}
    return {**why, "picture": pictures.get(number), "sight": sight, "past": not live, "game": game}


def log_named(controller: GameController, ident: str) -> GameLog:
    """Give the game that a ruling is of: the one that is being played, or a past one.

    Raises:
        BadInputError: there is no such game.
    """
    game = next(iter(numbers_in(ident)), None)
    if controller.play is not None and controller.play.log.row.game == game:
        return controller.play.log
    row = None if game is None else game_numbered(controller.journal.read, game)
    if row is None:
        raise BadInputError("error.service.there_is_no_such_game")
    return log_of(checked(kept_game(controller.journal.read, row), past=True).kept)
