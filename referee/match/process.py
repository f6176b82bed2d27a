"""Runs the process: its threads, its watchdog for systemd, its end, and switching the computer off from the page.

A referee that hangs for 20 s is started again; the hardest reading takes 2 s on a Raspberry Pi 4. A missing camera is
no reason to start again, as no restart brings it back. One whose driver hangs after it has worked is, for only a new
process can open it again.

A thread deep in OpenCV or in a camera's driver cannot be stopped. Python would wait for it or, when it returns during
the interpreter's end, abort. The journal has all announcements by then, so such a thread is left behind with the
process.

The referee itself may not restart or switch off the computer. It creates a file for which a unit of the administrator
waits (systemd/ringmaster-power.path), which can do nothing else.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hardware.problems import Health, Problem
from hardware.supervised import SupervisedThread, nothing
from referee.log import LOG
from referee.phrases import phrase
from referee.sayings.service import PART

Report = Callable[[Problem], object]
LONGEST_S = 0.7
"""From the signal to the end of the process at the latest, s: systemd and people wait for less than 2."""
ANSWER_S = 0.5
"""Time for the answer to reach the page."""
TAKEN_S = 4.0
_LOOK_S = 0.05
FILES = {"reboot": "reboot", "shut_down": "poweroff"}


def part_thread(
    name: str, work: Callable[[], None], report: Report, on_fault: Callable[[Exception], object] = nothing
) -> SupervisedThread:
    """Return a thread, not started, whose failures `report` gets as those of a device called "part NAME".

    on_fault: called as well, before the work begins again.
    """

    def failed(fault: Exception) -> None:
        why = phrase("service.part_of_ringmaster_failed_and", part=name)
        report(Problem(PART + name, Health.POOR, why, t_ns=time.monotonic_ns()))
        on_fault(fault)

    def well() -> None:
        report(Problem(PART + name, Health.OK, t_ns=time.monotonic_ns()))

    return SupervisedThread(name, work, failed, well)


def time_of_day() -> tuple[int, int]:
    """Return the hour and the minute."""
    now = time.localtime()
    return now.tm_hour, now.tm_min


def boot_id() -> str:
    """Return the id of this start of the machine: its monotonic clock means nothing in another."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        # Then every process counts as a new start, which is safe: the game's clock begins after the break.
        return os.urandom(16).hex()


def notify(state: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send systemd a line such as "READY=1"; False if no service manager listens or it cannot be sent."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    address = address.replace("@", "\0", 1) if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.sendto(state.encode(), address)
        return True
    return False


def interval_ns(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return the interval at which systemd wants a notification, ns; None if it does not."""
    given = environment.get("WATCHDOG_USEC", "")
    meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(given) * 1000 if meant and given.isascii() and given.isdecimal() and int(given) > 0 else None


class Watchdog:
    """Notifies systemd; the thread that makes the rulings calls `worked` after each input and each round.

    every_ns: the longest interval; None: never. camera_hangs: whether only a new process can open the camera again.
    """

    def __init__(
        self, every_ns: int | None, camera_hangs: Callable[[], bool], send: Callable[[str], bool] = notify
    ) -> None:
        self._every_ns, self._camera_hangs, self._send = every_ns, camera_hangs, send
        self._sent_ns: int | None = None

    def worked(self, now_ns: int) -> None:
        """Notify if it is due, unless the camera hangs: without a sign systemd starts a new process."""
        is_due = self._sent_ns is None or (self._every_ns and now_ns - self._sent_ns >= self._every_ns // 4)
        if self._every_ns is not None and is_due and not self._camera_hangs():
            self._sent_ns = now_ns
            self._send("WATCHDOG=1")


class Shutdown:
    """Ends the process.

    leave: ends it at once with a status; returns only in tests.
    """

    def __init__(self, leave: Callable[[int], object] = os._exit, longest_s: float = LONGEST_S) -> None:
        self._leave = leave
        self._timer = threading.Timer(longest_s, self._now, (0,))
        self._timer.name = "leaving"
        self._timer.daemon = True

    def begin(self) -> None:
        """Begin the end: it comes in `longest_s` even without a call of `end`. May be called again."""
        with suppress(RuntimeError):
            self._timer.start()

    def end(self, status: int, last_words: str = "") -> None:
        """End the process at once, after its last words, if a thread is left; everything else is stopped by now."""
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if busy_threads():
            if last_words:
                print(last_words, file=sys.stderr)
            self._now(status)

    def _now(self, status: int) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        self._leave(status)


def busy_threads() -> list[threading.Thread]:
    """Return all running threads known to Python except this one."""
    return [thread for thread in threading.enumerate() if thread is not threading.current_thread()]


@dataclass(frozen=True)
class Power:
    """Restart and power-off requests to this computer.

    folder: of the requests, None where no unit waits for them. leave: ends this process, which is started again; None
    where no service manager would start it. taken_s: how long a request may wait before it is withdrawn, s.
    """

    folder: Path | None = None
    leave: Callable[[], None] | None = None
    taken_s: float = TAKEN_S

    @property
    def offers(self) -> tuple[str, ...]:
        """Return the possible requests: "restart" of the referee, "reboot" and "shut_down" of the computer."""
        return (("restart",) if self.leave else ()) + (tuple(FILES) if self.folder else ())

    def ask(self, what: str) -> bool:
        """Request one of the offers; False if no unit has taken it."""
        LOG.info("asked for: %s", what)
        if what == "restart" and self.leave is not None:
            timer = threading.Timer(ANSWER_S, self.leave)
            timer.daemon = True
            timer.start()
            return True
        if self.folder is None or what not in FILES:
            return False
        wish, end_s = self.folder / FILES[what], time.monotonic() + self.taken_s
        with suppress(OSError):
            wish.touch()
            while wish.exists() and time.monotonic() < end_s:
                time.sleep(_LOOK_S)
            is_taken = not wish.exists()
            wish.unlink(missing_ok=True)
            return is_taken
        return False


def power_here(environment: Mapping[str, str] = os.environ) -> Power:
    """Return the possible requests of this process: all of them as the installed service, none in a terminal."""
    if not environment.get("NOTIFY_SOCKET"):
        return Power()
    folder = environment.get("RUNTIME_DIRECTORY", "")
    return Power(Path(folder) if folder else None, lambda: os.kill(os.getpid(), signal.SIGTERM))
