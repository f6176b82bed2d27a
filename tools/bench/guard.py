"""Mishaps of camera and light during play, and the guard's notice of each: `python -m tools.bench.guard`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.frames import SECOND_NS
from referee.decks.lookup import find_deck
from referee.games.confetti import demo as confetti_script
from referee.games.piccolino import demo as piccolino_script
from referee.match.monitor_pictures import Mishap, PictureMonitor
from simulation.live import LiveTable, Shots
from simulation.view import Look
from tests.support.evening import relit
from tools.bench.common import Row, command, say, timed
from vision.arrays import Image
from vision.deck import load_deck

LOOKS_PER_S = 4
IN_TIME_S = 2.0
_SIZE = (1280, 720)
_PX_PER_MM = 1.1  # of the drawn tables, approximately
_WAITS_S = 4.0
_TABLES = ("wood", "cloth", "plain", "checked", "white")

Alter = Callable[[Image], Image]


@dataclass(frozen=True)
class Noticed:
    """A mishap: its cause, and the reported mishap with its delay; None: not reported."""

    kind: str
    what: str
    after_s: float | None
    reported: str | None


def measure(mishaps: int = 140, hours: float = 0.2, seed: int = 1) -> Row:
    """Cause mishaps of all kinds in turn, and play without any; late or missing reports are unclear.

    A report without a mishap is wrong.
    """
    right, unclear, took_s = 0, 0, list[float]()
    for one in cause_mishaps(mishaps, seed):
        named = one.reported is not None and any(mishap.value == one.reported for mishap in EXPECTED[one.kind])
        if named and one.after_s is not None and one.after_s <= IN_TIME_S:
            right += 1
            took_s.append(one.after_s)
        else:
            unclear += 1
            say(vars(one))
    alarms = [(at_s, what) for quiet in play_quietly(hours, seed + 1) for at_s, what in quiet.reported]
    for at_s, what in alarms:
        say({"kind": "false alarm", "what": what, "at_s": at_s})
    return Row(mishaps, right, unclear, len(alarms), **timed(took_s, "s"))


def cause_mishaps(count: int, seed: int) -> Iterator[Noticed]:
    """Cause mishaps of all kinds in turn, each in a game of its own."""
    luck = random.Random(seed)
    names = list(KINDS)
    for number in range(count):
        kind = names[number % len(names)]
        what, alter = KINDS[kind](luck)
        table = _table(luck)
        begins_s = luck.uniform(6.0, table.script.length_s - _WAITS_S - 1)
        yield _watch(kind, what, table, alter, begins_s)


@dataclass(frozen=True)
class Quiet:
    """Play without mishaps: its length, and the guard's false reports, s of the game."""

    seconds: float
    reported: tuple[tuple[float, str], ...]


def play_quietly(hours: float, seed: int) -> Iterator[Quiet]:
    """Play games with hands, sleeves and their shadows for at least `hours`."""
    luck, played_s = random.Random(seed), 0.0
    while played_s < hours * 3600:
        table, guard = _table(luck), PictureMonitor()
        reported, on = list[tuple[float, str]](), frozenset[Mishap]()
        for t_s in _looks(0.0, table.script.length_s):
            now = guard.look(_shown(table, t_s), round(t_s * SECOND_NS))
            reported += [(t_s, mishap.value) for mishap in Mishap if mishap in now - on]
            on = now
        played_s += table.script.length_s
        yield Quiet(table.script.length_s, tuple(reported))


def _watch(kind: str, what: str, table: LiveTable, alter: Alter, begins_s: float) -> Noticed:
    guard = PictureMonitor()
    # The table before the game, and some seconds of play.
    for t_s in (0.5, 0.75, 1.0, *_looks(begins_s - 3.0, 3.0)):
        guard.look(_shown(table, t_s), round(t_s * SECOND_NS))
    for t_s in _looks(begins_s, _WAITS_S):
        before = guard.on
        begun = guard.look(alter(_shown(table, t_s)), round(t_s * SECOND_NS)) - before
        if begun:
            return Noticed(kind, what, t_s - begins_s, next(one.value for one in Mishap if one in begun))
    already = min(guard.on, key=lambda mishap: mishap.value, default=None)
    return Noticed(kind, what, None if already is None else 0.0, None if already is None else already.value)


def _index(table: LiveTable, t_s: float) -> int:
    return max(0, round(t_s * table.shots.frames_per_s) - 1)


def _table(luck: random.Random) -> LiveTable:
    seed = luck.randrange(1 << 20)
    look = Look(table=luck.choice(_TABLES), gradient=luck.uniform(0.1, 0.4), tilt_deg=luck.uniform(0, 20))
    shots = Shots(size=_SIZE, look=look)
    if luck.random() < 0.5:
        deck = load_deck("confetti")
        return LiveTable(confetti_script.write_confetti(deck, seed).script, deck, seed, shots)
    prints = find_deck("piccolino")
    plan = piccolino_script.PiccolinoPlan(players=luck.randint(2, 5), turns=12)
    return LiveTable(piccolino_script.write_piccolino(prints, seed, plan).script, prints, seed, shots)


def _shown(table: LiveTable, t_s: float) -> Image:
    return table.frame(_index(table, t_s)).image


