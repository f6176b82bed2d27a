"""What the tests share."""

from __future__ import annotations

import os

import pytest

# A worker a core: more threads only wait for each other. OpenCV looks at it when it is imported.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

import referee.start  # noqa: F401  (as the command does: numpy with one thread)
from vision.deck import Deck, load_deck


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")
