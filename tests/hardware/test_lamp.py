"""Lamp and buzzer: every signal differs, nobody waits, and a broken lamp breaks nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from gpiozero.exc import OutputDeviceError
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from hardware.lamp import PATTERNS, GpioLamp, NullLamp, RecordedLamp, Signal, open_lamp
from hardware.problems import BadSettingError, DeviceHealth, Health, PinInUseError
from hardware.settings import LampSettings


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    made = MockFactory(pin_class=MockPWMPin)
    yield made
    made.close()
    made.reset()


def watch(pin: MockPin, wanted: Callable[[float], bool]) -> threading.Event:
    """An event that is set when the pin takes a wanted state."""
    seen = threading.Event()
    change = pin._change_state

    def changed(value: float) -> bool:
        done: bool = change(value)
        if wanted(value):
            seen.set()
        return done

    pin._change_state = changed
    return seen


def test_signals_can_be_told_apart_by_the_ear_alone_and_without_colour() -> None:
    def rhythm(signal: Signal) -> tuple[tuple[bool, int | None], ...]:
        return tuple((step.buzz, step.length_ns) for step in PATTERNS[signal] if step.buzz)

    def light(signal: Signal) -> tuple[tuple[bool, int | None], ...]:
        return tuple((any(step.colour), step.length_ns) for step in PATTERNS[signal])

    sounding = [Signal.VALID, Signal.FALSE, Signal.UNCLEAR, Signal.TIME_OVER]
    assert all(rhythm(one) != rhythm(other) for one, other in combinations(sounding, 2))
    assert all(light(one) != light(other) for one, other in combinations(sounding, 2))


def test_a_passing_signal_ends_and_a_lasting_one_stays() -> None:
    for signal in Signal:
        lengths = [step.length_ns for step in PATTERNS[signal]]
        assert (None in lengths) == (signal in (Signal.OFF, Signal.TIME_RUNNING))


def test_a_valid_ring_lights_green_and_beeps(factory: MockFactory) -> None:
    lamp = GpioLamp(LampSettings(), lambda: factory)
    green = watch(factory.pin(6), lambda value: value == 1)
    beep = watch(factory.pin(26), lambda value: value == 1)
    lamp.show(Signal.VALID)
    assert green.wait(20) and beep.wait(20)
    lamp.close()


def test_a_new_signal_interrupts_the_old_one(factory: MockFactory) -> None:
    lamp = GpioLamp(LampSettings(), lambda: factory)
    red = watch(factory.pin(5), lambda value: value == 1)
    blue = watch(factory.pin(13), lambda value: 0 < value < 1)
    lamp.show(Signal.FALSE)
    assert red.wait(20)
    lamp.show(Signal.TIME_RUNNING)
    assert blue.wait(20)
    lamp.close()


def test_the_lamp_is_dark_and_its_thread_gone_when_closed(factory: MockFactory) -> None:
    before = threading.active_count()
    lamp = GpioLamp(LampSettings(), lambda: factory)
    lamp.show(Signal.TIME_OVER)
    lamp.close()
    lamp.close()
    lamp.show(Signal.VALID)
    assert threading.active_count() == before
    assert [factory.pin(number).state for number in (5, 6, 13, 26)] == [0, 0, 0, 0]
    GpioLamp(LampSettings(), lambda: factory).close()


def test_in_quiet_mode_nothing_sounds(factory: MockFactory) -> None:
    lamp = GpioLamp(LampSettings(quiet=True), lambda: factory)
    beep = watch(factory.pin(26), lambda value: value == 1)
    green = watch(factory.pin(6), lambda value: value == 1)
    lamp.show(Signal.VALID)
    assert green.wait(20)
    lamp.close()
    assert not beep.is_set()


def test_a_lamp_with_its_long_leg_at_the_supply_is_driven_the_other_way_round(factory: MockFactory) -> None:
    lamp = GpioLamp(LampSettings(common_anode=True, buzzer=None), lambda: factory)
    lit = watch(factory.pin(6), lambda value: value == 0)
    lamp.show(Signal.VALID)
    assert lit.wait(20)
    lamp.close()


def test_a_buzzer_that_sounds_when_its_pin_is_low_is_silent_at_rest(factory: MockFactory) -> None:
    lamp = GpioLamp(LampSettings(buzzer_active_low=True), lambda: factory)
    beep = watch(factory.pin(26), lambda value: value == 0)
    assert factory.pin(26).state == 1
    lamp.show(Signal.VALID)
    assert beep.wait(20)
    lamp.close()


def test_a_lamp_that_fails_is_reported_and_works_again(factory: MockFactory) -> None:
    reports: list[DeviceHealth] = []
    told = threading.Event()

    def note(health: DeviceHealth) -> None:
        reports.append(health)
        told.set()

    lamp = GpioLamp(LampSettings(), lambda: factory, note)
    pin = factory.pin(6)
    change = pin._change_state

    def broken(value: float) -> bool:
        raise OutputDeviceError("the wire is off")

    pin._change_state = broken
    lamp.show(Signal.VALID)
    assert told.wait(20)
    assert reports[0].state is Health.MISSING
    pin._change_state = change
    told.clear()
    lamp.show(Signal.VALID)
    assert told.wait(20)
    assert reports[1].state is Health.OK
    lamp.close()


def test_a_pin_that_is_in_use_is_told_and_the_other_pins_are_freed(factory: MockFactory) -> None:
    first = GpioLamp(LampSettings(red=None, green=None, blue=None), lambda: factory)
    with pytest.raises(PinInUseError):
        GpioLamp(LampSettings(), lambda: factory)
    first.close()
    GpioLamp(LampSettings(), lambda: factory).close()


def test_a_lamp_that_cannot_be_had_is_reported_and_the_game_goes_on(factory: MockFactory) -> None:
    reports: list[DeviceHealth] = []
    holder = GpioLamp(LampSettings(), lambda: factory)
    lamp = open_lamp(LampSettings(), lambda: factory, reports.append)
    lamp.show(Signal.VALID)
    assert isinstance(lamp, NullLamp)
    assert reports[0].state is Health.MISSING
    holder.close()


def test_back_ends_are_chosen_by_the_settings(factory: MockFactory) -> None:
    assert isinstance(open_lamp(LampSettings(backend="none")), NullLamp)
    with pytest.raises(BadSettingError):
        open_lamp(LampSettings(backend="disco"))
    lamp = open_lamp(LampSettings(), lambda: factory)
    assert isinstance(lamp, GpioLamp)
    lamp.close()


def test_a_recorded_lamp_writes_down_what_it_was_to_show() -> None:
    lamp = RecordedLamp(lambda: 7)
    lamp.show(Signal.FALSE)
    lamp.close()
    assert lamp.shown == [(7, Signal.FALSE)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: LampSettings(brightness=2.0),
        lambda: LampSettings(red=None),
        lambda: LampSettings(red=6),
        lambda: LampSettings(buzzer=5),
    ],
)
def test_lamps_that_cannot_be_wired_are_refused(make: Callable[[], LampSettings]) -> None:
    with pytest.raises(BadSettingError):
        make()
