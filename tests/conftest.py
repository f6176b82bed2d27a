"""What the tests share."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Generator, Iterator

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin
from hypothesis import settings

# A worker a core: more threads only wait for each other. OpenCV looks at it when it is imported.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

import referee.start  # noqa: F401  (as the command does: numpy with one thread)
from vision.deck import Deck, load_deck

# No test asserts what a clock says: on a busy machine any of them may wait for long.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")


# Goal of a test in seconds of processor; a longer one belongs to the nightly tests.
GOAL_S = 5.0


def _processor_s() -> float:
    """Seconds of processor that this process has taken, and the processes that it started and that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Note the test's seconds of processor in its report: a busy machine takes longer, so no limit fails a test."""
    before = _processor_s()
    yield
    item.user_properties.append(("processor_s", _processor_s() - before))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the ten tests that took most of the processor, where they passed the goal."""
    spent = [
        (seconds, report.nodeid)
        for report in terminalreporter.stats.get("passed", [])
        for name, seconds in report.user_properties
        if name == "processor_s" and seconds > GOAL_S
    ]
    if spent:
        title = f"{len(spent)} tests over {GOAL_S:.0f} s of processor: shorten them or mark them nightly"
        terminalreporter.section(title)
        for seconds, name in sorted(spent, reverse=True)[:10]:
            terminalreporter.write_line(f"{seconds:5.1f} s  {name}")


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    """Yield gpiozero's mock pins, which can also be dimmed."""
    made = MockFactory(pin_class=MockPWMPin)
    yield made
    made.close()
    made.reset()
