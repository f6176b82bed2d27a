"""What each look of the finder for cards of any deck earns: pictures are searched without one look at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from referee.bench.finding import FoundCard, judge_found
from referee.bench.truth import TruePicture
from referee.bench.yardstick import yardstick
from vision.unknown.find_cards import find_cards
from vision.unknown.looks import ALL, Look

PLAIN = 0.9
_TIMES = 3

Load = Callable[[TruePicture], NDArray[np.uint8]]


@dataclass(frozen=True)
class Earned:
    """What came of all pictures without one look, None: with all of them.

    plain, covered: cards found that show 90 % and more, and less; of so many. false: what is found and is no card.
    yardsticks: the median of a picture. lines: of the look's module.
    """

    look: Look | None
    plain: int
    covered: int
    plain_of: int
    covered_of: int
    false: int
    yardsticks: float
    lines: int

    def as_json(self) -> dict[str, object]:
        """Give it for a line of output."""
        return {**vars(self), "look": None if self.look is None else self.look.value}


def left_out(pictures: Sequence[TruePicture], load: Load, looks: Sequence[Look]) -> Iterator[Earned]:
    """Search all pictures with all looks, then without each of some."""
    for look in (None, *looks):
        plain = covered = plain_of = covered_of = false = 0
        times = []
        for picture in pictures:
            image = load(picture)
            start = process_time()
            cards = find_cards(image, without=ALL if look is None else frozenset({look})).corners_px
            times.append((process_time() - start) / _yardstick_s(image))
            verdict = judge_found(picture, [FoundCard(np.asarray(corners, np.float64)) for corners in cards], 0.0)
            false += len(verdict.false)
            for card, _, outcome in verdict.outcomes:
                is_plain, is_found = card.visible >= PLAIN, outcome == "found"
                plain_of, covered_of = plain_of + is_plain, covered_of + (not is_plain)
                plain, covered = plain + (is_plain and is_found), covered + (not is_plain and is_found)
        median = round(float(np.median(times)), 1)
        yield Earned(look, plain, covered, plain_of, covered_of, false, median, _lines(look))


def _yardstick_s(image: NDArray[np.uint8]) -> float:
    times = []
    for _ in range(_TIMES):
        start = process_time()
        yardstick(image)
        times.append(process_time() - start)
    return max(min(times), 1e-5)


def _lines(look: Look | None) -> int:
    spec = None if look is None else find_spec(f"vision.unknown.{look.value}")
    return 0 if spec is None or spec.origin is None else len(Path(spec.origin).read_text().splitlines())
