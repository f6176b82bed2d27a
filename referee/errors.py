"""Errors of the referee; every message is one sentence for the person at the table."""


class RingmasterError(Exception):
    """Any error of the referee."""


class BadInputError(RingmasterError, ValueError):
    """Input or usage that cannot be worked with (exit status 2)."""


class SettingError(BadInputError):
    """A setting that cannot be. key: which sentence the page says, with `values` in its places."""

    def __init__(self, text: str, key: str, **values: object) -> None:
        super().__init__(text)
        self.key, self.values = key, values


class OvertakenError(RingmasterError):
    """What somebody told hung on how things stood, and something else came first."""


class WorkFailedError(RingmasterError, RuntimeError):
    """The input was fine but the work itself failed (exit status 1)."""
