"""What systemd is told: alive while the referee really works, and a restart for a camera that hangs, once an hour."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from referee.service.watchdog import HOUR_NS, Watchdog, interval_ns, notify

S = 1_000_000_000


class Systemd:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, line: str) -> bool:
        self.lines.append(line)
        return True


def test_every_round_that_is_due_gives_a_sign_and_no_round_gives_none(tmp_path: Path) -> None:
    systemd = Systemd()
    dog = Watchdog(20 * S, lambda: False, tmp_path, "boot", systemd)
    for second in range(60):
        dog.round_done(second * S)
    assert systemd.lines == ["WATCHDOG=1"] * 12


def test_without_a_watchdog_nothing_is_sent(tmp_path: Path) -> None:
    systemd = Systemd()
    Watchdog(None, lambda: True, tmp_path, "boot", systemd).round_done(S)
    assert systemd.lines == []


def test_a_camera_that_hangs_ends_the_signs_once_an_hour(tmp_path: Path) -> None:
    systemd = Systemd()
    first = Watchdog(20 * S, lambda: True, tmp_path, "boot", systemd)
    for second in range(0, 60, 6):
        first.round_done(100 * S + second * S)
    assert systemd.lines == []
    again = Watchdog(20 * S, lambda: True, tmp_path, "boot", systemd)
    again.round_done(200 * S)
    assert systemd.lines == ["WATCHDOG=1"]
    later = Watchdog(20 * S, lambda: True, tmp_path, "boot", systemd)
    later.round_done(100 * S + HOUR_NS)
    assert len(systemd.lines) == 1


def test_after_the_machine_was_off_it_may_be_tried_again(tmp_path: Path) -> None:
    systemd = Systemd()
    Watchdog(20 * S, lambda: True, tmp_path, "boot", systemd).round_done(100 * S)
    Watchdog(20 * S, lambda: True, tmp_path, "another", systemd).round_done(101 * S)
    assert systemd.lines == []


def test_where_nothing_can_be_noted_it_is_not_tried_for_ever(tmp_path: Path) -> None:
    systemd = Systemd()
    Watchdog(20 * S, lambda: True, tmp_path / "missing", "boot", systemd).round_done(100 * S)
    assert systemd.lines == ["WATCHDOG=1"]


def test_systemd_hears_what_is_sent(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        assert notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert listener.recv(100) == b"READY=1"
    assert not notify("READY=1", {})
    assert not notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "nobody")})


def test_the_interval_is_what_systemd_says_for_this_process() -> None:
    assert interval_ns({"WATCHDOG_USEC": "20000000"}) == 20 * S
    assert interval_ns({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": str(os.getpid())}) == 20 * S
    assert interval_ns({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"}) is None
    assert interval_ns({"WATCHDOG_USEC": "soon"}) is None
    assert interval_ns({}) is None