def _looks(start_s: float, length_s: float) -> list[float]:
    return [start_s + look / LOOKS_PER_S for look in range(round(length_s * LOOKS_PER_S))]


def _light(luck: random.Random, low: float, high: float) -> tuple[str, Alter]:
    factor = float(np.exp(luck.uniform(np.log(low), np.log(high))))
    return f"{factor:.2f} of the light", lambda image: relit(image, (factor, factor, factor))


def _colour(luck: random.Random) -> tuple[str, Alter]:
    warm = luck.uniform(0.3, 0.6)
    light = (warm, (1 + warm) / 2, 1.0) if luck.random() < 0.5 else (1.0, (1 + warm) / 2, warm)
    return "light of ({:.2f}, {:.2f}, {:.2f})".format(*light), lambda image: relit(image, light)


def _lock(luck: random.Random) -> tuple[str, Alter]:
    gain = luck.choice((luck.uniform(0.2, 0.45), luck.uniform(1.6, 3.0)))
    blue, red = luck.uniform(0.7, 1.4), luck.uniform(0.7, 1.4)
    return f"gains of {gain:.2f} ({blue:.2f}, {red:.2f})", lambda image: relit(image, (gain * blue, gain, gain * red))


def _defocus(luck: random.Random) -> tuple[str, Alter]:
    sigma = luck.uniform(1.8, 6.0)
    return f"blur of {sigma:.1f} px", lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)


def _smear(luck: random.Random) -> tuple[str, Alter]:
    """Return grease on a part of the lens with a marker card in it: blur and a veil."""
    width, height = _SIZE
    place = luck.choice(((0.12, 0.15), (0.88, 0.15), (0.88, 0.85), (0.12, 0.85)))
    reach, sigma, veil = luck.uniform(0.25, 0.5), luck.uniform(2.5, 8.0), luck.uniform(0.1, 0.4)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    away = np.hypot(x - place[0] * width, y - place[1] * height) / (reach * width)
    share = np.clip(1.5 - away, 0, 1).astype(np.float32)[..., None]

    def alter(image: Image) -> Image:
        greasy = (1 - veil) * cv2.GaussianBlur(image, (0, 0), sigma) + veil * 130
        return np.asarray(np.rint(image * (1 - share) + greasy * share), np.uint8)

    return f"grease of {sigma:.1f} px and {veil:.2f}", alter


def _bump(luck: random.Random) -> tuple[str, Alter]:
    """Return a push of the camera by 2 to 30 mm on the table, with a turn by 0.2 to 5 degrees."""
    mm, way = luck.uniform(2.0, 30.0), luck.uniform(0, 2 * np.pi)
    degrees = luck.choice((-1, 1)) * float(np.exp(luck.uniform(np.log(0.2), np.log(5.0))))
    width, height = _SIZE
    turn = cv2.getRotationMatrix2D((width * luck.uniform(0.3, 0.7), height * luck.uniform(0.3, 0.7)), degrees, 1.0)
    turn[:, 2] = turn[:, 2] + np.array([np.cos(way), np.sin(way)]) * mm * _PX_PER_MM

    def alter(image: Image) -> Image:
        moved = cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REFLECT)
        return np.asarray(moved, np.uint8)

    return f"pushed by {mm:.0f} mm and {degrees:.1f} degrees", alter


def _cover(luck: random.Random) -> tuple[str, Alter]:
    """Return a hand, or a cap, on the lens, with little light coming through."""
    level, sigma = luck.uniform(2.0, 45.0), luck.uniform(60.0, 120.0)

    def alter(image: Image) -> Image:
        small = cv2.GaussianBlur(cv2.resize(image, None, fx=0.125, fy=0.125), (0, 0), sigma / 8)
        dim = small.astype(np.float32) * (level / max(1.0, float(small.mean())))
        return np.asarray(np.rint(np.clip(cv2.resize(dim, _SIZE), 0, 255)), np.uint8)

    return f"covered, {level:.0f} of 255 come through", alter


KINDS: dict[str, Callable[[random.Random], tuple[str, Alter]]] = {
    "bump": _bump,
    "cover": _cover,
    "lamp off": lambda luck: _light(luck, 0.01, 0.1),
    "lamp dimmed": lambda luck: _light(luck, 0.12, 0.42),
    "lamp on": lambda luck: _light(luck, 1.6, 6.0),
    "other colour": _colour,
    "lock lost": _lock,
    "out of focus": _defocus,
    "smear": _smear,
}
"""Alterations of a picture, by kind: the cause in words, and a function."""
EXPECTED = {
    "bump": {Mishap.MOVED},
    "cover": {Mishap.DARK},
    "lamp off": {Mishap.DARK},
    "lamp dimmed": {Mishap.DARK, Mishap.LIGHT},
    "lamp on": {Mishap.BRIGHT, Mishap.LIGHT},
    "other colour": {Mishap.LIGHT, Mishap.DARK},
    "lock lost": {Mishap.LIGHT, Mishap.DARK, Mishap.BRIGHT},
    "out of focus": {Mishap.BLURRED, Mishap.SMEARED},
    "smear": {Mishap.SMEARED, Mishap.BLURRED},
}
"""The right reports of the guard for each kind."""


if __name__ == "__main__":
    command(measure)
