"""What systemd is told: alive while the referee really works, and a restart for a camera that hangs, once an hour."""

from __future__ import annotations

import os
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from referee.service.watchdog import HOUR_NS, Watchdog, interval_ns, notify
from vision.effort import MOST, counted, spend

S = 1_000_000_000


def signs(folder: Path, seconds: range, hangs: bool = True, boot: str = "boot", every_ns: int | None = 20 * S) -> int:
    """How many signs of life rounds at these seconds give."""
    lines: list[str] = []
    dog = Watchdog(every_ns, lambda: hangs, folder, boot, lambda line: not lines.append(line))
    for second in seconds:
        dog.round_done(second * S)
    assert set(lines) <= {"WATCHDOG=1"}
    return len(lines)


def test_every_round_that_is_due_gives_a_sign_and_a_camera_that_hangs_ends_them_once_an_hour(tmp_path: Path) -> None:
    assert signs(tmp_path, range(60), hangs=False) == 12
    assert signs(tmp_path, range(60), every_ns=None) == 0
    assert signs(tmp_path, range(100, 160, 6)) == 0
    assert signs(tmp_path, range(200, 201)) == 1
    assert signs(tmp_path, range(100 + HOUR_NS // S, 101 + HOUR_NS // S)) == 0
    # After the machine was off it may be tried again; where nothing can be noted, it is not tried for ever.
    assert signs(tmp_path, range(101, 102), boot="another") == 0
    assert signs(tmp_path / "missing", range(100, 101)) == 1


@pytest.mark.parametrize(
    ("said", "interval"),
    [
        ({"WATCHDOG_USEC": "20000000"}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": str(os.getpid())}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_interval_is_what_systemd_says_for_this_process(said: dict[str, str], interval: int | None) -> None:
    assert interval_ns(said) == interval


def test_systemd_hears_what_is_sent(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        assert notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert listener.recv(100) == b"READY=1"
    assert not notify("READY=1", {})
    assert not notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "nobody")})


@pytest.mark.parametrize(("steps", "alive"), [(MOST, True), (20 * MOST, False)])
def test_a_hard_picture_on_a_slow_machine_gives_signs_of_life_and_an_endless_one_none(
    tmp_path: Path, steps: int, alive: bool
) -> None:
    signs_ns = [100 * S]
    now_ns = 100 * S
    dog = Watchdog(20 * S, lambda: False, tmp_path, "boot", lambda _: not signs_ns.append(now_ns), lambda: now_ns)
    with dog.reading(), counted():
        for _ in range(steps // 1000):
            # Each step of a reading takes a millisecond, which is hundreds of times the usual.
            now_ns += S
            spend(1000)
        # A reading that hangs gives no sign.
        before = len(signs_ns)
        now_ns += 60 * S
    assert len(signs_ns) == before
    longest_ns = max(after - before for before, after in pairwise([*signs_ns, now_ns - 60 * S]))
    assert (longest_ns < 20 * S) is alive
