"""What the tests share."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Generator

import pytest
from hypothesis import settings

# A worker a core: more threads only wait for each other. OpenCV looks at it when it is imported.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

import referee.start  # noqa: F401  (as the command does: numpy with one thread)
from vision.deck import Deck, load_deck

# No test asserts what a clock says: on a busy machine any of them may wait for long.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")


# A test may take 5 s of processor; a busy machine takes up to three times as long for the same work.
MOST_S, BUSY = 5.0, 3.0


def _processor_s() -> float:
    """Seconds of processor that this process has taken, and the processes that it started and that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that passes, but takes long and is not marked: the whole suite is to take four minutes."""
    before = _processor_s()
    yield
    spent_s = _processor_s() - before
    if spent_s > MOST_S * BUSY and item.get_closest_marker("nightly") is None:
        pytest.fail(f"it took {spent_s:.0f} s of processor: make it shorter, or mark it nightly", pytrace=False)


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")
