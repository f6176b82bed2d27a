"""What the tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A worker a core: more threads only wait for each other. OpenCV looks at it when it is imported.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

import referee.start  # noqa: F401  (as the command does: numpy with one thread)
from vision.deck import Deck, load_deck

# No test asserts what a clock says: on a busy machine any of them may wait for long.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the long tests, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--nightly"):
        for item in items:
            if item.get_closest_marker("nightly"):
                item.add_marker(pytest.mark.skip(reason="takes long: run with --nightly"))


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")
