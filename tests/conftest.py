"""What the tests share."""

from __future__ import annotations

import pytest

import referee.start  # noqa: F401  (as the command does: numpy with one thread)
from vision.deck import Deck, load_deck


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")
