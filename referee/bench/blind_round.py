"""A round of Confetti on a drawn table, watched, counted and compared with the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hardware.camera.frames import SECOND_NS
from hardware.camera.watch import CameraWatch
from hardware.events import SandFlipped, SandRanOut, Witness
from referee.bench.blind import Outcome
from referee.bench.blind_views import Image
from referee.engine.events import Event, Header
from referee.engine.session import Outcome as Heard
from referee.engine.session import Session
from referee.games.confetti.demo import SIDE, ConfettiGame, Plan, write_confetti
from referee.games.confetti.score import score_hand
from referee.games.confetti.table_score import card_of
from referee.games.registry import game_kind, watcher_for
from referee.watchers.watch_setup import WatchSetup
from simulation.art import CardArt
from simulation.live import LiveTable, Shots
from vision.deck import Deck, load_deck

PLAYERS = ("Ann", "Ben", "Cem")
PLAN = Plan(heap=24)
_LIMIT = 6
_SIZE = (1120, 630)
_STEP_S, _BEFORE_S, _IN_IT_S, _AFTER_S = 0.2, 1.2, 1.2, 2.6
_SETTLED_S = 0.6  # after time the last hand is gone

Shown = Callable[[Image, float], Image | None]
"""What the camera gives of a picture at so many seconds after time; None: no picture comes."""


@dataclass(frozen=True)
class RoundTable:
    """A drawn round, and the options of its game."""

    game: ConfettiGame
    live: LiveTable
    deck: Deck
    options: Mapping[str, object]

    @property
    def out_s(self) -> float:
        """When the sand has run out, seconds of the script."""
        return self.game.rounds[0].out_s


@dataclass
class _Watched:
    """What a session made of it; what a camera gives goes through the same watch as in the service."""

    session: Session
    camera: CameraWatch = field(default_factory=lambda: CameraWatch(0))
    rulings: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    filmed_after_time: bool = False

    def note(self, heard: Heard) -> None:
        """Keep what an input led to."""
        self.rulings += [dict(ruling) for ruling in heard.rulings]
        self.told += [notice.kind for notice in heard.notices]


def plain(image: Image, t_s: float) -> Image | None:
    """Show the table as it is."""
    return image


def round_table(
    seed: int, disguise: Callable[[CardArt], CardArt] | None = None, options: Mapping[str, object] | None = None
) -> RoundTable:
    """Draw a round; the same seed always gives the same one."""
    deck = load_deck("confetti")
    game = write_confetti(deck, seed, PLAN)
    live = LiveTable(game.script, deck, seed, Shots(size=_SIZE), disguise=disguise)
    return RoundTable(game, live, deck, options or {})


def judge_round(table: RoundTable, shown: Shown, gap_s: float = 0.0) -> tuple[Outcome, str]:
    """Let a session watch a round through what is shown, have it counted, and compare; also give what was said.

    gap_s: no picture comes for so long before time.
    """
    watched = _watch(table, shown, gap_s)
    hands = [ruling for ruling in watched.rulings if ruling["ruling"] == "hand"]
    said = "; ".join(f"{PLAYERS[hand['seat']]} {hand['points']}" for hand in hands) or ", ".join(watched.told)
    if any(ruling["ruling"] == "foul" for ruling in watched.rulings):
        return "wrong", f"a foul; {said}"
    cards = [[card_of(table.deck.by_id[SIDE, face]) for face in hand] for hand in table.game.rounds[0].hands]
    truth = [score_hand(hand, _LIMIT).as_json() for hand in cards]
    if any(hand[key] != truth[hand["seat"]][key] for hand in hands for key in ("sets", "unused", "points")):
        return "wrong", f"{said}; true: {', '.join(str(score['points']) for score in truth)}"
    return ("right" if len(hands) == len(truth) else "unclear"), said


def _watch(table: RoundTable, shown: Shown, gap_s: float) -> _Watched:
    header = Header("confetti", PLAYERS, table.options)
    watched = _Watched(Session(game_kind("confetti").start(header), watcher_for(header, WatchSetup(find_hands=False))))
    session, flipped_s, out_s = watched.session, table.game.rounds[0].flipped_s, table.out_s
    _show(watched, table, _seconds(flipped_s - 1.0 - _BEFORE_S, _BEFORE_S), shown)
    watched.note(session.hear(SandFlipped(_ns(flipped_s), Witness.BARRIER)))
    _show(watched, table, _seconds(out_s - gap_s - _IN_IT_S, _IN_IT_S), shown)
    watched.note(session.hear(SandRanOut(_ns(out_s), SECOND_NS, Witness.BARRIER, False)))
    _show(watched, table, _seconds(out_s + _SETTLED_S, _AFTER_S), shown)
    end_s = out_s + _SETTLED_S + _AFTER_S
    if not watched.filmed_after_time:
        watched.note(session.finish(_ns(end_s)))
    if not any(ruling["ruling"] == "hand" for ruling in watched.rulings):
        watched.note(session.say(Event(_ns(end_s), "count", {"ask": True})))
        # Hands that are clear are told now, if any are.
        _show(watched, table, _seconds(end_s, 1.0), shown)
    return watched


def _show(watched: _Watched, table: RoundTable, at_s: Iterator[float], shown: Shown) -> None:
    for t_s in at_s:
        frame = table.live.frame(round(t_s * table.live.shots.frames_per_s))
        image = shown(frame.bgr(), t_s - table.out_s)
        if image is None:
            continue
        given = replace(frame, image=image)
        if watched.camera.accept(given, given.exposure_end_ns):
            watched.filmed_after_time |= t_s > table.out_s
            watched.note(watched.session.look(given))


def _seconds(start_s: float, length_s: float) -> Iterator[float]:
    for step in range(round(length_s / _STEP_S)):
        yield start_s + step * _STEP_S


def _ns(t_s: float) -> int:
    return round(t_s * SECOND_NS)
