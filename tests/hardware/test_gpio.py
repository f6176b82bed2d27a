"""gpiozero's pins, on its mock factory: stamps, bounce trains, clocks that disagree, pins that are taken."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gpiozero.exc import PinInvalidPin
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.bell import BellLogic, bell_lines, bell_seats
from hardware.edges import Edge, EdgeDevice, LineSpec
from hardware.events import BellEdge, BellPressed
from hardware.gpio import GpioLines, lgpio_factory
from hardware.problems import DeviceMissingError, HardwareError, Health, PinInUseError, Problem
from hardware.settings import MS, SECOND, BellSettings, Pin
from tests.support.device_fakes import FakeClock, ListSink

SETTINGS = BellSettings(pins=(Pin(17), Pin(27)), one_for_all=False)


def stamp_edges(pin: MockPin, t_ns: int, level: bool) -> None:
    """Move a mock pin as the kernel would have stamped it."""
    pin._state = level
    pin._last_change = t_ns / SECOND
    pin._call_when_changed()


class Rig:
    """Two buttons on mock pins, and a clock that stands still until it is set."""

    def __init__(self, factory: MockFactory) -> None:
        self.clock, self.sink = FakeClock(50 * SECOND), ListSink()
        self.lines = GpioLines(bell_lines(SETTINGS), lambda: factory, self.clock)
        self.device = EdgeDevice("bell", self.lines, BellLogic(bell_seats(SETTINGS)), self.sink, self.clock)
        self.device.step()

    def later(self, ns: int) -> None:
        self.clock.t_ns += ns
        self.device.step()


@pytest.fixture
def rig(factory: MockFactory) -> Iterator[Rig]:
    rig = Rig(factory)
    yield rig
    rig.device.close()


def test_a_train_of_bounces_on_a_pin_is_one_press_at_its_first_stamp(factory: MockFactory, rig: Rig) -> None:
    pin = factory.pin(17)
    assert (pin.function, pin.pull) == ("input", "up")
    for count, ms in enumerate((0, 1, 1, 3, 4, 81, 1, 2)):
        rig.clock.t_ns += ms * MS
        stamp_edges(pin, rig.clock.t_ns, count % 2 == 1)
        rig.device.step()
    rig.later(SECOND)
    assert rig.sink.of(BellPressed) == [BellPressed(50 * SECOND, 0)]
    assert len(rig.sink.of(BellEdge)) == 8


def test_the_callback_survives_the_garbage_collector(factory: MockFactory, rig: Rig) -> None:
    """gpiozero refers to it weakly; nobody but the lines holds it."""
    gc.collect()
    factory.pin(27).drive_low()
    rig.later(SECOND)
    assert [edge.seat for edge in rig.sink.of(BellEdge)] == [1]


def test_stamps_from_another_clock_are_noticed_and_replaced(factory: MockFactory, rig: Rig) -> None:
    stamp_edges(factory.pin(17), 1_700_000_000 * SECOND, False)
    rig.later(20 * MS)
    assert rig.sink.of(BellPressed) == [BellPressed(50 * SECOND, 0)]
    assert rig.lines.check.agrees is False
    assert [health.state for health in rig.sink.of(Problem)] == [Health.OK, Health.CLOCK]


def test_nothing_arrives_after_close_and_opening_again_works(factory: MockFactory, rig: Rig) -> None:
    rig.device.close()
    factory.pin(17).drive_low()
    factory.pin(17).drive_high()
    rig.device.step()
    assert rig.sink.of(BellEdge) == []
    factory.pin(17).drive_low()
    rig.device.step()
    assert [edge.pressed for edge in rig.sink.of(BellEdge)] == [True]


def test_a_button_that_is_down_at_the_start_is_reported_as_the_level(factory: MockFactory) -> None:
    factory.pin(22)._get_state = lambda: False
    edges: list[Edge] = []
    lines = GpioLines([LineSpec("bell", Pin(22))], lambda: factory, FakeClock())
    levels = lines.open(edges.append, lambda state, message: None)
    assert levels == [Edge(SECOND, "bell", True)]
    lines.close()


def test_a_pin_that_is_taken_leaves_nothing_open() -> None:
    def refuse(function: str) -> None:
        raise PinInvalidPin("'GPIO busy'")

    factory = MockFactory()
    factory.pin(27)._set_function = refuse
    lines = GpioLines(bell_lines(SETTINGS), lambda: factory)
    with pytest.raises(PinInUseError, match=r"GPIO27 .*another program"):
        lines.open(lambda edge: None, lambda state, message: None)
    assert factory.pin(17).when_changed is None
    factory.reset()


def test_without_a_raspberry_pi_the_pins_say_so_and_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # As on a computer where lgpio is not installed: the import itself fails.
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(HardwareError, match="apt install python3-lgpio"):
        lgpio_factory()
    assert Path.cwd() == tmp_path
    assert list(tmp_path.iterdir()) == []
    assert "LG_WD" not in os.environ


def test_devices_that_ask_for_the_pins_at_one_time_do_not_get_in_each_others_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    # Like the true one it goes where LG_WD says; then it is not to be had.
    package = tmp_path / "site" / "lgpio.py"
    package.parent.mkdir()
    package.write_text(
        "import os, time\nos.chdir(os.environ['LG_WD'])\ntime.sleep(0.05)\nraise ImportError('no pins here')\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    with ThreadPoolExecutor(8) as devices:
        asked = [devices.submit(lgpio_factory) for _ in range(8)]
        faults = [type(one.exception()) for one in asked]
    assert faults == [DeviceMissingError] * 8
    assert Path.cwd() == tmp_path
    assert "LG_WD" not in os.environ
