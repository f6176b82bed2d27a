"""What the tests share."""

from __future__ import annotations

import pytest

from vision.deck import Deck, load_deck


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("confetti")
