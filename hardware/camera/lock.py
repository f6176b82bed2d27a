"""What a camera is held to (exposure, gain, colour gains), and what to do with frames that drift. No camera in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from hardware.camera.exposure import Exposure

# Sensors expose whole rows (some 20 µs) and have gains in steps; what they report back differs by that much.
TOLERANCE = 0.02
ROW_US = 60.0


@dataclass(frozen=True)
class Lock:
    """What is held: exposure, and the red and blue gains of the white balance (None: not held)."""

    exposure: Exposure
    colour_gains: tuple[float, float] | None

    def controls(self) -> dict[str, object]:
        """Give the libcamera controls that set it; they also end the automatics."""
        controls = exposure_controls(self.exposure)
        if self.colour_gains is not None:
            controls |= {"AwbEnable": False, "ColourGains": self.colour_gains}
        return controls

    def drift(self, metadata: Mapping[str, object]) -> str | None:
        """Name what of a frame's metadata is not as it was set, or None; what the camera does not report is trusted."""
        if not exposure_matches(self.exposure, metadata):
            return "exposure"
        gains = metadata.get("ColourGains")
        if self.colour_gains is not None and isinstance(gains, (tuple, list)):
            for wanted, got in zip(self.colour_gains, gains, strict=False):
                if abs(float(got) - wanted) > TOLERANCE * wanted:
                    return "white balance"
        return None


class Verdict(Enum):
    """What to do with a frame: use it, refuse it, refuse it and set the lock again, or give the lock up and use it."""

    USE = "use"
    REFUSE = "refuse"
    SET_AGAIN = "set again"
    GIVE_UP = "give up"


class DriftWatch:
    """Decides frame by frame: a drifting frame is refused and the lock set again, until it is clear that it is no use.

    again_after: frames between two tries (controls take some frames to work). give_up_after: drifting frames in a row.
    """

    def __init__(self, lock: Lock, again_after: int = 8, give_up_after: int = 48) -> None:
        self.lock = lock
        self.refused = 0
        self._again_after = again_after
        self._give_up_after = give_up_after
        self._in_a_row = 0

    def judge(self, metadata: Mapping[str, object]) -> Verdict:
        """Judge the next frame by its metadata."""
        if self.lock.drift(metadata) is None:
            self._in_a_row = 0
            return Verdict.USE
        self._in_a_row += 1
        if self._in_a_row > self._give_up_after:
            return Verdict.GIVE_UP
        self.refused += 1
        return Verdict.SET_AGAIN if self._in_a_row % self._again_after == 1 else Verdict.REFUSE


def exposure_controls(exposure: Exposure) -> dict[str, object]:
    """Give the libcamera controls for one exposure."""
    return {"AeEnable": False, "ExposureTime": round(exposure.time_us), "AnalogueGain": exposure.gain}


def exposure_matches(exposure: Exposure, metadata: Mapping[str, object]) -> bool:
    """Whether a frame's metadata say that it was taken with this exposure; what is not reported is trusted."""
    time_us = metadata.get("ExposureTime")
    if isinstance(time_us, (int, float)) and abs(time_us - exposure.time_us) > max(
        TOLERANCE * exposure.time_us, ROW_US
    ):
        return False
    gain = metadata.get("AnalogueGain")
    return not (isinstance(gain, (int, float)) and abs(gain - exposure.gain) > 3 * TOLERANCE * exposure.gain)
