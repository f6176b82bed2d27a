"""Short ways to write cards, shared by the referee's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

LETTERS = {"r": "red", "o": "orange", "y": "yellow", "g": "green", "b": "blue", "p": "purple"}

HandMaker = Callable[[str], tuple[tuple[str, str, str], ...]]


def _hand(text: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((LETTERS[card[0]], LETTERS[card[1]], LETTERS[card[2]]) for card in text.split())


@pytest.fixture(scope="session")
def hand() -> HandMaker:
    """Return the cards of "rgb gbr": small, medium and big by first letter."""
    return _hand


@pytest.fixture
def no_hands_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for nobody's hands where a test is about something else: it takes four times as long as the reading."""
    monkeypatch.setattr("referee.scoring.unseen_cards.HandsOff.doubt", lambda _, image, seated: seated)
