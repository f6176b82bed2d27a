"""Checks of camera, pins, sound and the computer: each is a function that returns findings."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hardware.bell import bell_lines
from hardware.camera.camera import Camera, CameraSettings, CameraTimeoutError, parse_spec
from hardware.camera.frames import Frame
from hardware.edges import Edge, LineSpec, kernel_stamps_monotonic
from hardware.gpio import FactoryMaker, GpioLines
from hardware.lamp import GpioLamp, Signal
from hardware.microphone import Arecord, SoundSource
from hardware.problems import DeviceHealth, HardwareError, Health
from hardware.sand import BARRIER, sand_lines
from hardware.settings import MS, SECOND, BellSettings, LampSettings, MicrophoneSettings, SandSettings
from hardware.speaker import SpokenSpeaker, open_speaker
from hardware.voice import SpeakerSettings
from referee.doctor.machine import Finding, Machine, State

# Focus, white balance and exposure are found first: some seconds on a Raspberry Pi.
LIMIT_S = 45.0
TRIES = 5
DARK = 6.0
FUTURE_NS, OLD_NS = 50 * MS, 5 * SECOND
FILES = ("folder", "video", "recording")

Opener = Callable[[str, CameraSettings], Camera]


def check_camera(spec: str, machine: Machine, opener: Opener, limit_s: float = LIMIT_S) -> list[Finding]:
    """Open the camera and look at some pictures. A driver that hangs is left alone after `limit_s` seconds."""
    answer: queue.SimpleQueue[list[Finding]] = queue.SimpleQueue()

    def look() -> None:
        answer.put(_look(spec, machine, opener))

    threading.Thread(target=look, name="doctor camera", daemon=True).start()
    try:
        return answer.get(timeout=limit_s)
    except queue.Empty:
        message = f"The camera does not answer within {limit_s:.0f} seconds."
        return [Finding("camera", State.FAULT, message, "Take its power or cable off, put it on again, and restart.")]


def _look(spec: str, machine: Machine, opener: Opener) -> list[Finding]:
    try:
        camera = opener(spec, CameraSettings())
    except HardwareError as error:
        return [Finding("camera", State.FAULT, str(error))]
    try:
        frame = _picture(camera)
        if frame is None:
            message = "The camera is there but gives no pictures."
            return [Finding("camera", State.FAULT, message, "Check its cable, and restart.")]
        findings = [_judge(frame, camera.name), _clock(frame, machine)]
        return findings[:1] if parse_spec(spec)[0] in FILES else [*findings, _lock(camera)]
    except HardwareError as error:
        return [Finding("camera", State.FAULT, str(error))]
    finally:
        camera.close()


def _picture(camera: Camera) -> Frame | None:
    frame = None
    for _ in range(TRIES):
        try:
            frame = camera.read() or frame
        except CameraTimeoutError:
            continue
    return frame


def _judge(frame: Frame, name: str) -> Finding:
    if float(frame.grey().mean()) < DARK:
        message = f"{name} sees only black."
        return Finding("camera", State.FAULT, message, "Take the cap off the lens, and light the table.")
    height, width = frame.bgr().shape[:2]
    return Finding("camera", State.OK, f"{name} gives pictures of {width} by {height} pixels.")


def _clock(frame: Frame, machine: Machine) -> Finding:
    age_ns = machine.monotonic_ns() - frame.exposure_end_ns
    if -FUTURE_NS <= age_ns <= OLD_NS:
        return Finding(
            "camera clock", State.OK, f"Pictures are on our clock, {max(0, age_ns) / MS:.0f} ms old when read."
        )
    message = "The camera's time is not the time of our clock; rings cannot be judged on its pictures."
    return Finding("camera clock", State.FAULT, message, "Update the system: sudo apt full-upgrade.")


def _lock(camera: Camera) -> Finding:
    if not camera.notes:
        return Finding("camera lock", State.OK, "Exposure and white balance are held on the table.")
    return Finding("camera lock", State.REMARK, " ".join(camera.notes))


GIB = 1 << 30
LEAST_BYTES = GIB // 5
FEW_BYTES = 2 * GIB
HOT_MILLIDEGREES = 80_000
# The wall clock of a Raspberry Pi without network begins at its last known time, or long ago.
FIRST_YEAR = 2024
GROUPS = {
    "gpio": ("pins", ("dev/gpiochip*",)),
    "video": ("cameras", ("dev/video*", "dev/media*")),
    "audio": ("loudspeaker and microphone", ("dev/snd/pcm*",)),
}
# Bits of `vcgencmd get_throttled`, as the Raspberry Pi's documentation has them; the same, shifted, since the start.
UNDER_VOLTAGE, CAPPED, THROTTLED, HOT = 1, 2, 4, 8
SINCE_START = 16


def check_computer(machine: Machine) -> list[Finding]:
    """Name the computer, and say if the referee runs already."""
    model = machine.text("proc/device-tree/model")
    findings = [Finding("computer", State.OK, f"This is a {model}." if model else "This computer is no Raspberry Pi.")]
    if (machine.run("systemctl", "is-active", "ringmaster") or "").strip() == "active":
        findings.append(
            Finding(
                "computer",
                State.REMARK,
                "The referee is running already and holds camera and pins.",
                "To check those, stop it first: sudo systemctl stop ringmaster.",
            )
        )
    return findings


def check_permissions(machine: Machine) -> list[Finding]:
    """Say which devices are there but may not be used, and which group is needed for them."""
    refused = []
    for group, (what, patterns) in GROUPS.items():
        devices = machine.paths(*patterns)
        if devices and not any(machine.usable(device) for device in devices):
            refused.append((group, what))
    if not refused:
        return [Finding("permissions", State.OK, "This user may use all devices that are there.")]
    groups = ",".join(group for group, _ in refused)
    return [
        Finding(
            "permissions",
            State.FAULT,
            f"This user may not use the {' and the '.join(what for _, what in refused)}.",
            f"Run: sudo usermod -aG {groups} {machine.user()}, then log out and in again.",
        )
    ]


def check_power(machine: Machine) -> list[Finding]:
    """Say whether the Raspberry Pi gets enough power and stays cool."""
    bits = power_bits(machine)
    degrees = machine.number("sys/class/thermal/thermal_zone0/temp")
    if bits is None:
        return [Finding("power", State.SKIPPED, "This computer does not say how it is powered.")]
    findings = []
    if bits & UNDER_VOLTAGE:
        findings.append(_under_voltage(State.FAULT, "The Raspberry Pi gets too little voltage now."))
    elif bits >> SINCE_START & UNDER_VOLTAGE:
        message = "The Raspberry Pi got too little voltage at times since it was started."
        findings.append(_under_voltage(State.REMARK, message))
    if bits & (CAPPED | THROTTLED | HOT) or (degrees is not None and degrees >= HOT_MILLIDEGREES):
        heat = "" if degrees is None else f" ({degrees // 1000} °C)"
        message = f"The Raspberry Pi is slowed down, it is too hot or has too little power{heat}."
        findings.append(
            Finding("power", State.REMARK, message, "Give it a fan or a heat sink and a good power supply.")
        )
    elif bits >> SINCE_START & (CAPPED | THROTTLED | HOT):
        message = "The Raspberry Pi was slowed down at times since it was started, by heat or for want of power."
        findings.append(
            Finding("power", State.REMARK, message, "Give it a fan or a heat sink and a good power supply.")
        )
    return findings or [Finding("power", State.OK, "Voltage and temperature are fine.")]


def _under_voltage(state: State, message: str) -> Finding:
    return Finding("power", state, message, "Use the official power supply and a short cable.")


def power_bits(machine: Machine) -> int | None:
    """Give what the firmware says of power and heat, as `vcgencmd get_throttled`; None if this machine says nothing."""
    said = re.search(r"throttled=0x([0-9a-fA-F]+)", machine.run("vcgencmd", "get_throttled") or "")
    return int(said[1], 16) if said else _sysfs_bits(machine)


def _sysfs_bits(machine: Machine) -> int | None:
    """Give the under-voltage alarm of the kernel's own driver, which has no other bits."""
    for name in machine.paths("sys/class/hwmon/hwmon*/name"):
        folder = name.parent.relative_to(machine.root)
        if machine.text(f"{folder}/name") == "rpi_volt":
            return UNDER_VOLTAGE if machine.number(f"{folder}/in0_lcrit_alarm") else 0
    return None


