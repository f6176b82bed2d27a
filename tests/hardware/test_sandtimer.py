"""The sandtimer as a device: on mock pins, without sensors, and without pins."""

from __future__ import annotations

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.events import SandEdge, SandFlipped, SandLine, SandRanOut, Witness
from hardware.gpio import PinFactory
from hardware.problems import BadSettingError, DeviceHealth, DeviceMissingError, Health
from hardware.sand import Sandtimer
from hardware.settings import MS, SECOND, SandProfile, SandSettings
from tests.support.device_fakes import FakeClock, ListSink

PROFILE = SandProfile(duration_ns=10 * SECOND, spread_ns=0, longest_gap_ns=100 * MS)


def test_a_run_on_mock_pins() -> None:
    factory, clock, sink = MockFactory(), FakeClock(), ListSink()
    timer = Sandtimer(SandSettings(profile=PROFILE), sink, clock, make_factory=lambda: factory)
    timer.device.step()
    barrier = factory.pin(23)

    def move(level: bool) -> None:
        barrier._state = level
        barrier._last_change = clock.t_ns / SECOND
        barrier._call_when_changed()

    for i in range(201):
        move(i % 2 == 1)
        timer.device.step()
        clock.t_ns += 50 * MS
    clock.t_ns += SECOND
    timer.device.step()
    (flipped,), (over,) = sink.of(SandFlipped), sink.of(SandRanOut)
    assert (flipped.t_ns, flipped.witness) == (SECOND, Witness.BARRIER)
    assert over == SandRanOut(11 * SECOND, 10 * SECOND, Witness.BARRIER, False)
    assert sink.of(SandEdge)[0] == SandEdge(SECOND, SandLine.BARRIER, 1)
    timer.device.close()
    factory.reset()


def test_a_watched_timer_is_flipped_from_the_page() -> None:
    clock, sink = FakeClock(), ListSink()
    settings = SandSettings(backend="watched", barrier=None, tilt=None, profile=PROFILE)
    timer = Sandtimer(settings, sink, clock)
    timer.flip()
    timer.device.step()
    clock.t_ns += 10 * SECOND + 10 * MS
    timer.device.step()
    assert sink.of(SandFlipped) == [SandFlipped(SECOND, Witness.HAND)]
    assert sink.of(SandRanOut) == [SandRanOut(11 * SECOND, 10 * SECOND, Witness.DURATION, False)]


def test_a_timer_whose_pins_are_missing_says_so_and_the_thread_ends() -> None:
    def no_pins() -> PinFactory:
        raise DeviceMissingError("There are no pins.")

    clock, sink = FakeClock(), ListSink()
    timer = Sandtimer(SandSettings(), sink, clock, make_factory=no_pins)
    timer.device.step()
    assert [(health.device, health.state) for health in sink.of(DeviceHealth)] == [("sandtimer", Health.MISSING)]
    timer.start()
    timer.stop()


@pytest.mark.parametrize(
    "settings",
    [
        SandSettings(backend="hourglass"),
        SandSettings(backend="watched"),
        SandSettings(barrier=None, tilt=None),
    ],
)
def test_settings_that_give_no_timer_are_refused(settings: SandSettings) -> None:
    with pytest.raises(BadSettingError):
        Sandtimer(settings, ListSink(), FakeClock())
