"""Lamp and buzzer: every signal differs, no caller waits, and a broken lamp breaks nothing."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from itertools import combinations

import pytest
from gpiozero.exc import OutputDeviceError
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.lamp import PATTERNS, GpioLamp, NullLamp, Signal, open_lamp
from hardware.problems import BadSettingError, Health, Problem
from hardware.settings import LampSettings


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


def test_signals_differ_for_the_ear_alone_and_without_colour() -> None:
    sounding = [PATTERNS[signal] for signal in (Signal.VALID, Signal.FALSE, Signal.UNCLEAR, Signal.TIME_OVER)]
    for one, other in combinations(sounding, 2):
        assert [step.length_ns for step in one if step.buzz] != [step.length_ns for step in other if step.buzz]
        assert [(any(step.colour), step.length_ns) for step in one] != [
            (any(step.colour), step.length_ns) for step in other
        ]


@pytest.mark.parametrize(
    ("settings", "lit", "beeping"),
    [
        (LampSettings(), 1, 1),
        (LampSettings(common_anode=True, buzzer=None), 0, None),
        (LampSettings(buzzer_active_low=True), 1, 0),
    ],
    ids=["as drawn", "long leg at the supply", "buzzer sounds when low"],
)
def test_a_valid_ring_lights_green_and_beeps(
    factory: MockFactory, settings: LampSettings, lit: int, beeping: int | None
) -> None:
    lamp = GpioLamp(settings, lambda: factory)
    green = watch(factory.pin(6), lambda value: value == lit)
    beep = watch(factory.pin(26), lambda value: value == beeping)
    assert beeping is None or factory.pin(26).state == 1 - beeping
    lamp.show(Signal.VALID)
    assert green.wait(20)
    assert beeping is None or beep.wait(20)
    lamp.close()


def test_a_new_signal_interrupts_the_old_one_nothing_sounds_in_quiet_mode_and_all_ends_dark(
    factory: MockFactory,
) -> None:
    lamp = GpioLamp(LampSettings(quiet=True), lambda: factory)
    beep = watch(factory.pin(26), lambda value: value == 1)
    red = watch(factory.pin(5), lambda value: value == 1)
    blue = watch(factory.pin(13), lambda value: 0 < value < 1)
    lamp.show(Signal.FALSE)
    assert red.wait(20)
    lamp.show(Signal.TIME_RUNNING)
    assert blue.wait(20)
    threads = threading.active_count()
    lamp.close()
    lamp.close()
    lamp.show(Signal.VALID)
    assert threading.active_count() == threads - 1
    assert [factory.pin(number).state for number in (5, 6, 13, 26)] == [0, 0, 0, 0]
    assert not beep.is_set()


def test_a_lamp_that_fails_is_reported_and_works_again(factory: MockFactory) -> None:
    reports: queue.Queue[Problem] = queue.Queue()
    lamp = GpioLamp(LampSettings(), lambda: factory, reports.put)
    pin = factory.pin(6)
    change = pin._change_state

    def broken(value: float) -> bool:
        raise OutputDeviceError("the wire is off")

    pin._change_state = broken
    lamp.show(Signal.VALID)
    assert reports.get(timeout=20).state is Health.MISSING
    pin._change_state = change
    lamp.show(Signal.VALID)
    assert reports.get(timeout=20).state is Health.OK
    lamp.close()


def test_a_lamp_that_cannot_be_had_is_reported_holds_no_pin_and_the_game_goes_on(factory: MockFactory) -> None:
    reports: list[Problem] = []
    holder = GpioLamp(LampSettings(red=None, green=None, blue=None), lambda: factory)
    lamp = open_lamp(LampSettings(), lambda: factory, reports.append)
    lamp.show(Signal.VALID)
    assert isinstance(lamp, NullLamp)
    assert reports[0].state is Health.MISSING
    holder.close()
    GpioLamp(LampSettings(), lambda: factory).close()


@pytest.mark.parametrize(
    "make",
    [
        lambda: open_lamp(LampSettings(backend="disco")),
        lambda: LampSettings(brightness=2.0),
        lambda: LampSettings(red=None),
        lambda: LampSettings(red=6),
        lambda: LampSettings(buzzer=5),
    ],
)
def test_lamps_that_cannot_be_wired_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(BadSettingError):
        make()
