"""Checks of what hangs on the pins: bell, sandtimer, lamp."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from hardware.bell import bell_lines
from hardware.edges import Edge, LineSpec
from hardware.gpio import FactoryMaker, GpioLines
from hardware.lamp import GpioLamp, Signal
from hardware.problems import DeviceHealth, HardwareError, Health
from hardware.sand import BARRIER, sand_lines
from hardware.settings import MS, BellSettings, LampSettings, SandSettings
from referee.doctor.finding import Finding, State

SHOW_S = 0.6
Prompt = Callable[[str], None]


def check_pins(make_factory: FactoryMaker) -> list[Finding]:
    """Say whether the Raspberry Pi's pins can be used at all."""
    try:
        make_factory()
    except HardwareError as error:
        return [Finding("pins", State.FAULT, str(error))]
    return [Finding("pins", State.OK, "The pins can be used.")]


def check_bell(
    settings: BellSettings, make_factory: FactoryMaker, press_s: float = 0.0, prompt: Prompt = print
) -> list[Finding]:
    """Say whether the bell's line is free and not stuck; with `press_s`, wait that long for somebody to ring."""
    specs = bell_lines(settings)
    rung = threading.Event()
    lines = GpioLines(specs, make_factory)
    try:
        levels = lines.open(lambda edge: rung.set(), lambda state, message: None)
    except HardwareError as error:
        return [Finding("bell", State.FAULT, str(error))]
    try:
        if stuck := [_place(spec) for spec, edge in zip(specs, levels, strict=True) if edge.active]:
            message = f"The bell on {' and '.join(stuck)} is held down, jammed or shorted."
            return [Finding("bell", State.FAULT, message, "Let it go, or check its two wires.")]
        if press_s > 0:
            prompt(f"Please ring the bell now ({press_s:.0f} seconds).")
            return _pressed(rung.wait(press_s), lines)
        where = " and ".join(_place(spec) for spec in specs)
        return [Finding("bell", State.OK, f"The bell's line on {where} is quiet; try it with --press 10.")]
    finally:
        lines.close()


def _pressed(rung: bool, lines: GpioLines) -> list[Finding]:
    if not rung:
        return [Finding("bell", State.FAULT, "Nobody rang, or the bell is not heard.", "Check its two wires.")]
    findings = [Finding("bell", State.OK, "The bell was heard.")]
    if lines.check.agrees:
        message = f"The bell's time stamps are on our clock, {lines.check.worst_lag_ns / MS:.1f} ms old when read."
        return [*findings, Finding("bell clock", State.OK, message)]
    message = "The bell's time stamps are not on our clock; presses are timed a little late."
    return [*findings, Finding("bell clock", State.REMARK, message, "Update the system: sudo apt full-upgrade.")]


def check_sandtimer(settings: SandSettings, make_factory: FactoryMaker) -> list[Finding]:
    """Say whether the sandtimer's sensors are free; that they see the sand, only a flip can tell."""
    specs = sand_lines(settings)
    if not specs:
        return [Finding("sandtimer", State.FAULT, "No pin is set for the sandtimer's sensors.")]
    lines = GpioLines(specs, make_factory)
    try:
        levels = lines.open(lambda edge: None, lambda state, message: None)
    except HardwareError as error:
        return [Finding("sandtimer", State.FAULT, str(error))]
    lines.close()
    if any(_blocked(edge) for edge in levels):
        message = "The sandtimer's light barrier is blocked though no sand should run."
        return [
            Finding("sandtimer", State.REMARK, message, "Put the timer's neck between its two halves; check its wires.")
        ]
    where = " and ".join(_place(spec) for spec in specs)
    return [Finding("sandtimer", State.OK, f"The sandtimer's sensors on {where} can be read; flip it to try them.")]


def _blocked(edge: Edge) -> bool:
    return edge.line == BARRIER and edge.active


def check_lamp(
    settings: LampSettings,
    make_factory: FactoryMaker,
    silent: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> list[Finding]:
    """Light the lamp and sound the buzzer for a moment."""
    reports: list[DeviceHealth] = []
    try:
        lamp = GpioLamp(replace(settings, quiet=settings.quiet or silent), make_factory, reports.append)
    except HardwareError as error:
        return [Finding("lamp", State.FAULT, str(error))]
    if not silent:
        lamp.show(Signal.VALID)
        pause(SHOW_S)
    lamp.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Finding("lamp", State.FAULT, broken[-1])]
    if silent:
        return [Finding("lamp", State.OK, "Lamp and buzzer can be used.")]
    return [Finding("lamp", State.OK, "The lamp should have lit green just now, with a beep; if not, check its wires.")]


def _place(spec: LineSpec) -> str:
    return f"GPIO{spec.pin.number}"
