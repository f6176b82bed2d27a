"""Errors of the referee; every message is one sentence for the person at the table."""


class RefereeError(Exception):
    """Any error of the referee."""


class BadInputError(RefereeError, ValueError):
    """Input or usage that cannot be worked with (exit status 2)."""


class OvertakenError(RefereeError):
    """What somebody told hung on how things stood, and something else came first."""


class WorkFailedError(RefereeError, RuntimeError):
    """The input was fine but the work itself failed (exit status 1)."""
