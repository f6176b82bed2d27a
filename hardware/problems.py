"""Defines the errors of the devices, and the board of their states with advice."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Said(str):
    """An English sentence with the key of its translations, and the values for its {places}."""

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, text: str, /, **values: object) -> Said:
        """Return the sentence with its places filled."""
        said = super().__new__(cls, re.sub(r"\{(\w+)\}", lambda place: str(values.get(place[1], place[0])), text))
        said.key, said.values = key, values
        return said


class HardwareError(Exception):
    """Any error of a device.

    key: of its translations; text: English, with {places} for the values. message: the fault; advice: its remedy, or
    ""; said: both.
    """

    def __init__(self, key: str, text: str, /, *, advice: Said | None = None, **values: object) -> None:
        super().__init__(key, text)
        self.message, self.advice = Said(key, text, **values), advice or ""
        self.said, self.text = self.message, text
        if advice:
            self.text = "{message} {advice}"
            self.said = Said("error.fault_with_advice", "{message} {advice}", message=self.message, advice=advice)
        self.key, self.values = self.said.key, self.said.values

    def __str__(self) -> str:
        """Return the English text."""
        return self.said


def one_line(error: BaseException) -> str:
    """Return an error's text as one line of at most 200 characters; without a text, the name of its class."""
    return " ".join(str(error).split())[:200] or type(error).__name__


class BadSettingError(HardwareError, ValueError):
    """A device's settings cannot work (exit status 2)."""


class DeviceMissingError(HardwareError, OSError):
    """A device, or the program or package that drives it, is missing or went away."""


class NoPermissionError(HardwareError, PermissionError):
    """The device is there, but this user may not use it."""


class PinInUseError(HardwareError, RuntimeError):
    """Two devices were given the same pin, or another program holds it."""


class TooLittleSandError(HardwareError, ValueError):
    """A recording of a sandtimer is too short to learn from."""


INSTALL_ALSA = Said("doctor.install_alsa", "Install it: sudo apt install alsa-utils.")


class Severity(Enum):
    """OK: works. REMARK: works, but could work better. FAULT: does not work. SKIPPED: unused or unknown."""

    OK = "ok"
    REMARK = "remark"
    FAULT = "fault"
    SKIPPED = "skipped"


class Health(Enum):
    """State of a part of the table.

    OK: works. MISSING: absent, unplugged, or without permission. STALLED: present but silent. STUCK: a button that is
    held, jammed or shorted, and ignored. CLOCK: has wrong time stamps. POOR: works badly. SKIPPED: unused or unknown.
    """

    OK = "ok"
    MISSING = "missing"
    STALLED = "stalled"
    STUCK = "stuck"
    CLOCK = "clock"
    POOR = "poor"
    SKIPPED = "skipped"

    @property
    def severity(self) -> Severity:
        """Severity of the state."""
        known = {
            Health.OK: Severity.OK,
            Health.SKIPPED: Severity.SKIPPED,
            Health.MISSING: Severity.FAULT,
            Health.STALLED: Severity.FAULT,
        }
        return known.get(self, Severity.REMARK)


@dataclass(frozen=True)
class Problem:
    """The state of a part of the table.

    part: "camera", "bell 2", "disk", "guard dark". message: one sentence for the person at the table, a `Said` where it
    has translations, "" for OK. advice: a sentence with a remedy, or "". t_ns: start of the state.
    """

    part: str
    state: Health
    message: str = ""
    advice: str = ""
    t_ns: int = 0


class HealthBoard:
    """Holds the latest state of every device with its start: `states`, by name. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.states: tuple[Problem, ...] = ()

    def report(self, health: Problem) -> bool:
        """Note a state; return whether it is new. An equal state keeps its first time; an older one is ignored."""
        with self._lock:
            for known in self.states:
                same = (known.state, known.message) == (health.state, health.message)
                if known.part == health.part and (same or health.t_ns < known.t_ns):
                    return False
            others = (one for one in self.states if one.part != health.part)
            self.states = tuple(sorted((*others, health), key=lambda one: one.part))
            return True

    def forget(self, kind: str) -> None:
        """Forget `kind` itself and its parts ("bell": "bell", "bell 0" and so on)."""
        with self._lock:
            self.states = tuple(one for one in self.states if one.part.split()[0] != kind)

    def troubles(self) -> tuple[Problem, ...]:
        """Return the states that are not OK, by name."""
        return tuple(health for health in self.states if health.state is not Health.OK)
