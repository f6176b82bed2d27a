"""Checks of the computer itself: what it is, who may use its devices, its power, clock and disk."""

from __future__ import annotations

import re

from hardware.edges import kernel_stamps_monotonic
from referee.doctor.finding import Finding, State
from referee.doctor.machine import Machine

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
