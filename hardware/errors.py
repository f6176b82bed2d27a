"""Errors of the devices; every message is one sentence for the person at the table."""


class HardwareError(Exception):
    """Any error of a device."""


class BadSettingError(HardwareError, ValueError):
    """A device is set up in a way that cannot work (exit status 2)."""


class DeviceMissingError(HardwareError, OSError):
    """A device, or the program or package that drives it, is not there or went away."""


class NoPermissionError(HardwareError, PermissionError):
    """The device is there, but this user may not use it."""


class PinInUseError(HardwareError, RuntimeError):
    """Two devices were given the same pin, or another program holds it."""


class TooLittleSandError(HardwareError, ValueError):
    """What was recorded of a sandtimer is not enough to learn it from."""
