"""A function that fails once, of all ways in a way that nobody expects, and then does its work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class UnexpectedError(Exception):
    """An error that no part of the program knows."""


class FailsOnce:
    """Stands in for a function. failed, worked: set once it has."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work
        self.failed = threading.Event()
        self.worked = threading.Event()

    def __call__(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 (whatever the function has)
        if not self.failed.is_set():
            self.failed.set()
            raise UnexpectedError("a fault that nobody expects")
        done = self._work(*args, **named)
        self.worked.set()
        return done
