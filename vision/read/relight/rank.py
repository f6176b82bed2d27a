"""Ranks the pictures of a deck by a first rough fit of light to a framed card: only the likeliest are fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.read.relight.model import ArtFields, CardPixels, Light, LightModel


@dataclass(frozen=True)
class LightRankParams:
    """Parameters of the first ranking by light; odds are log-odds."""

    # the white and the veil
    starts: tuple[tuple[float, float]] = ((1.0, 0.1),)
    bleached_starts: tuple[tuple[float, float], tuple[float, float], tuple[float, float]] = (
        (1.0, 0.3),
        (1.0, 0.6),
        (2.0, 0.4),
    )
    far: float = (
        40.0  # log-odds by which a picture is behind after a round of fitting that the next one does not make up for
    )
    # Number of pictures, of bleached cards and of others, and the log-odds behind the best at which to stop.
    bleached_rivals: int = 5
    rivals: int = 4
    hopeless: float = 25.0


LIGHT_RANK = LightRankParams()


@dataclass(frozen=True, eq=False)
class Ranked:
    """A picture, by its number, that a frame may show at a turn, with its score and its light's amounts."""

    score: float
    picture: int
    turn: int
    amounts: Floats


@dataclass(frozen=True, eq=False)
class _Start:
    """All pictures at one turn, fitted for a round."""

    turn: int
    seen: CardPixels
    light: Light
    scores: Floats


class Ranking:
    """Ranks pictures by some of their cells: `fields` of each, and all their places (2, cells), -1 to 1 over a card."""

    def __init__(self, fields: Sequence[ArtFields], places: Singles, some: Flags) -> None:
        self._some = some
        self._model = LightModel(*places[:, some])
        self._all = ArtFields(
            np.stack([one.art[:, some] for one in fields]),
            np.stack([one.ways[:, some] for one in fields]),
            np.stack([one.noise[some] for one in fields]),
        )

    def likeliest(self, views: Mapping[int, CardPixels]) -> Iterator[Ranked]:
        """Yield the pictures worth fitting, two at least, the likeliest first; `views`: the frame at each turn.

        Under a hand a picture may look likelier upside down; the same turn as the best one is given, too.
        """
        bleached = any(seen.bleached for seen in views.values())
        ranked = sorted(self._ranked(views), key=lambda one: -one.score)
        chosen: set[tuple[int, int]] = set()
        turns: dict[int, int] = {}
        for one in ranked:
            # Where little is left of a picture it may look likelier upside down.
            key = (one.picture, one.turn if bleached else 0)
            if key not in chosen and (len(turns) < 2 or one.score > ranked[0].score - LIGHT_RANK.hopeless):
                chosen.add(key)
                turns.setdefault(one.picture, one.turn)
                yield one
            if len(chosen) >= (LIGHT_RANK.bleached_rivals if bleached else LIGHT_RANK.rivals) and len(turns) > 1:
                break
        for one in ranked:
            if not bleached and one.turn == ranked[0].turn != turns.get(one.picture, one.turn):
                yield one

    def _ranked(self, views: Mapping[int, CardPixels]) -> Iterator[Ranked]:
        starts = [self._start(turn, seen.take(self._some), by) for turn, seen in views.items() for by in _starts(seen)]
        worth = max(float(start.scores.max()) for start in starts) - LIGHT_RANK.far
        for start in starts:
            scores, amounts = start.scores.copy(), start.light.amounts.copy()
            near = np.flatnonzero(scores > worth)
            if len(near):
                known = start.seen.known
                light = self._model.fitted(self._all.take(near), start.seen, known, amounts[near], 1)
                scores[near], amounts[near] = light.score(known), light.amounts
            for picture, score in enumerate(scores):
                yield Ranked(float(score), picture, start.turn, amounts[picture])

    def _start(self, turn: int, seen: CardPixels, by: tuple[float, float]) -> _Start:
        amounts = np.tile(self._model.start(*by), (len(self._all.art), 1))
        light = self._model.fitted(self._all, seen, seen.known, amounts, 1)
        return _Start(turn, seen, light, light.score(seen.known))


def _starts(seen: CardPixels) -> tuple[tuple[float, float], ...]:
    return LIGHT_RANK.bleached_starts if seen.bleached else LIGHT_RANK.starts
