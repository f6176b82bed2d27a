"""Rounds of Confetti on drawn tables of which the referee is not shown all that counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.events import SandFlipped, SandRanOut, Witness
from hardware.frames import SECOND_NS, Frame
from referee.bench.blind import BlindSetting, Outcome, Trial
from referee.demo.confetti_script import ConfettiGame, Plan, write_confetti
from referee.events import Event, Header
from referee.games.confetti_hand import score_hand
from referee.games.registry import game_kind
from referee.session import Outcome as Heard
from referee.session import Session
from referee.table_score import card_of
from referee.watchers.setup import WatchSetup, watcher_for
from simulation.live import LiveTable, Shots
from vision.deck import Deck, load_deck

Image = NDArray[np.uint8]
Alter = Callable[[Image, float], Image | None]
"""Gives what the camera shows of a picture, (h, w, 3) BGR, at so many seconds after time; None: no picture comes."""

PLAYERS = ("Ann", "Ben", "Cem")
_SIZE = (1120, 630)
_STEP_S, _BEFORE_S, _AFTER_S = 0.2, 1.6, 4.0
_SIDE = "white"


@dataclass
class _Round:
    """A round that is watched: what was ruled, and what the players were told."""

    session: Session
    rulings: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def no_table(setting: BlindSetting) -> Iterator[Trial]:
    """After time the picture shows no table: another room, the bare floor, or no picture comes; then "count"."""
    shown: dict[str, Alter] = {
        "no picture": lambda image, t_s: None,
        "one colour": lambda image, t_s: np.full_like(image, 120),
        "a blurred floor": lambda image, t_s: np.asarray(image[:1, :1] + 0 * image, np.uint8),
        "the marker cards taken away": lambda image, t_s: _without_edge(image),
    }
    luck = random.Random(setting.seed)
    for number in range(setting.trials):
        name = luck.choice(list(shown))
        yield judge_round("no table", name, setting.seed * 1000 + number, shown[name])


def judge_round(kind: str, what: str, seed: int, alter: Alter) -> Trial:
    """Play a round as a camera would show it, have it counted, and compare with the truth."""
    deck = load_deck("confetti")
    game = write_confetti(deck, seed, Plan(heap=24))
    table = LiveTable(game.script, deck, seed, Shots(size=_SIZE))
    played = play_round(game, table, alter)
    outcome, said = _judged(game, deck, played)
    return Trial(kind, f"{what}, table {seed}", outcome, said)


def play_round(game: ConfettiGame, table: LiveTable, alter: Alter) -> _Round:
    """Let a session watch the first round: the table before it, and after time what `alter` leaves of it."""
    header = Header("confetti", PLAYERS, {})
    round_ = _Round(Session(game_kind("confetti").start(header), watcher_for(header, WatchSetup())))
    flipped_s, out_s = game.rounds[0].flipped_s, game.rounds[0].out_s
    _show(round_, table, _seconds(flipped_s - 1.0 - _BEFORE_S, _BEFORE_S), lambda image, t_s: image, out_s)
    _note(round_, round_.session.hear(SandFlipped(_ns(flipped_s), Witness.BARRIER)))
    _note(round_, round_.session.hear(SandRanOut(_ns(out_s), SECOND_NS, Witness.BARRIER, False)))
    _show(round_, table, _seconds(out_s + 0.6, _AFTER_S), alter, out_s)
    if not any(ruling["ruling"] == "hand" for ruling in round_.rulings):
        _note(round_, round_.session.say(Event(_ns(out_s + 0.6 + _AFTER_S), "count", {"event": "count"})))
    return round_


def _judged(game: ConfettiGame, deck: Deck, played: _Round) -> tuple[Outcome, str]:
    truth = [
        score_hand([card_of(deck.by_id[_SIDE, face]) for face in hand], 6).as_json() for hand in game.rounds[0].hands
    ]
    hands = [ruling for ruling in played.rulings if ruling["ruling"] == "hand"]
    said = "; ".join(f"{PLAYERS[hand['seat']]} {hand['points']}" for hand in hands) or ", ".join(played.told)
    if any(ruling["ruling"] == "foul" for ruling in played.rulings):
        return "wrong", "a foul"
    if any(hand[key] != truth[hand["seat"]][key] for hand in hands for key in ("sets", "unused", "points")):
        return "wrong", said
    return ("right" if len(hands) == len(truth) else "unclear"), said


def _show(round_: _Round, table: LiveTable, at_s: list[float], alter: Alter, out_s: float) -> None:
    for t_s in at_s:
        index = round(t_s * table.shots.frames_per_s)
        frame: Frame = table.frame(index)
        image = alter(frame.bgr(), t_s - out_s)
        if image is not None:
            _note(round_, round_.session.look(replace(frame, image=image)))


def _note(round_: _Round, outcome: Heard) -> None:
    round_.rulings += [dict(ruling) for ruling in outcome.rulings]
    round_.told += [notice.kind for notice in outcome.notices]


def _seconds(start_s: float, length_s: float) -> list[float]:
    return [start_s + step * _STEP_S for step in range(round(length_s / _STEP_S))]


def _ns(t_s: float) -> int:
    return round(t_s * SECOND_NS)


def _without_edge(image: Image) -> Image:
    """Paint the table's colour over its rim, where the marker cards lie."""
    height, width = image.shape[:2]
    bare = image.copy()
    bare[: height // 6] = bare[-height // 6 :] = image[height // 2, width // 2]
    return bare
