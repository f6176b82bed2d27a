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
from hardware.edges import LineSpec, kernel_stamps_monotonic
from hardware.gpio import FactoryMaker, GpioLines
from hardware.lamp import GpioLamp, Signal
from hardware.microphone import Arecord, SoundSource
from hardware.problems import HardwareError, Health, Problem
from hardware.sand import BARRIER, sand_lines
from hardware.settings import MS, SECOND, BellSettings, LampSettings, MicrophoneSettings, SandSettings
from hardware.speaker import SpokenSpeaker
from hardware.voice import SpeakerSettings, installed_player, installed_voices
from referee.doctor.machine import Machine
from referee.phrases import phrase

# Focus, white balance and exposure are set first: some seconds on a Raspberry Pi.
LIMIT_S = 45.0
TRIES = 5
DARK = 6.0
FUTURE_NS, OLD_NS = 50 * MS, 5 * SECOND
FILES = ("folder", "video", "recording")
UPDATE = "doctor.update_system_sudo_apt_full"

Opener = Callable[[str, CameraSettings], Camera]


def finding(key: str, part: str, state: Health, advice: str = "", **values: object) -> Problem:
    """Return a finding about a part, from the key of its sentence and, if any, of the advice."""
    return Problem(part, state, phrase(key, **values), phrase(advice, **values) if advice else "")


def fault_of(part: str, error: HardwareError) -> list[Problem]:
    """Return the finding of a part that cannot be opened."""
    return [Problem(part, Health.MISSING, error.message, error.advice)]


def check_camera(spec: str, machine: Machine, opener: Opener, limit_s: float = LIMIT_S) -> list[Problem]:
    """Open the camera and judge some pictures. A driver that hangs is abandoned after `limit_s` seconds."""
    answer: queue.SimpleQueue[list[Problem]] = queue.SimpleQueue()

    def look() -> None:
        answer.put(_look(spec, machine, opener))

    threading.Thread(target=look, name="doctor camera", daemon=True).start()
    try:
        return answer.get(timeout=limit_s)
    except queue.Empty:
        advice, seconds = "doctor.take_its_power_or_cable", f"{limit_s:.0f}"
        return [finding("doctor.camera_does_not_answer_within", "camera", Health.MISSING, advice, seconds=seconds)]


def _look(spec: str, machine: Machine, opener: Opener) -> list[Problem]:
    try:
        camera = opener(spec, CameraSettings())
    except HardwareError as error:
        return fault_of("camera", error)
    try:
        frame = _picture(camera)
        if frame is None:
            advice = "doctor.check_its_cable_and_restart"
            return [finding("doctor.camera_is_there_but_gives", "camera", Health.MISSING, advice)]
        findings = [_judge(frame, camera.name), _clock(frame, machine)]
        return findings[:1] if parse_spec(spec)[0] in FILES else [*findings, *_lock(camera)]
    except HardwareError as error:
        return fault_of("camera", error)
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
        advice = "doctor.take_cap_off_lens_and"
        return finding("doctor.sees_only_black", "camera", Health.MISSING, advice, camera=name)
    width, height = frame.size_px
    key = "doctor.gives_pictures_of_by_pixels"
    return finding(key, "camera", Health.OK, camera=name, width=width, height=height)


def _clock(frame: Frame, machine: Machine) -> Problem:
    age_ns = machine.monotonic_ns() - frame.exposure_end_ns
    if -FUTURE_NS <= age_ns <= OLD_NS:
        ms = f"{max(0, age_ns) / MS:.0f}"
        return finding("doctor.pictures_are_on_our_clock", "camera clock", Health.OK, ms=ms)
    return finding("doctor.cameras_time_is_not_time", "camera clock", Health.MISSING, UPDATE)


def _lock(camera: Camera) -> list[Problem]:
    if not camera.notes:
        return [finding("doctor.exposure_and_white_balance_are", "camera lock", Health.OK)]
    return [Problem("camera lock", Health.POOR, note) for note in camera.notes]


GIB = 1 << 30
LEAST_BYTES = GIB // 5
FEW_BYTES = 2 * GIB
HOT_MILLIDEGREES = 80_000
# The wall clock of a Raspberry Pi without network starts at its last known time, or far in the past.
FIRST_YEAR = 2024
GROUPS = {
    "gpio": ("doctor.device.pins", ("dev/gpiochip*",)),
    "video": ("doctor.device.cameras", ("dev/video*", "dev/media*")),
    "audio": ("doctor.device.sound", ("dev/snd/pcm*",)),
}
# Bits of `vcgencmd get_throttled`, by the Raspberry Pi's documentation; shifted by SINCE_START: at any time
# since the start.
UNDER_VOLTAGE, CAPPED, THROTTLED, HOT = 1, 2, 4, 8
SINCE_START = 16


