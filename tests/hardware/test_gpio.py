"""gpiozero's pins, on its mock factory: stamps, bounce trains, clocks that disagree, pins that are taken."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gpiozero.exc import PinInvalidPin
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.bell import BellLogic, bell_lines, bell_seats
from hardware.edges import Edge, EdgeDevice, LineSpec, StampCheck, kernel_stamps_monotonic, name_clock
from hardware.events import BellEdge, BellPressed
from hardware.gpio import GpioLines, lgpio_factory
from hardware.problems import BadSettingError, DeviceHealth, DeviceMissingError, HardwareError, Health, PinInUseError
from hardware.settings import MS, SECOND, BellSettings, Pin
from tests.support.device_fakes import FakeClock, ListSink

SETTINGS = BellSettings(pins=(Pin(17), Pin(27)), one_for_all=False)


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    made = MockFactory()
    yield made
    made.close()
    made.reset()


def stamp_edges(pin: MockPin, t_ns: int, level: bool) -> None:
    """Move a mock pin as the kernel would have stamped it."""
    pin._state = level
    pin._last_change = t_ns / SECOND
    pin._call_when_changed()


def make_bell(factory: MockFactory, clock: Callable[[], int]) -> tuple[EdgeDevice, ListSink, GpioLines]:
    sink = ListSink()
    lines = GpioLines(bell_lines(SETTINGS), lambda: factory, clock)
    return EdgeDevice("bell", lines, BellLogic(bell_seats(SETTINGS)), sink, clock), sink, lines


def test_a_train_of_bounces_on_a_pin_is_one_press_at_its_first_stamp(factory: MockFactory) -> None:
    clock = FakeClock(100 * SECOND)
    device, sink, _ = make_bell(factory, clock)
    device.step()
    pin = factory.pin(17)
    assert (pin.function, pin.pull) == ("input", "up")
    for offset_ms, level in [
        (0, False),
        (1, True),
        (2, False),
        (5, True),
        (9, False),
        (90, True),
        (91, False),
        (93, True),
    ]:
        clock.t_ns = 100 * SECOND + offset_ms * MS
        stamp_edges(pin, clock.t_ns, level)
        device.step()
    clock.t_ns += SECOND
    device.step()
    assert sink.of(BellPressed) == [BellPressed(100 * SECOND, 0)]
    assert len(sink.of(BellEdge)) == 8
    device.close()


def test_the_callback_survives_the_garbage_collector(factory: MockFactory) -> None:
    """gpiozero refers to it weakly; nobody but the lines holds it."""
    clock = FakeClock(50 * SECOND)
    device, sink, _ = make_bell(factory, clock)
    device.step()
    gc.collect()
    factory.pin(27).drive_low()
    clock.t_ns += SECOND
    device.step()
    assert [edge.seat for edge in sink.of(BellEdge)] == [1]
    device.close()


def test_stamps_of_the_mock_pins_lie_on_the_monotonic_clock(factory: MockFactory) -> None:
    device, sink, lines = make_bell(factory, time.monotonic_ns)
    device.step()
    before = time.monotonic_ns()
    factory.pin(17).drive_low()
    factory.pin(17).drive_high()
    after = time.monotonic_ns()
    device.step()
    stamps = [edge.t_ns for edge in sink.of(BellEdge)]
    assert len(stamps) == 2
    # gpiozero's seconds are floats: exact to some nanoseconds.
    assert all(before - 100 <= stamp <= after + 100 for stamp in stamps)
    assert lines.check.agrees
    device.close()


def test_stamps_from_another_clock_are_noticed_and_replaced(factory: MockFactory) -> None:
    clock = FakeClock(50 * SECOND)
    device, sink, lines = make_bell(factory, clock)
    device.step()
    stamp_edges(factory.pin(17), 1_700_000_000 * SECOND, False)
    clock.t_ns += 20 * MS
    device.step()
    assert sink.of(BellPressed) == [BellPressed(50 * SECOND, 0)]
    assert lines.check.agrees is False
    assert [health.state for health in sink.of(DeviceHealth)] == [Health.OK, Health.CLOCK]
    device.close()


def test_nothing_arrives_after_close_and_opening_again_works(factory: MockFactory) -> None:
    clock = FakeClock(50 * SECOND)
    device, sink, _ = make_bell(factory, clock)
    device.step()
    device.close()
    factory.pin(17).drive_low()
    factory.pin(17).drive_high()
    device.step()
    assert sink.of(BellEdge) == []
    factory.pin(17).drive_low()
    device.step()
    assert [edge.pressed for edge in sink.of(BellEdge)] == [True]
    device.close()


def test_a_button_that_is_down_at_the_start_is_told_as_the_level(factory: MockFactory) -> None:
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


def test_lines_without_pins_are_refused() -> None:
    with pytest.raises(BadSettingError):
        GpioLines([])


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


@pytest.mark.parametrize(
    ("release", "good"), [("6.6.20+rpt-rpi-v8", True), ("5.10.0", True), ("5.4.83-v7+", False), ("?", False)]
)
def test_kernels_that_stamp_on_the_monotonic_clock(release: str, good: bool) -> None:
    assert kernel_stamps_monotonic(release) is good


def test_the_doctor_can_name_the_clock_of_a_stamp() -> None:
    assert name_clock(time.monotonic_ns()) == "monotonic"
    assert name_clock(time.time_ns()) == "realtime"
    assert name_clock(5) is None or time.monotonic_ns() < 2 * SECOND


def test_a_stamp_that_is_late_is_still_the_time() -> None:
    check = StampCheck()
    assert check.agrees is None
    assert check.correct(10 * SECOND, 10 * SECOND + 300 * MS) == 10 * SECOND
    assert check.correct(10 * SECOND, 9 * SECOND) == 9 * SECOND
    assert (check.refused, check.worst_lag_ns) == (1, 300 * MS)
