"""A table at which random games are played against the real controller and journal until the process is killed."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hardware.lamp import NullLamp
from hardware.speaker import NullSpeaker
from referee.announcer import Announcer
from referee.engine.log import RulingData
from referee.engine.session import Session
from referee.errors import BadInputError
from referee.games import GAME_NAMES
from referee.games.coloretto.rules import Coloretto
from referee.games.confetti.rules import Confetti, Phase
from referee.games.confetti.score import COLOURS
from referee.games.piccolino.rules import OneBell, Piccolino
from referee.match.devices import Parts
from referee.match.referee import Referee
from referee.state_folder import locked
from referee.store.database import Connect
from tests.support.table_fakes import FakeDevices, Scripted, ScriptWatcher

PLAYERS = ("Ann", "Ben", "Cem")
Tell = Callable[[Mapping[str, Any]], None]
What = tuple[str, dict[str, Any]]


class Teller:
    """Reports each ruling of a game at the instant of its announcement."""

    def __init__(self, referee: Referee, report: Tell) -> None:
        self.game, self._report, self._say = 0, report, referee.announcements.rule
        referee.announcements.rule = self.rule  # type: ignore[method-assign]

    def rule(self, announcer: Announcer, rulings: Sequence[RulingData]) -> None:
        for ruling in rulings:
            self._report({"announced": dict(ruling), "game": self.game})
        self._say(announcer, rulings)


def play_until_killed(folder: Path, seed: int, pipe: int, connector: Connect) -> None:
    """Resume the game in a folder, and play on, reporting all announcements to a pipe, a JSON line each."""

    def report(what: Mapping[str, Any]) -> None:
        os.write(pipe, json.dumps(what).encode() + b"\n")

    dice, parent = random.Random(seed), os.getppid()
    with locked(folder):
        parts = Parts(
            lambda _: FakeDevices(),
            lambda *_: NullSpeaker(),
            lambda *_: NullLamp(),
            watcher=lambda header: ScriptWatcher(),
            boot=dice.choice("ab"),
            connector=connector,
        )
        referee = Referee(folder, parts)
        teller = Teller(referee, report)
        last = referee.store.read("SELECT game FROM games WHERE closed = 0 ORDER BY game DESC LIMIT 1")
        teller.game = int(last[0][0]) if last else 0
        play = referee.resume()
        if play is not None:
            report({"resumed": digest(play)})
        report({"set_aside": referee.store.set_aside is not None})
        while os.getppid() == parent:
            _step(referee, teller, dice, report)


def digest(play: Session) -> dict[str, Any]:
    count = len(play.log.corrections)
    state = state_digest(play.game, [list(record.rulings) for record in play.log.records.values()])
    return {"game": play.log.game, "corrections": count, **state}


def state_digest(game: object, rulings: Sequence[Sequence[RulingData]]) -> dict[str, Any]:
    plain = [[{key: value for key, value in one.items() if key != "frame_t_ns"} for one in some] for some in rulings]
    return {"rulings": json.loads(json.dumps(plain)), "seats": _seats(game)}


def _seats(game: object) -> list[Any]:
    match game:
        case Confetti():
            return [game.phase.value, game.number, list(game.kept)]
        case OneBell(game=Piccolino() as piccolino):
            cards = piccolino.cards
            return [list(cards.draw), list(cards.discard), list(cards.is_out), piccolino.over]
        case Coloretto():
            return [game.rows, sorted(game.taken), game.turn, [sorted(hand.items()) for hand in game.hands], game.over]
        case _:
            return []


def _step(referee: Referee, teller: Teller, dice: random.Random, report: Tell) -> None:
    play = referee.match.session
    if play is None or play.over:
        game = dice.choice(GAME_NAMES)
        teller.game = 0
        teller.game = referee.begin(game, PLAYERS, {}).log.game
        return
    try:
        if play.log.records and dice.random() < 0.04:
            _correct(referee, play, dice, report)
        elif dice.random() < 0.01:
            referee.pause(not referee.match.paused)
        else:
            kind, data = next(likely_moves(play.game, dice))
            if dice.random() < 0.7:
                referee.hear(Scripted(time.monotonic_ns(), kind, data))
            else:
                referee.say(kind, data)
    except BadInputError:
        # What makes no sense is refused, as it would be on the page; the next step makes more.
        return


def _correct(referee: Referee, play: Session, dice: random.Random, report: Tell) -> None:
    if referee.match.undoes and dice.random() < 0.4:
        referee.undo()
    else:
        number = dice.choice(list(play.log.records))
        same = dict(next(likely_moves(play.game, dice))[1])
        fits = {key: value for key, value in same.items() if key in play.log.records[number].event.data}
        referee.correct(number, fits if fits and dice.random() < 0.7 else None)
    report({"corrections": len(play.log.corrections), "game": play.log.game})


def likely_moves(game: object, dice: random.Random) -> Iterator[What]:
    while True:
        match game:
            case Confetti():
                yield _confetti(game, dice)
            case OneBell(game=Piccolino() as piccolino):
                yield _piccolino(game, piccolino, dice)
            case Coloretto():
                yield _coloretto(dice)
            case _:
                raise AssertionError(f"no moves for {game}")


def _confetti(game: Confetti, dice: random.Random) -> What:
    if game.phase is Phase.BEFORE_ROUND:
        return "timer_flipped", {}
    if game.phase is Phase.RUNNING and dice.random() < 0.2:
        return "timer_ran_out", {}
    if dice.random() < 0.05:
        return dice.choice((("contested", {}), ("challenge", {"seat": 0}), ("count", {})))
    cards = [dice.sample(COLOURS, 3) for _ in range(dice.randrange(3, 7))]
    return "hand", {"seat": dice.randrange(len(PLAYERS)), "cards": cards}


def _piccolino(one_bell: OneBell, game: Piccolino, dice: random.Random) -> What:
    question = one_bell.question()
    if question is not None and dice.random() < 0.5:
        if question.kind == "who_rang":
            return "ringer", {"seat": dice.choice(question.seats)}
        return "decided", {"valid": dice.random() < 0.5}
    if dice.random() < 0.3:
        return "bell", {"seat": dice.choice((None, 0, 1, 2))}
    turn = game.turn()
    colour, mood = dice.choice(("red", "green", None)), dice.choice(("happy", "happy", "sad"))
    return "card_shown", {"seat": 0 if turn is None else turn, "colour": colour, "mood": mood if colour else None}


def _coloretto(dice: random.Random) -> What:
    seat, row = dice.randrange(len(PLAYERS)), dice.randrange(len(PLAYERS))
    if dice.random() < 0.03:
        return "last_round", {}
    if dice.random() < 0.3:
        return "row_taken", {"seat": seat, "row": row}
    card = dice.choice(("green", "red", "blue", "yellow", "+2", "joker"))
    return "card_placed", {"seat": seat, "row": row, "card": card}