def check_computer(machine: Machine) -> list[Problem]:
    """Report the computer's model, and a referee that is running."""
    model = machine.text("proc/device-tree/model")
    key = "doctor.this_is" if model else "doctor.this_computer_is_no_raspberry"
    findings = [finding(key, "computer", Health.OK, model=model)]
    if (machine.run("systemctl", "is-active", "ringmaster") or "").strip() == "active":
        key, advice = "doctor.referee_is_running_already_and", "doctor.to_check_those_stop_it"
        findings.append(finding(key, "computer", Health.POOR, advice))
    return findings


def check_permissions(machine: Machine) -> list[Problem]:
    """Report devices without permission, with the group that has it."""
    refused = {}
    for group, (name, patterns) in GROUPS.items():
        devices = machine.paths(*patterns)
        if devices and not any(machine.usable(device) for device in devices):
            refused[group] = phrase(name)
    if not refused:
        return [finding("doctor.this_user_may_use_all", "permissions", Health.OK)]
    message = phrase("doctor.this_user_may_not_use", devices=list(refused.values()))
    advice = phrase("doctor.run_sudo_usermod_ag_then", groups=",".join(refused), user=machine.user())
    return [Problem("permissions", Health.MISSING, message, advice)]


def check_power(machine: Machine) -> list[Problem]:
    """Report too little power, and heat."""
    bits = power_bits(machine)
    degrees = machine.number("sys/class/thermal/thermal_zone0/temp")
    if bits is None:
        return [finding("doctor.this_computer_does_not_say", "power", Health.SKIPPED)]
    findings, since_start = [], bits >> SINCE_START
    supply, cooling = "doctor.use_official_power_supply_and", "doctor.give_it_fan_or_heat"
    if bits & UNDER_VOLTAGE:
        findings.append(finding("doctor.raspberry_pi_gets_too_little", "power", Health.MISSING, supply))
    elif since_start & UNDER_VOLTAGE:
        findings.append(finding("doctor.raspberry_pi_got_too_little", "power", Health.POOR, supply))
    slow, hot = CAPPED | THROTTLED | HOT, degrees is not None and degrees >= HOT_MILLIDEGREES
    if bits & slow or hot:
        known = degrees is not None
        key = "doctor.raspberry_pi_is_slowed_down_it_is" if known else "doctor.raspberry_pi_is_slowed_down"
        findings.append(finding(key, "power", Health.POOR, cooling, heat=(degrees or 0) // 1000))
    elif since_start & slow:
        findings.append(finding("doctor.raspberry_pi_was_slowed_down", "power", Health.POOR, cooling))
    return findings or [finding("doctor.voltage_and_temperature_are_fine", "power", Health.OK)]


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
        findings.append(finding("doctor.kernel_stamps_presses_on_clock", "clock", Health.OK, release=release))
    else:
        findings.append(finding("doctor.kernel_is_too_old_to", "clock", Health.MISSING, UPDATE, release=release))
    if machine.year() < FIRST_YEAR:
        advice = "doctor.connect_network_once_or_set"
        findings.append(finding("doctor.date_is_wrong_it_says", "clock", Health.POOR, advice, year=machine.year()))
    return findings


def check_disk(machine: Machine) -> list[Problem]:
    """Report too little space for journals and recordings."""
    folder = machine.folder()
    try:
        free = machine.free_bytes(folder)
    except OSError as error:
        key, why = "doctor.cannot_be_looked_at", error.strerror or error
        return [finding(key, "disk", Health.MISSING, "doctor.check_sd_card", folder=folder, why=why)]
    room = phrase("doctor.gb_are_free", size=f"{free / GIB:.1f}")
    if not machine.writable(folder):
        key, advice = "doctor.nothing_can_be_written_to", "doctor.check_sd_card_and_its"
        return [finding(key, "disk", Health.MISSING, advice, folder=folder)]
    if free < LEAST_BYTES:
        return [finding("doctor.disk_is_full", "disk", Health.MISSING, "doctor.delete_old_recordings", room=room)]
    if free < FEW_BYTES:
        advice = "doctor.delete_old_recordings"
        return [finding("doctor.there_is_little_room_for", "disk", Health.POOR, advice, room=room)]
    return [finding("doctor.there_is_room_for_recordings", "disk", Health.OK, room=room)]


SHOW_S = 0.6
Prompt = Callable[[str], None]


def check_pins(make_factory: FactoryMaker) -> list[Problem]:
    """Report whether the Raspberry Pi's pins can be used."""
    try:
        make_factory()
    except HardwareError as error:
        return fault_of("pins", error)
    return [finding("doctor.pins_can_be_used", "pins", Health.OK)]


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
        return fault_of("bell", error)
    try:
        if stuck := [_place(spec) for spec, edge in zip(specs, levels, strict=True) if edge.active]:
            advice = "doctor.let_it_go_or_check"
            return [finding("doctor.bell_on_is_held_down", "bell", Health.MISSING, advice, pins=stuck)]
        if press_s > 0:
            prompt(phrase("doctor.please_ring_bell_now_seconds", seconds=f"{press_s:.0f}"))
            return _pressed(rung.wait(press_s), lines)
        pins = [_place(spec) for spec in specs]
        return [finding("doctor.bells_line_on_is_quiet", "bell", Health.OK, "doctor.try_it_with_press", pins=pins)]
    finally:
        lines.close()


def _pressed(rung: bool, lines: GpioLines) -> list[Problem]:
    if not rung:
        return [finding("doctor.nobody_rang_or_bell_is", "bell", Health.MISSING, "doctor.check_its_two_wires")]
    heard = finding("doctor.bell_was_heard", "bell", Health.OK)
    if lines.check.agrees:
        ms = f"{lines.check.worst_lag_ns / MS:.1f}"
        return [heard, finding("doctor.bells_time_stamps_are_on", "bell clock", Health.OK, ms=ms)]
    return [heard, finding("doctor.bells_time_stamps_are_not", "bell clock", Health.POOR, UPDATE)]


def check_sandtimer(settings: SandSettings, make_factory: FactoryMaker) -> list[Problem]:
    """Report whether the sandtimer's sensors are free; only a flip shows whether they see the sand."""
    specs = sand_lines(settings)
    if not specs:
        return [finding("doctor.no_pin_is_set_for", "sandtimer", Health.MISSING)]
    lines = GpioLines(specs, make_factory)
    try:
        levels = lines.open(lambda edge: None, lambda state, message: None)
    except HardwareError as error:
        return fault_of("sandtimer", error)
    lines.close()
    if any(edge.line == BARRIER and edge.active for edge in levels):
        key, advice = "doctor.sandtimers_light_barrier_is_blocked", "doctor.put_timers_neck_between_its"
        return [finding(key, "sandtimer", Health.POOR, advice)]
    pins = [_place(spec) for spec in specs]
    return [finding("doctor.sandtimers_sensors_on_can_be", "sandtimer", Health.OK, "doctor.flip_it_to_try", pins=pins)]


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
        return fault_of("lamp", error)
    if not silent:
        lamp.show(Signal.VALID)
        pause(SHOW_S)
    lamp.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Problem("lamp", Health.MISSING, broken[-1])]
    if silent:
        return [finding("doctor.lamp_and_buzzer_can_be", "lamp", Health.OK)]
    return [finding("doctor.lamp_should_have_lit_green", "lamp", Health.OK, "doctor.if_it_did_not_check_wires")]


def _place(spec: LineSpec) -> str:
    return f"GPIO{spec.pin.number}"


SPEECH_LIMIT_S = 20.0
LISTEN_S = 3.0


def check_speech(settings: SpeakerSettings, sentence: str, silent: bool = False) -> list[Problem]:
    """Say a sentence, or, if `silent`, only render it."""
    if settings.backend == "none":
        return [finding("doctor.speech_is_switched_off", "speech", Health.SKIPPED)]
    reports: list[Problem] = []
    try:
        voices, player = installed_voices(settings), installed_player(settings)
        speaker = SpokenSpeaker(settings, voices, player, reports.append)
    except HardwareError as error:
        return fault_of("speech", error)
    except OSError as error:
        return [finding("error.hardware.no_place_for_speech", "speech", Health.MISSING, why=error.strerror or error)]
    (speaker.prepare if silent else speaker.say)([sentence])
    done = speaker.wait(SPEECH_LIMIT_S)
    speaker.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Problem("speech", Health.MISSING, broken[-1])]
    if not done:
        return [finding("doctor.speech_takes_too_long_on", "speech", Health.MISSING, "doctor.choose_espeak")]
    if silent:
        return [finding("doctor.speech_can_be_made_was", "speech", Health.OK, sentence=sentence)]
    key, advice = "doctor.you_should_have_heard", "doctor.if_not_check_loudspeaker"
    return [finding(key, "speech", Health.OK, advice, sentence=sentence)]


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
        return fault_of("bell", error)
    finally:
        source.close()
    if not heard:
        key, advice = "doctor.bells_microphone_gives_no_sound", "doctor.unplug_it_and_plug_it"
        return [finding(key, "bell", Health.MISSING, advice)]
    if loudest == 0.0:
        return [finding("doctor.bells_microphone_is_muted", "bell", Health.MISSING, "doctor.switch_it_on_and_up")]
    return [finding("doctor.bells_microphone_hears_room", "bell", Health.OK)]
