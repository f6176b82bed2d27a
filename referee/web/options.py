"""What the page's server is told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _say_nothing(_code: str) -> None:
    """Leave the code to the screens."""


@dataclass(frozen=True)
class WebOptions:
    """How the page is served.

    state_dir: the folder in which the paired devices are remembered; None: until the server ends.
    hosts: further names under which browsers may ask for the page, beside the machine's own.
    say_code: says a pairing code aloud, quickly and from any thread.
    most_watchers: pages that may be open at once.
    clock: seconds that never go back, for waits after wrong codes.
    """

    state_dir: Path | None = None
    hosts: tuple[str, ...] = ()
    say_code: Callable[[str], None] = _say_nothing
    most_watchers: int = 200
    clock: Callable[[], float] = time.monotonic
