"""The yardstick: what any machine needs for the plainest look at a picture, so that times compare between machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import process_time

import cv2
import numpy as np
from numpy.typing import NDArray


def yardstick(image: NDArray[np.uint8]) -> int:
    """Turn a picture grey, split it at Otsu's threshold and trace the contours; gives their number."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    _, split = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(split, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return len(contours)


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep OpenCV to one thread for as long as this lasts."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def in_yardsticks(
    work: Callable[[], object], image: NDArray[np.uint8], runs: int, clock: Callable[[], float] = process_time
) -> tuple[float, float]:
    """Time `work` and the yardstick on the same picture in turns; gives the median seconds of each.

    A yardstick is run before and after every run of the work, so that both see the machine in the same mood. The
    clock is this process's own: on a busy machine the wall's would count others' work, mostly in the longer one.
    """
    work_s, yardstick_s = [], [_timed(lambda: yardstick(image), clock)]
    for _ in range(runs):
        work_s.append(_timed(work, clock))
        yardstick_s.append(_timed(lambda: yardstick(image), clock))
    return median(work_s), median(yardstick_s)


def _timed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start
