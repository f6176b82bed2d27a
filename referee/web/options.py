"""Options of the page's server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hardware.supervised import nothing

if TYPE_CHECKING:
    from referee.lessons.lessons import Lessons

Taken = tuple[int, NDArray[np.uint8]]
"""Time of a picture, ns, monotonic clock, and the picture, (h, w, 3) uint8 BGR."""


@dataclass(frozen=True)
class WebOptions:
    """Options of the page's server.

    state_dir: the folder that stores the paired devices; None: they are kept in memory, and machine, house and backup
        are hidden.
    hosts: further names under which browsers may request the page.
    say_code: says a pairing code aloud, quickly and from any thread. prints_code: the terminal shows the code.
    most_watchers: limit of open pages. most_of_one: limit of one paired device, or of one address.
    clock: seconds of the monotonic clock, for waits after wrong codes and presses of the bell.
    newest_picture: returns the camera's newest whole picture, to find a device's mark in it; None: no camera.
    lessons: the lesson of a deck on the page; None: no lessons.
    has_room: whether people at the table can press its bell; False for a simulated table.
    """

    state_dir: Path | None = None
    hosts: tuple[str, ...] = ()
    say_code: Callable[[str], None] = nothing
    prints_code: bool = False
    most_watchers: int = 200
    most_of_one: int = 20
    clock: Callable[[], float] = time.monotonic
    newest_picture: Callable[[], Taken | None] | None = None
    lessons: Lessons | None = None
    has_room: bool = True