def check_clock(machine: Machine) -> list[Finding]:
    """Say whether the kernel stamps presses on our clock, and whether the wall clock is right."""
    release, findings = machine.release(), []
    if kernel_stamps_monotonic(release):
        message = f"The kernel ({release}) stamps presses on the clock of the pictures."
        findings.append(Finding("clock", State.OK, message))
    else:
        message = f"The kernel ({release}) is too old to stamp presses on the clock of the pictures."
        findings.append(Finding("clock", State.FAULT, message, "Update the system: sudo apt full-upgrade."))
    if machine.year() < FIRST_YEAR:
        message = f"The date is wrong: it says {machine.year()}; only the names of recordings suffer."
        findings.append(Finding("clock", State.REMARK, message, "Connect the network once, or set it: sudo date -s …"))
    return findings


def check_disk(machine: Machine) -> list[Finding]:
    """Say whether there is room for journals and recordings."""
    folder = machine.folder()
    try:
        free = machine.free_bytes(folder)
    except OSError as error:
        message = f"{folder} cannot be looked at: {error.strerror or error}."
        return [Finding("disk", State.FAULT, message, "Check the SD card.")]
    room = f"{free / GIB:.1f} GB are free"
    if not machine.writable(folder):
        return [
            Finding("disk", State.FAULT, f"Nothing can be written to {folder}.", "Check the SD card and its rights.")
        ]
    if free < LEAST_BYTES:
        return [Finding("disk", State.FAULT, f"The disk is full: {room}.", "Delete old recordings.")]
    if free < FEW_BYTES:
        return [Finding("disk", State.REMARK, f"There is little room for recordings: {room}.", "Delete old ones.")]
    return [Finding("disk", State.OK, f"There is room for recordings: {room}.")]


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


