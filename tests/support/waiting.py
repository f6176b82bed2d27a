"""Waiting in tests for another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 120.0


def wait_for(what: Callable[[], object], why: str = "it did not come") -> None:
    """Wait until a condition holds; fail with a reason after 120 s."""
    until = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < until, why
        time.sleep(0.005)
