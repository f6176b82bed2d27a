"""Options of the page's server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from referee.lessons.lessons import Lessons
    from referee.match.system import BackupDesk, System
    from referee.web.house import House

Taken = tuple[int, NDArray[np.uint8]]
"""Time of a picture, ns, monotonic clock, and the picture, (h, w, 3) uint8 BGR."""


def _say_nothing(_code: str) -> None:
    """Leave the code to the screens."""


@dataclass(frozen=True)
class WebOptions:
    """Options of the page's server.

    state_dir: the folder in which the paired devices are remembered; None: until the server ends.
    hosts: further names under which browsers may ask for the page, beside the machine's own.
    say_code: says a pairing code aloud, quickly and from any thread. prints_code: it stands in the terminal then.
    most_watchers: pages that may be open at once. most_of_one: of one paired device, or of one address.
    clock: seconds of the monotonic clock, for waits after wrong codes and presses of the bell.
    newest_picture: gives what the camera saw last, whole, in which a device's mark may be; None: there is no camera.
    lessons: the deck that is being taught on the page; None: none can be.
    has_room: whether people sit at the table, who can press its bell; not so where it is a simulated one.
    keeping: backs up and restores; None: nothing is.
    house: publishes to house and club; None: off.
    system: shows and changes the machine and what it keeps; None: nothing is shown of it.
    """

    state_dir: Path | None = None
    hosts: tuple[str, ...] = ()
    say_code: Callable[[str], None] = _say_nothing
    prints_code: bool = False
    most_watchers: int = 200
    most_of_one: int = 20
    clock: Callable[[], float] = time.monotonic
    newest_picture: Callable[[], Taken | None] | None = None
    lessons: Lessons | None = None
    has_room: bool = True
    house: House | None = None
    keeping: BackupDesk | None = None
    system: System | None = None