SPEECH_LIMIT_S = 20.0
LISTEN_S = 3.0


def check_speech(settings: SpeakerSettings, sentence: str, silent: bool = False) -> list[Finding]:
    """Say a sentence, or only render it."""
    if settings.backend == "none":
        return [Finding("speech", State.SKIPPED, "Speech is switched off.")]
    reports: list[DeviceHealth] = []
    speaker = open_speaker(settings, reports.append)
    if isinstance(speaker, SpokenSpeaker):
        if silent:
            speaker.prepare([sentence])
        else:
            speaker.say([sentence])
        done = speaker.wait(SPEECH_LIMIT_S)
    else:
        done = True
    speaker.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Finding("speech", State.FAULT, broken[-1])]
    if not done:
        return [Finding("speech", State.FAULT, "Speech takes too long on this computer.", "Choose espeak-ng.")]
    if silent:
        return [Finding("speech", State.OK, f"Speech can be made; “{sentence}” was not said aloud.")]
    message = f"You should have heard “{sentence}”; if not, check the loudspeaker and its volume (alsamixer)."
    return [Finding("speech", State.OK, message)]


def check_microphone(
    settings: MicrophoneSettings,
    source: SoundSource | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[Finding]:
    """Listen for a moment: a microphone that is there but gives only zeros is off or muted."""
    source = source or Arecord(settings)
    heard, loudest, end = 0, 0.0, clock() + LISTEN_S
    try:
        source.open()
        while clock() < end and heard < settings.rate_hz:
            samples = source.read(0.2)
            heard += len(samples)
            loudest = max(loudest, float(np.abs(samples).max(initial=0.0)))
    except HardwareError as error:
        return [Finding("bell", State.FAULT, str(error))]
    finally:
        source.close()
    if not heard:
        return [
            Finding("bell", State.FAULT, "The bell's microphone gives no sound.", "Unplug it and plug it in again.")
        ]
    if loudest == 0.0:
        return [
            Finding("bell", State.FAULT, "The bell's microphone is muted.", "Switch it on and up in alsamixer (F4).")
        ]
    return [Finding("bell", State.OK, "The bell's microphone hears the room.")]
