"""One trial of a damaged file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


def _nothing_wrong(_answers: Sequence[str]) -> str | None:
    return None


@dataclass(frozen=True)
class Trial:
    """A damaged file that lies ready.

    what: the file, and what was done to it, in words. commands: the arguments of `ringmaster`, one command after the
    other. check: says what is wrong with their answers on standard output, None where nothing is.
    """

    what: str
    commands: tuple[tuple[str, ...], ...]
    check: Callable[[Sequence[str]], str | None] = _nothing_wrong
