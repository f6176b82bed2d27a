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
from hardware.problems import HardwareError, Health, Problem
from hardware.sand import BARRIER, sand_lines
from hardware.settings import MS, SECOND, BellSettings, LampSettings, MicrophoneSettings, SandSettings
from hardware.speaker import SpokenSpeaker, open_speaker
from hardware.voice import SpeakerSettings
from referee.doctor.machine import Machine
from referee.phrases import phrase, phrase_of

# Focus, white balance and exposure are set first: some seconds on a Raspberry Pi.
LIMIT_S = 45.0
TRIES = 5
DARK = 6.0
FUTURE_NS, OLD_NS = 50 * MS, 5 * SECOND
FILES = ("folder", "video", "recording")

Opener = Callable[[str, CameraSettings], Camera]


def check_camera(spec: str, machine: Machine, opener: Opener, limit_s: float = LIMIT_S) -> list[Problem]:
    """Open the camera and judge some pictures. A driver that hangs is abandoned after `limit_s` seconds."""
    answer: queue.SimpleQueue[list[Problem]] = queue.SimpleQueue()

    def look() -> None:
        answer.put(_look(spec, machine, opener))

    threading.Thread(target=look, name="doctor camera", daemon=True).start()
    try:
        return answer.get(timeout=limit_s)
    except queue.Empty:
        message = phrase("doctor.camera_does_not_answer_within", seconds=f"{limit_s:.0f}")
        return [Problem("camera", Health.MISSING, message, phrase("doctor.take_its_power_or_cable"))]


def _look(spec: str, machine: Machine, opener: Opener) -> list[Problem]:
    try:
        camera = opener(spec, CameraSettings())
    except HardwareError as error:
        return [Problem("camera", Health.MISSING, phrase_of(error))]
    try:
        frame = _picture(camera)
        if frame is None:
            message = phrase("doctor.camera_is_there_but_gives")
            return [Problem("camera", Health.MISSING, message, phrase("doctor.check_its_cable_and_restart"))]
        findings = [_judge(frame, camera.name), _clock(frame, machine)]
        return findings[:1] if parse_spec(spec)[0] in FILES else [*findings, _lock(camera)]
    except HardwareError as error:
        return [Problem("camera", Health.MISSING, phrase_of(error))]
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


def _judge(frame: Frame, name: str) -> Problem:
    if float(frame.grey().mean()) < DARK:
        message = phrase("doctor.sees_only_black", camera=name)
        return Problem("camera", Health.MISSING, message, phrase("doctor.take_cap_off_lens_and"))
    height, width = frame.bgr().shape[:2]
    return Problem(
        "camera", Health.OK, phrase("doctor.gives_pictures_of_by_pixels", camera=name, width=width, height=height)
    )


def _clock(frame: Frame, machine: Machine) -> Problem:
    age_ns = machine.monotonic_ns() - frame.exposure_end_ns
    if -FUTURE_NS <= age_ns <= OLD_NS:
        return Problem(
            "camera clock", Health.OK, phrase("doctor.pictures_are_on_our_clock", ms=f"{max(0, age_ns) / MS:.0f}")
        )
    message = phrase("doctor.cameras_time_is_not_time")
    return Problem("camera clock", Health.MISSING, message, phrase("doctor.update_system_sudo_apt_full"))


def _lock(camera: Camera) -> Problem:
    if not camera.notes:
        return Problem("camera lock", Health.OK, phrase("doctor.exposure_and_white_balance_are"))
    return Problem("camera lock", Health.POOR, " ".join(camera.notes))


GIB = 1 << 30
LEAST_BYTES = GIB // 5
FEW_BYTES = 2 * GIB
HOT_MILLIDEGREES = 80_000
# The wall clock of a Raspberry Pi without network starts at its last known time, or far in the past.
FIRST_YEAR = 2024
GROUPS = {
    "gpio": ("pins", ("dev/gpiochip*",)),
    "video": ("cameras", ("dev/video*", "dev/media*")),
    "audio": ("loudspeaker and microphone", ("dev/snd/pcm*",)),
}
# Bits of `vcgencmd get_throttled`, by the Raspberry Pi's documentation; shifted by SINCE_START: at any time
# since the start.
UNDER_VOLTAGE, CAPPED, THROTTLED, HOT = 1, 2, 4, 8
SINCE_START = 16


