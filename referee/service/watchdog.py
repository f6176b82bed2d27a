"""What systemd is told (sd_notify): that the referee is ready, and, as long as it really works, that it is alive.

A referee that hangs is started anew. One that reads a hard picture on a slow machine does not hang: signs come from the
steps of a reading, too, unless these have no end. A camera that is missing is no reason to start anew, as no restart
brings it back; one whose driver hangs is, for only a new process can open it again, but once an hour at most, so that
play goes on between.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from referee.errors import RingmasterError
from referee.files import write_whole
from vision.effort import MOST, heard_by

SECOND_NS = 1_000_000_000
HOUR_NS = 3600 * SECOND_NS
_MARK = "camera-restart"
_ENDLESS = 10 * MOST  # steps: no reading takes so many, so that one which does goes round in circles


def boot_id() -> str:
    """Give what names this start of the machine: its monotonic clock means nothing in another."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        # Then every process is taken for a new start, which is safe: the game's clock begins after the rest.
        return os.urandom(16).hex()


def notify(state: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send systemd a line such as "READY=1"; False if nobody wants to know or it cannot be sent."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.sendto(state.encode(), address)
        return True
    return False


def interval_ns(environment: Mapping[str, str] = os.environ) -> int | None:
    """Give how often systemd wants a sign of life, ns; None if it does not."""
    given = environment.get("WATCHDOG_USEC", "")
    meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(given) * 1000 if meant and given.isascii() and given.isdecimal() and int(given) > 0 else None


class Watchdog:
    """Gives the sign of life; `round_done` is called by the thread that makes the rulings, after each of its rounds.

    every_ns: at least how often the sign is wanted; None: never. camera_hangs: whether only a new process can open the
    camera again. folder: where it is noted that this has been tried. boot: names the clock's start. clock: monotonic.
    """

    def __init__(
        self,
        every_ns: int | None,
        camera_hangs: Callable[[], bool],
        folder: Path,
        boot: str,
        send: Callable[[str], bool] = notify,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._every_ns = every_ns
        self._camera_hangs = camera_hangs
        self._mark = folder / _MARK
        self._boot = boot
        self._send = send
        self._clock = clock
        self._sent_ns: int | None = None
        self._given_up = False

    def reading(self) -> AbstractContextManager[None]:
        """Give the sign also as long as readings in here, on this thread, take steps towards their end."""
        return heard_by(self._step_taken)

    def _step_taken(self, steps: float) -> None:
        if steps < _ENDLESS:
            self.round_done(self._clock())

    def round_done(self, now_ns: int) -> None:
        """Give the sign if it is due and deserved."""
        if self._every_ns is None or self._given_up:
            return
        if self._sent_ns is not None and now_ns - self._sent_ns < self._every_ns // 4:
            return
        if self._camera_hangs() and self._may_restart(now_ns):
            self._given_up = True
            return
        self._sent_ns = now_ns
        self._send("WATCHDOG=1")

    def _may_restart(self, now_ns: int) -> bool:
        """Whether a restart for the camera's sake has not been tried for an hour; notes that it is."""
        try:
            boot, _, tried = self._mark.read_text(encoding="ascii").partition(" ")
            if boot == self._boot and tried.isdecimal() and now_ns - int(tried) < HOUR_NS:
                return False
        except (OSError, ValueError):
            pass
        try:
            write_whole(self._mark, f"{self._boot} {now_ns}".encode("ascii"))
        except RingmasterError:
            # Without a note it would be tried for ever.
            return False
        return True
