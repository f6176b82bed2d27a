"""A whole evening on drawn tables: games while daylight fades and a lamp comes on, judged against the truth."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardware.camera.exposure import Exposure, Polygon
from hardware.camera.frames import SECOND_NS, FrameBuffer
from hardware.health import HealthBoard
from hardware.lamp import RecordedLamp
from hardware.speaker.speaker import RecordedSpeaker
from referee.bench.blind import Outcome
from referee.decks.finding import find_print_deck
from referee.demo.stepped import SteppedTable
from referee.games.confetti import demo as confetti_script
from referee.games.confetti.score import score_hand
from referee.games.confetti.table_score import card_of
from referee.games.piccolino import demo as piccolino_script
from referee.games.registry import watcher_for
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.language import Language
from referee.sayings import guard as sayings
from referee.service.game_controller import GameController
from referee.service.guard.guard import LOOK_S, Guard
from referee.service.guard.mishaps import Mishap
from referee.service.settings import TableSettings
from referee.service.table_area import TableArea
from referee.service.voice import Voice
from referee.watchers.watch_setup import WatchSetup
from simulation.evening import Evening, EveningTable
from simulation.live import Shots
from vision.deck import load_deck

PLAYERS = ("Ann", "Ben", "Cem")
HEEDED_S = 1.5
"""So long people need to pause when they are told to."""
_NEAR_NS = 80_000_000
_READ_WELL = (95.0, 260.0)
"""Levels of white paper between which cards can be read."""
LIGHTS = frozenset({Mishap.DARK, Mishap.BRIGHT, Mishap.LIGHT})
_SIDE = "white"
_SHOTS = {"confetti": Shots(size=(960, 540), frames_per_s=5.0), "piccolino": Shots(size=(1120, 630), frames_per_s=20.0)}

Ruling = Mapping[str, Any]


@dataclass(frozen=True)
class EveningSetting:
    """games: which are played, in this order. heeded: whether people pause when they are told that the light changed.

    halves_s: in so many seconds half of the daylight goes. lamp_on_s: when a lamp comes on, from the first game's
    beginning.
    """

    games: tuple[str, ...] = ("confetti", "piccolino", "confetti", "piccolino")
    heeded: bool = True
    daylight: float = 4.0
    halves_s: float = 16.0
    lamp_on_s: float = 75.0
    seed: int = 1
    turns: int = 16
    shots: Mapping[str, Shots] = field(default_factory=lambda: _SHOTS)


@dataclass(frozen=True)
class EveningGame:
    """How a game went. outcomes: of each hand or ring, with what was said. told: what the guard said, s of the game.

    late_s: how long after the picture had become too dark or too bright that was said, each time; infinite: never.
    """

    game: str
    begun_s: float
    outcomes: tuple[tuple[Outcome, str], ...]
    told: tuple[tuple[float, str], ...]
    late_s: tuple[float, ...]
    settled: int


class _Eyes:
    """What the guard has of the devices: the frames, and a camera that is set up in no time."""

    def __init__(self, table: EveningTable, buffer: FrameBuffer) -> None:
        self._table, self.buffer = table, buffer
        self.settled, self.settling = 0, False
        self.camera_notes: tuple[str, ...] = ()

    def settle(self, area: Polygon | None, *, focus: bool) -> bool:
        """Set the camera up anew."""
        self._table.settle(area)
        self.settled += 1
        return True


def evening_number(seed: int, *, heeded: bool) -> EveningSetting:
    """Draw an evening: how bright its day was, how quickly that goes, and when somebody switches the lamp on."""
    luck = random.Random(seed)
    daylight, halves_s = luck.uniform(1.0, 8.0), luck.uniform(8.0, 30.0)
    return EveningSetting(
        games=tuple(luck.sample(["confetti", "piccolino", "confetti", "piccolino"], 4)),
        heeded=heeded,
        daylight=daylight,
        halves_s=halves_s,
        lamp_on_s=luck.uniform(20.0, 120.0),
        seed=seed,
    )


def play_evening(setting: EveningSetting) -> Iterator[EveningGame]:
    """Play the games one after the other; camera and light go on from each to the next."""
    begun_s, held = 0.0, None
    luck = random.Random(setting.seed)
    for game in setting.games:
        with tempfile.TemporaryDirectory(prefix="ringmaster-evening-") as folder:
            evening = Evening(setting.daylight, setting.halves_s, setting.lamp_on_s, begun_s=begun_s)
            played = _Played(game, luck.randrange(1 << 16), evening, setting, Path(folder), held)
            yield played.play()
        begun_s += played.table.script.length_s
        held = played.table.exposure, played.table.gains


class _Played:
    """One game, with all that looks on."""

    def __init__(
        self,
        game: str,
        seed: int,
        evening: Evening,
        setting: EveningSetting,
        folder: Path,
        held: tuple[Exposure, tuple[float, float, float]] | None,
    ) -> None:
        self._game, self._setting, self._begun_s = game, setting, evening.begun_s
        shots = setting.shots[game]
        if game == "confetti":
            deck = load_deck(game)
            written = confetti_script.write_confetti(deck, seed, confetti_script.Plan(heap=24))
            self.table = EveningTable(written.script, deck, seed, evening, shots)
            self._hands = [
                score_hand([card_of(deck.by_id[_SIDE, face]) for face in hand], 6).as_json()
                for hand in written.rounds[0].hands
            ]
            self._rings: Sequence[Ruling] = ()
        else:
            prints = find_print_deck(game)
            drawn = piccolino_script.write_piccolino(prints, seed, piccolino_script.Plan(turns=setting.turns))
            self.table = EveningTable(drawn.script, prints, seed, evening, shots)
            self._hands = []
            self._rings = [ruling for ruling in drawn.rulings if ruling["ruling"] == "ring"]
        if held is not None:
            self.table.exposure, self.table.gains = held
        settings = TableSettings()
        voice = Voice(lambda _: RecordedSpeaker(self._now), RecordedLamp(self._now), settings, lambda: (20, 0))
        self._journal = Journal(folder / JOURNAL)
        self._controller = GameController(
            self._journal, voice, settings, lambda header: watcher_for(header, WatchSetup()), "boot", self._now
        )
        self._rulings: list[Ruling] = []
        self._stepped: SteppedTable | None = None
        self._stepped = SteppedTable(
            self.table, seed, self._controller, lambda event, outcome: self._rulings.extend(outcome.rulings)
        )
        self._area = TableArea()
        self._eyes = _Eyes(self.table, self._stepped.buffer)
        self._health = HealthBoard()
        self._guard = Guard(self._eyes, self._controller, self._health, self._area.outline, clock=self._now)
        self._heed_s: float | None = None
        self._shown: set[str] = set()
        self._told: list[tuple[float, str]] = []
        self._late = _Late()

    def play(self) -> EveningGame:
        """Play it to its end."""
        assert self._stepped is not None
        # The table is looked at before somebody starts a game.
        first = self.table.frame(0)
        self._area.survey(first.bgr())
        self._eyes.settle(self._area.outline(), focus=False)
        self._controller.start(self._game, PLAYERS, {})
        looked_s = 0.0
        for now_s in self._stepped.play():
            self._answer(now_s)
            if now_s - looked_s >= LOOK_S:
                looked_s = now_s
                self._guard.step(self._now())
                self._heed(now_s)
        self._stepped.close()
        self._journal.close()
        outcomes = tuple(self._judged_hands() if self._game == "confetti" else self._judged_rings())
        late_s = self._late.ended()
        return EveningGame(self._game, self._begun_s, outcomes, tuple(self._told), late_s, self._eyes.settled)

    def _now(self) -> int:
        return 0 if self._stepped is None else self._stepped.clock()

    def _heed(self, now_s: float) -> None:
        """Take what the page shows of the guard's, and pause where people would who look at it."""
        before, self._shown = self._shown, {health.device for health in self._health.troubles()}
        fresh = sorted(name.removeprefix(sayings.GUARD) for name in self._shown - before)
        heard = [sayings.begun(name, Language("en")) for name in fresh]
        self._told += [(now_s, sentence) for sentence in heard]
        self._late.look(now_s, self.table.white, bool(self._guard.on & LIGHTS))
        if heard and self._heed_s is None:
            self._heed_s = now_s + HEEDED_S
        if self._setting.heeded and self._heed_s is not None and now_s >= self._heed_s:
            # The pause is over as soon as the camera is set: no card is turned in it.
            self._controller.pause(True)
            self._guard.step(self._now())
            self._controller.pause(False)
            self._heed_s = None

    def _answer(self, now_s: float) -> None:
        """Say what the players know, when they are asked."""
        play = self._controller.play
        question = None if play is None else play.question()
        if question is None or now_s - question.t_ns / SECOND_NS < HEEDED_S:
            return
        true = min(self._rings, key=lambda ring: abs(ring["t_ns"] - question.t_ns))
        if question.kind == "who_rang":
            outcome = self._controller.say("ringer", {"seat": true["seat"], "ring_t_ns": question.t_ns})
        else:
            outcome = self._controller.say("decided", {"valid": true["valid"]})
        self._rulings.extend(outcome.rulings)

    def _judged_hands(self) -> Iterator[tuple[Outcome, str]]:
        hands = {ruling["seat"]: ruling for ruling in self._rulings if ruling["ruling"] == "hand"}
        for seat, true in enumerate(self._hands):
            said = hands.get(seat)
            if said is None:
                yield "unclear", f"{PLAYERS[seat]}: nothing"
            else:
                right = all(said[key] == true[key] for key in ("sets", "unused", "points"))
                yield "right" if right else "wrong", f"{PLAYERS[seat]}: {said['points']} of {true['points']}"
        for _ in (ruling for ruling in self._rulings if ruling["ruling"] == "foul"):
            yield "wrong", "a foul"

    def _judged_rings(self) -> Iterator[tuple[Outcome, str]]:
        asked = {ruling["t_ns"]: ruling for ruling in self._rulings if ruling["ruling"] == "unclear"}
        given = [ruling for ruling in self._rulings if ruling["ruling"] == "ring" and ruling["t_ns"] not in asked]
        for true in self._rings:
            near = [one for one in given if abs(one["t_ns"] - true["t_ns"]) < _NEAR_NS]
            if not near:
                yield "unclear", f"ring at {true['t_ns'] / SECOND_NS:.1f} s"
                continue
            same = near[0]["valid"] == true["valid"] and near[0].get("colour") == true.get("colour")
            said = f"{'valid' if near[0]['valid'] else near[0].get('reason')} {near[0].get('colour', '')}".strip()
            yield "right" if same else "wrong", f"ring at {true['t_ns'] / SECOND_NS:.1f} s: {said}"


@dataclass
class _Late:
    """When white paper went beyond what can be read, and how long after that it was said so."""

    since_s: float | None = None
    now_s: float = 0.0
    counted: bool = False
    late_s: list[float] = field(default_factory=list)

    def look(self, now_s: float, white: float, said: bool) -> None:
        """Take the level of white paper now, and whether the guard has said that the light is wrong."""
        self.now_s = now_s
        if _READ_WELL[0] <= white <= _READ_WELL[1]:
            self.since_s, self.counted = None, False
            return
        self.since_s = now_s if self.since_s is None else self.since_s
        if said and not self.counted:
            self.late_s.append(now_s - self.since_s)
            self.counted = True

    def ended(self) -> tuple[float, ...]:
        """Give all delays; infinite for what was not said within two seconds up to the end."""
        never = self.since_s is not None and not self.counted and self.now_s - self.since_s > 2.0
        return (*self.late_s, *itertools.repeat(float("inf"), int(never)))
