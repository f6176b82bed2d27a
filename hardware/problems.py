"""Errors of the devices, and the board of the devices that are missing, since when and with what advice."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Said(str):
    """A sentence in English that knows the key of its translations, and the values in its {places}."""

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, text: str, /, **values: object) -> Said:
        """Return such a sentence."""
        said = super().__new__(cls, re.sub(r"\{(\w+)\}", lambda place: str(values.get(place[1], place[0])), text))
        said.key, said.values = key, values
        return said


class HardwareError(Exception):
    """Any error of a device. key: of its translations; text: in English, with {places} for the values."""

    def __init__(self, key: str, text: str, /, **values: object) -> None:
        super().__init__(key, text)
        self.key, self.text, self.values, self.said = key, text, values, Said(key, text, **values)

    def __str__(self) -> str:
        """Return the English text."""
        return self.said


class BadSettingError(HardwareError, ValueError):
    """A device is set up in a way that cannot work (exit status 2)."""


class DeviceMissingError(HardwareError, OSError):
    """A device, or the program or package that drives it, is not there or went away."""


class NoPermissionError(HardwareError, PermissionError):
    """The device is there, but this user may not use it."""


class PinInUseError(HardwareError, RuntimeError):
    """Two devices were given the same pin, or another program holds it."""


class TooLittleSandError(HardwareError, ValueError):
    """A recording of a sandtimer is too short to learn from."""


class Severity(Enum):
    """OK: works. REMARK: works, but not as well as it could. FAULT: does not work. SKIPPED: not used, or not known."""

    OK = "ok"
    REMARK = "remark"
    FAULT = "fault"
    SKIPPED = "skipped"


class Health(Enum):
    """The state of a part of the table.

    OK: works. MISSING: not there, unplugged, or may not be used. STALLED: there, but gives nothing any more. STUCK: a
    button that is held, jammed or shorted and left out of play. CLOCK: its time stamps cannot be trusted. POOR: works,
    but not well. SKIPPED: not used, or not known.
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
        """How bad it is."""
        known = {
            Health.OK: Severity.OK,
            Health.SKIPPED: Severity.SKIPPED,
            Health.MISSING: Severity.FAULT,
            Health.STALLED: Severity.FAULT,
        }
        return known.get(self, Severity.REMARK)


@dataclass(frozen=True)
class Problem:
    """A part of the table that does not work, or works again.

    part: "camera", "bell 2", "disk", "guard dark". message: one sentence for the person at the table, a `Said` where it
    has translations, "" when all is well. advice: a sentence on what to do, "" where there is nothing to do or the
    message says it. t_ns: since when.
    """

    part: str
    state: Health
    message: str = ""
    advice: str = ""
    t_ns: int = 0

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.state.severity


class HealthBoard:
    """The latest state of every device, with the time since when. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, Problem] = {}

    def report(self, health: Problem) -> bool:
        """Note a state; True if it is news. The same state again keeps its first time, an older one changes nothing."""
        with self._lock:
            known = self._states.get(health.part)
            if known is not None:
                if health.t_ns < known.t_ns:
                    return False
                if (known.state, known.message) == (health.state, health.message):
                    return False
            self._states[health.part] = health
            return True

    def forget(self, kind: str) -> None:
        """Forget devices that are there no more: `kind` itself, and its parts ("bell": "bell", "bell 0" and so on)."""
        with self._lock:
            for device in [device for device in self._states if device.split()[0] == kind]:
                del self._states[device]

    def snapshot(self) -> tuple[Problem, ...]:
        """Return all devices' states, by name."""
        with self._lock:
            return tuple(self._states[name] for name in sorted(self._states))

    def troubles(self) -> tuple[Problem, ...]:
        """Return the states that are not OK, by name."""
        return tuple(health for health in self.snapshot() if health.state is not Health.OK)
