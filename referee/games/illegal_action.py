"""Error for an action that the rules do not allow now; shared by all games."""

from __future__ import annotations

from enum import Enum

from referee.errors import BadInputError


class IllegalActionError(BadInputError):
    """An action was asked for that the rules do not allow now; `reason` says why."""

    def __init__(self, reason: Enum) -> None:
        super().__init__(f"the rules do not allow it now ({reason.value})")
        self.reason = reason


def demand(reason: Enum | None) -> None:
    """Take the answer of a `verify_x`, and go on only if nothing speaks against the action.

    Raises:
        IllegalActionError: something does.
    """
    if reason is not None:
        raise IllegalActionError(reason)
