"""Kinds of arguments that several commands take."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from referee.language import LANGUAGES

_LAST_PORT = 65535


def add_language(parser: ArgumentParser, default: str | None = None) -> None:
    """Let a command be told which language it speaks; `main` heeds it, so that `language_of` gives it everywhere."""
    parser.add_argument(
        "--language", choices=LANGUAGES, default=default, help="of all that is said (default: the system's)"
    )


def seed(text: str) -> int:
    """Give the number that chance is drawn from, 0 or more.

    Raises:
        ArgumentTypeError: it is no such number.
    """
    number = _whole(text)
    if number < 0:
        raise ArgumentTypeError(f"must be at least 0, not {number}")
    return number


def port(text: str) -> int:
    """Give the number of a port; 0 stands for any that is free.

    Raises:
        ArgumentTypeError: there is no such port.
    """
    number = _whole(text)
    if not 0 <= number <= _LAST_PORT:
        raise ArgumentTypeError(f"there is no port {number}")
    return number


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"invalid int value: {text[:40]!r}") from None