def check_computer(machine: Machine) -> list[Problem]:
    """Report the computer's model, and a referee that is running."""
    model = machine.text("proc/device-tree/model")
    findings = [
        Problem(
            "computer",
            Health.OK,
            phrase("doctor.this_is", model=model) if model else phrase("doctor.this_computer_is_no_raspberry"),
        )
    ]
    if (machine.run("systemctl", "is-active", "ringmaster") or "").strip() == "active":
        findings.append(
            Problem(
                "computer",
                Health.POOR,
                phrase("doctor.referee_is_running_already_and"),
                phrase("doctor.to_check_those_stop_it"),
            )
        )
    return findings


def check_permissions(machine: Machine) -> list[Problem]:
    """Report devices without permission, with the group that has it."""
    refused = []
    for group, (what, patterns) in GROUPS.items():
        devices = machine.paths(*patterns)
        if devices and not any(machine.usable(device) for device in devices):
            refused.append((group, what))
    if not refused:
        return [Problem("permissions", Health.OK, phrase("doctor.this_user_may_use_all"))]
    groups = ",".join(group for group, _ in refused)
    return [
        Problem(
            "permissions",
            Health.MISSING,
            phrase("doctor.this_user_may_not_use", devices=" and the ".join((what for _, what in refused))),
            phrase("doctor.run_sudo_usermod_ag_then", groups=groups, user=machine.user()),
        )
    ]


