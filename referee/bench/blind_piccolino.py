"""Rings at Piccolino on drawn tables of which the referee is not shown all that counts."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice

from hardware.camera.frames import Frame
from referee.bench.blind import BlindSetting, Trial
from referee.bench.blind_piles import PilesShown, piles_shown
from referee.bench.blind_views import View, bare_floor, covered_lens, disguised, half_table, without_markers
from referee.bench.strange_art import STRANGE_TO_PICCOLINO, backs_up, checked_back, choose
from referee.decks.finding import find_print_deck
from simulation.art import CardArt
from simulation.view import view_of

_FIRST_S, _LAST_S = 1.0, 12.0  # of the script, in which seven cards are turned

Laid = tuple[str, PilesShown]


def wrong_deck(setting: BlindSetting) -> Iterator[Trial]:
    """All clowns are another deck's, backs and all, or those of two colours."""

    def lay(luck: random.Random, seed: int) -> Laid:
        name, paint = choose(luck, STRANGE_TO_PICCOLINO)
        every, backs = luck.random() < 0.5, luck.random() < 0.5
        faces = [face.id for face in find_print_deck("piccolino").fronts]
        colours = luck.sample(sorted({face.split("-")[0] for face in faces}), 2)
        some = [face for face in faces if every or face.split("-")[0] in colours]
        disguise = disguised(paint, some, checked_back if every and backs else None)
        what = f"{name}, {'all' if every else ' and '.join(colours)}{', other backs' if every and backs else ''}"
        return what, piles_shown(seed, _plain, frozenset(some), disguise)

    return _rings("wrong deck", setting, lay)


def wrong_side(setting: BlindSetting) -> Iterator[Trial]:
    """All cards are laid with their backs up, or those of two colours."""

    def lay(luck: random.Random, seed: int) -> Laid:
        faces = [face.id for face in find_print_deck("piccolino").fronts]
        colours = luck.sample(sorted({face.split("-")[0] for face in faces}), 2)
        every = luck.random() < 0.5
        some = frozenset(face for face in faces if every or face.split("-")[0] in colours)
        disguise: Callable[[CardArt], CardArt] = disguised(backs_up, some)
        return "backs up" if every else f"{' and '.join(colours)} backs up", piles_shown(seed, _plain, some, disguise)

    return _rings("wrong side", setting, lay)


def covered(setting: BlindSetting) -> Iterator[Trial]:
    """From some time on a hand or a cloth lies over the lens."""
    return _rings("covered lens", setting, lambda luck, seed: _viewed(luck, seed, covered_lens(luck), "covered"))


def half(setting: BlindSetting) -> Iterator[Trial]:
    """From the start, or from some time on, the camera shows a part of the table only."""
    return _rings(
        "half the table", setting, lambda luck, seed: _viewed(luck, seed, half_table(luck), "half", always=0.5)
    )


def frozen(setting: BlindSetting) -> Iterator[Trial]:
    """From some time on the camera gives one picture again and again."""

    def lay(luck: random.Random, seed: int) -> Laid:
        since_s = luck.uniform(_FIRST_S, _LAST_S)
        return f"since {since_s:.1f} s", piles_shown(seed, _Frozen(since_s))

    return _rings("frozen camera", setting, lay)


def old_picture(setting: BlindSetting) -> Iterator[Trial]:
    """The camera halts again and again for up to three seconds."""

    def lay(luck: random.Random, seed: int) -> Laid:
        halt_s, every_s = luck.uniform(0.3, 3.0), luck.uniform(1.5, 5.0)

        def shown(frame: Frame) -> Frame | None:
            return None if math.fmod(frame.exposure_end_ns / 1e9, every_s + halt_s) > every_s else frame

        return f"halts of {halt_s:.1f} s each {every_s:.1f} s", piles_shown(seed, shown)

    return _rings("old picture", setting, lay)


def recording_ended(setting: BlindSetting) -> Iterator[Trial]:
    """From some time on no picture comes any more."""

    def lay(luck: random.Random, seed: int) -> Laid:
        until_s = luck.uniform(_FIRST_S, _LAST_S)

        def shown(frame: Frame) -> Frame | None:
            return frame if frame.exposure_end_ns < until_s * 1e9 else None

        return f"at {until_s:.1f} s", piles_shown(seed, shown)

    return _rings("recording ended", setting, lay)


def no_table(setting: BlindSetting) -> Iterator[Trial]:
    """No table is in sight from the start, or from some time on: the floor is filmed, or marker cards are covered."""

    def lay(luck: random.Random, seed: int) -> Laid:
        what = luck.choice(("the floor", "no marker cards", "one marker card"))
        if what == "the floor":
            return _viewed(luck, seed, bare_floor(luck), what, always=0.5)
        probe = piles_shown(seed, _plain).table.table
        script = probe.script
        camera = view_of(script.area_mm, probe.shots.size, probe.shots.look)
        gone = 3 + (what == "no marker cards")
        return _viewed(luck, seed, without_markers(camera, script.markers, script.area_mm, gone), what, always=0.5)

    return _rings("no table", setting, lay)


def _rings(kind: str, setting: BlindSetting, lay: Callable[[random.Random, int], Laid]) -> Iterator[Trial]:
    """Lay table after table until there are enough rings."""

    def all_of_them() -> Iterator[Trial]:
        for number in count():
            seed = setting.seed * 1000 + number
            luck = random.Random(seed)
            what, table = lay(luck, seed)
            for ring in table.rings(luck):
                yield Trial(kind, f"piccolino, {what}, table {seed}, {ring.at_s:.2f} s", ring.outcome, ring.said)

    return islice(all_of_them(), setting.trials)


def _viewed(luck: random.Random, seed: int, view: View, what: str, *, always: float = 0.0) -> Laid:
    since_s = 0.0 if luck.random() < always else luck.uniform(_FIRST_S, _LAST_S)

    def shown(frame: Frame) -> Frame | None:
        return frame if frame.exposure_end_ns < since_s * 1e9 else replace(frame, image=view(frame.image))

    return f"{what} since {since_s:.1f} s", piles_shown(seed, shown)


def _plain(frame: Frame) -> Frame | None:
    return frame


class _Frozen:
    """Gives the last picture before some time instead of all that follow."""

    def __init__(self, since_s: float) -> None:
        self._since_ns = since_s * 1e9
        self._last: Frame | None = None

    def __call__(self, frame: Frame) -> Frame | None:
        if frame.exposure_end_ns < self._since_ns or self._last is None:
            self._last = frame
            return frame
        return replace(frame, image=self._last.image)
