"""What the page has to do with the devices."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from referee.service.phone_bells import Arrival
from referee.service.settings import TableSettings


class DeviceAdmin(Protocol):
    """The devices that are fitted."""

    def flip(self) -> bool:
        """Take it that the sandtimer was turned, told by a person; False if nothing here runs by that."""

    def cameras(self) -> list[tuple[str, str]]:
        """Give the cameras that are plugged in: what each is set by, and what its maker calls it."""

    def camera_notes(self) -> tuple[str, ...]:
        """Give what the camera could not do when it was set up, of `hardware.camera.notes`."""

    def ring(self, seat: int, t_ns: int, within_ns: int) -> bool:
        """Take a press of a phone that is a bell, certain to ± `within_ns`; False if nothing here brings it in order.

        Raises:
            PhoneRingError: it cannot count.
        """

    def bell_here(self) -> None:
        """Take it that a phone may ring from now on."""

    def check(self, settings: TableSettings) -> None:
        """Try the devices that other settings name. Raises SettingError if one of them cannot be had."""

    def fit(self, settings: TableSettings) -> None:
        """Go on with the devices that other settings name."""


@runtime_checkable
class DatesRings(Protocol):
    """Devices that know how far a phone's press may be dated back."""

    def ring_that_came(self, seat: int, t_ns: int, within_ns: int, arrival: Arrival) -> bool:
        """Take a press as `DeviceAdmin.ring` does, dated back by half of the phone's round trip at most."""


class NoDeviceAdmin:
    """No devices."""

    def flip(self) -> bool:
        """Nothing runs by hand."""
        return False

    def cameras(self) -> list[tuple[str, str]]:
        """Nothing is plugged in."""
        return []

    def camera_notes(self) -> tuple[str, ...]:
        """Nothing was set up."""
        return ()

    def ring(self, seat: int, t_ns: int, within_ns: int) -> bool:
        """Nothing keeps rings in order."""
        return False

    def bell_here(self) -> None:
        """Nothing waits for it."""

    def check(self, settings: TableSettings) -> None:
        """Nothing can be missing."""

    def fit(self, settings: TableSettings) -> None:
        """Nothing is to be fitted."""