def check_power(machine: Machine) -> list[Problem]:
    """Report too little power, and heat."""
    bits = power_bits(machine)
    degrees = machine.number("sys/class/thermal/thermal_zone0/temp")
    if bits is None:
        return [Problem("power", Health.SKIPPED, phrase("doctor.this_computer_does_not_say"))]
    findings = []
    if bits & UNDER_VOLTAGE:
        findings.append(_under_voltage(Health.MISSING, phrase("doctor.raspberry_pi_gets_too_little")))
    elif bits >> SINCE_START & UNDER_VOLTAGE:
        message = phrase("doctor.raspberry_pi_got_too_little")
        findings.append(_under_voltage(Health.POOR, message))
    if bits & (CAPPED | THROTTLED | HOT) or (degrees is not None and degrees >= HOT_MILLIDEGREES):
        message = phrase("doctor.raspberry_pi_is_slowed_down")
        if degrees is not None:
            message = phrase("doctor.raspberry_pi_is_slowed_down_it_is", heat=degrees // 1000)
        findings.append(Problem("power", Health.POOR, message, phrase("doctor.give_it_fan_or_heat")))
    elif bits >> SINCE_START & (CAPPED | THROTTLED | HOT):
        message = phrase("doctor.raspberry_pi_was_slowed_down")
        findings.append(Problem("power", Health.POOR, message, phrase("doctor.give_it_fan_or_heat")))
    return findings or [Problem("power", Health.OK, phrase("doctor.voltage_and_temperature_are_fine"))]


def _under_voltage(state: Health, message: str) -> Problem:
    return Problem("power", state, message, phrase("doctor.use_official_power_supply_and"))


def power_bits(machine: Machine) -> int | None:
    """Return the firmware's bits of power and heat, as `vcgencmd get_throttled`; None if they are unknown."""
    said = re.search(r"throttled=0x([0-9a-fA-F]+)", machine.run("vcgencmd", "get_throttled") or "")
    return int(said[1], 16) if said else _sysfs_bits(machine)


def _sysfs_bits(machine: Machine) -> int | None:
    """Return the under-voltage alarm of the kernel's driver, which has no other bits."""
    for name in machine.paths("sys/class/hwmon/hwmon*/name"):
        folder = name.parent.relative_to(machine.root)
        if machine.text(f"{folder}/name") == "rpi_volt":
            return UNDER_VOLTAGE if machine.number(f"{folder}/in0_lcrit_alarm") else 0
    return None


def check_clock(machine: Machine) -> list[Problem]:
    """Report a kernel with other time stamps, and a wrong wall clock."""
    release, findings = machine.release(), []
    if kernel_stamps_monotonic(release):
        message = phrase("doctor.kernel_stamps_presses_on_clock", release=release)
        findings.append(Problem("clock", Health.OK, message))
    else:
        message = phrase("doctor.kernel_is_too_old_to", release=release)
        findings.append(Problem("clock", Health.MISSING, message, phrase("doctor.update_system_sudo_apt_full")))
    if machine.year() < FIRST_YEAR:
        message = phrase("doctor.date_is_wrong_it_says", year=machine.year())
        findings.append(Problem("clock", Health.POOR, message, phrase("doctor.connect_network_once_or_set")))
    return findings


def check_disk(machine: Machine) -> list[Problem]:
    """Report too little space for journals and recordings."""
    folder = machine.folder()
    try:
        free = machine.free_bytes(folder)
    except OSError as error:
        message = phrase("doctor.cannot_be_looked_at", folder=folder, why=error.strerror or error)
        return [Problem("disk", Health.MISSING, message, phrase("doctor.check_sd_card"))]
    room = phrase("doctor.gb_are_free", size=f"{free / GIB:.1f}")
    if not machine.writable(folder):
        return [
            Problem(
                "disk",
                Health.MISSING,
                phrase("doctor.nothing_can_be_written_to", folder=folder),
                phrase("doctor.check_sd_card_and_its"),
            )
        ]
    if free < LEAST_BYTES:
        return [
            Problem(
                "disk", Health.MISSING, phrase("doctor.disk_is_full", room=room), phrase("doctor.delete_old_recordings")
            )
        ]
    if free < FEW_BYTES:
        return [
            Problem(
                "disk",
                Health.POOR,
                phrase("doctor.there_is_little_room_for", room=room),
                phrase("doctor.delete_old_ones"),
            )
        ]
    return [Problem("disk", Health.OK, phrase("doctor.there_is_room_for_recordings", room=room))]


SHOW_S = 0.6
Prompt = Callable[[str], None]


def check_pins(make_factory: FactoryMaker) -> list[Problem]:
    """Report whether the Raspberry Pi's pins can be used."""
    try:
        make_factory()
    except HardwareError as error:
        return [Problem("pins", Health.MISSING, phrase_of(error))]
    return [Problem("pins", Health.OK, phrase("doctor.pins_can_be_used"))]


def check_bell(
    settings: BellSettings, make_factory: FactoryMaker, press_s: float = 0.0, prompt: Prompt = print
) -> list[Problem]:
    """Report whether the bell's line is free and released; `press_s`: seconds to wait for a ring."""
    specs = bell_lines(settings)
    rung = threading.Event()
    lines = GpioLines(specs, make_factory)
    try:
        levels = lines.open(lambda edge: rung.set(), lambda state, message: None)
    except HardwareError as error:
        return [Problem("bell", Health.MISSING, phrase_of(error))]
    try:
        if stuck := [_place(spec) for spec, edge in zip(specs, levels, strict=True) if edge.active]:
            message = phrase("doctor.bell_on_is_held_down", pins=" and ".join(stuck))
            return [Problem("bell", Health.MISSING, message, phrase("doctor.let_it_go_or_check"))]
        if press_s > 0:
            prompt(phrase("doctor.please_ring_bell_now_seconds", seconds=f"{press_s:.0f}"))
            return _pressed(rung.wait(press_s), lines)
        where = " and ".join(_place(spec) for spec in specs)
        return [Problem("bell", Health.OK, phrase("doctor.bells_line_on_is_quiet", pins=where))]
    finally:
        lines.close()


def _pressed(rung: bool, lines: GpioLines) -> list[Problem]:
    if not rung:
        return [
            Problem(
                "bell", Health.MISSING, phrase("doctor.nobody_rang_or_bell_is"), phrase("doctor.check_its_two_wires")
            )
        ]
    findings = [Problem("bell", Health.OK, phrase("doctor.bell_was_heard"))]
    if lines.check.agrees:
        message = phrase("doctor.bells_time_stamps_are_on", ms=f"{lines.check.worst_lag_ns / MS:.1f}")
        return [*findings, Problem("bell clock", Health.OK, message)]
    message = phrase("doctor.bells_time_stamps_are_not")
    return [*findings, Problem("bell clock", Health.POOR, message, phrase("doctor.update_system_sudo_apt_full"))]


def check_sandtimer(settings: SandSettings, make_factory: FactoryMaker) -> list[Problem]:
    """Report whether the sandtimer's sensors are free; only a flip shows whether they see the sand."""
    specs = sand_lines(settings)
    if not specs:
        return [Problem("sandtimer", Health.MISSING, phrase("doctor.no_pin_is_set_for"))]
    lines = GpioLines(specs, make_factory)
    try:
        levels = lines.open(lambda edge: None, lambda state, message: None)
    except HardwareError as error:
        return [Problem("sandtimer", Health.MISSING, phrase_of(error))]
    lines.close()
    if any(_blocked(edge) for edge in levels):
        message = phrase("doctor.sandtimers_light_barrier_is_blocked")
        return [Problem("sandtimer", Health.POOR, message, phrase("doctor.put_timers_neck_between_its"))]
    where = " and ".join(_place(spec) for spec in specs)
    return [Problem("sandtimer", Health.OK, phrase("doctor.sandtimers_sensors_on_can_be", pins=where))]


def _blocked(edge: Edge) -> bool:
    return edge.line == BARRIER and edge.active


def check_lamp(
    settings: LampSettings,
    make_factory: FactoryMaker,
    silent: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> list[Problem]:
    """Light the lamp and sound the buzzer briefly."""
    reports: list[Problem] = []
    try:
        lamp = GpioLamp(replace(settings, quiet=settings.quiet or silent), make_factory, reports.append)
    except HardwareError as error:
        return [Problem("lamp", Health.MISSING, phrase_of(error))]
    if not silent:
        lamp.show(Signal.VALID)
        pause(SHOW_S)
    lamp.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Problem("lamp", Health.MISSING, broken[-1])]
    if silent:
        return [Problem("lamp", Health.OK, phrase("doctor.lamp_and_buzzer_can_be"))]
    return [Problem("lamp", Health.OK, phrase("doctor.lamp_should_have_lit_green"))]


def _place(spec: LineSpec) -> str:
    return f"GPIO{spec.pin.number}"


SPEECH_LIMIT_S = 20.0
LISTEN_S = 3.0


def check_speech(settings: SpeakerSettings, sentence: str, silent: bool = False) -> list[Problem]:
    """Say a sentence, or, if `silent`, only render it."""
    if settings.backend == "none":
        return [Problem("speech", Health.SKIPPED, phrase("doctor.speech_is_switched_off"))]
    reports: list[Problem] = []
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
        return [Problem("speech", Health.MISSING, broken[-1])]
    if not done:
        return [Problem("speech", Health.MISSING, phrase("doctor.speech_takes_too_long_on"), "Choose espeak-ng.")]
    if silent:
        return [Problem("speech", Health.OK, phrase("doctor.speech_can_be_made_was", sentence=sentence))]
    message = phrase("doctor.you_should_have_heard_if", sentence=sentence)
    return [Problem("speech", Health.OK, message)]


def check_microphone(
    settings: MicrophoneSettings,
    source: SoundSource | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[Problem]:
    """Listen briefly: a microphone that gives only zeros is off or muted."""
    source = source or Arecord(settings)
    heard, loudest, end = 0, 0.0, clock() + LISTEN_S
    try:
        source.open()
        while clock() < end and heard < settings.rate_hz:
            samples = source.read(0.2)
            heard += len(samples)
            loudest = max(loudest, float(np.abs(samples).max(initial=0.0)))
    except HardwareError as error:
        return [Problem("bell", Health.MISSING, phrase_of(error))]
    finally:
        source.close()
    if not heard:
        return [
            Problem(
                "bell",
                Health.MISSING,
                phrase("doctor.bells_microphone_gives_no_sound"),
                phrase("doctor.unplug_it_and_plug_it"),
            )
        ]
    if loudest == 0.0:
        return [
            Problem(
                "bell", Health.MISSING, phrase("doctor.bells_microphone_is_muted"), phrase("doctor.switch_it_on_and_up")
            )
        ]
    return [Problem("bell", Health.OK, phrase("doctor.bells_microphone_hears_room"))]
