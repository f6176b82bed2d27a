"""Validates a deck's description, value by value."""

from __future__ import annotations

import re

_LONGEST_TEXT = 80
_PAINT = re.compile("#[0-9a-fA-F]{6}")

LEAST_CARD_MM, MOST_CARD_MM = 10.0, 1000.0
"""Range of a card's sides, mm: cameras do not read smaller cards, and larger ones fit no table."""


def number(value: object, name: str, least: float, most: float) -> float:
    """Return a number within bounds.

    Raises:
        ValueError: the value is not one.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f'"{name}" must be a number from {least:g} to {most:g}')
    return float(value)


def text(value: object, name: str) -> str:
    """Return a short text on one line that can be part of a file's name.

    Raises:
        ValueError: the value is not one.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_TEXT or not value.isprintable() or "/" in value:
        raise ValueError(f'"{name}" must be a short text')
    return value


def paint(value: object, name: str) -> str:
    """Return a colour, `#rrggbb`.

    Raises:
        ValueError: the value is not one.
    """
    if not isinstance(value, str) or not _PAINT.fullmatch(value):
        raise ValueError(f'"{name}" must be a colour like #d7263d')
    return value


def card_size(value: object) -> tuple[float, float]:
    """Return a card's width and height, mm.

    Raises:
        ValueError: the value is not a size of a card.
    """
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError('"card_mm" must be two numbers')
    width, height = (number(side, "card_mm", LEAST_CARD_MM, MOST_CARD_MM) for side in value)
    return width, height


def why_broken(error: Exception) -> str:
    """Return the fault of a description in words."""
    if isinstance(error, KeyError):
        return f"{error} is not there"
    return str(error) if type(error) is ValueError else f"{type(error).__name__} {error}"
