"""What systemd is told: alive while the referee really works, and a restart for a camera that hangs, once an hour."""

from __future__ import annotations

import os
import socket
from itertools import pairwise
from pathlib import Path
from threading import Thread

from referee.service.watchdog import HOUR_NS, Watchdog, interval_ns, notify
from vision.effort import MOST, counted, spend

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


class SlowMachine:
    """Each step of a reading takes a millisecond, which is hundreds of times what it takes elsewhere."""

    def __init__(self, dog_folder: Path) -> None:
        self.now_ns = 100 * S
        self.signs_ns: list[int] = []
        self.dog = Watchdog(20 * S, lambda: False, dog_folder, "boot", self._sent, lambda: self.now_ns)

    def _sent(self, line: str) -> bool:
        assert line == "WATCHDOG=1"
        self.signs_ns.append(self.now_ns)
        return True

    def read(self, steps: int) -> None:
        with self.dog.reading(), counted():
            for _ in range(steps // 1000):
                self.now_ns += S
                spend(1000)

    def longest_silence_s(self) -> float:
        times = [100 * S, *self.signs_ns, self.now_ns]
        return max(after - before for before, after in pairwise(times)) / S


def test_a_hard_picture_on_a_slow_machine_is_read_to_its_end_with_signs_of_life(tmp_path: Path) -> None:
    machine = SlowMachine(tmp_path)
    machine.read(MOST)
    assert machine.now_ns - 100 * S > 250 * S
    assert machine.longest_silence_s() < 20
    machine.read(MOST)
    assert machine.longest_silence_s() < 20


def test_a_reading_that_hangs_or_never_ends_gives_no_sign(tmp_path: Path) -> None:
    hanging = SlowMachine(tmp_path)
    with hanging.dog.reading(), counted():
        spend(20_000)
        signs = len(hanging.signs_ns)
        hanging.now_ns += 60 * S
    assert len(hanging.signs_ns) == signs
    endless = SlowMachine(tmp_path)
    endless.read(20 * MOST)
    assert endless.longest_silence_s() > 20


def test_a_sign_of_life_comes_from_no_other_thread(tmp_path: Path) -> None:
    machine = SlowMachine(tmp_path)

    def elsewhere() -> None:
        with counted():
            spend(MOST)

    with machine.dog.reading():
        thread = Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert machine.signs_ns == []
