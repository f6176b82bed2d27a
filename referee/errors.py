"""Errors of the referee: each names one sentence of the catalogues for people."""


class RingmasterError(Exception):
    """Any error of the referee. key: of its text; values: in the text's places; status: of a web answer.

    `str()` is the English text. `referee.phrases.in_language` gives it in another language, with values that are
    errors or phrases themselves.
    """

    status = 409

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values

    def __str__(self) -> str:
        """Return the English text."""
        from referee.language import Language
        from referee.phrases import in_language

        return in_language(self, Language("en"))


class BadInputError(RingmasterError, ValueError):
    """Unusable input or usage (exit status 2)."""

    status = 400


class SettingError(BadInputError):
    """An impossible setting."""


class OvertakenError(RingmasterError):
    """A command that depended on a state which has changed meanwhile."""


class WorkFailedError(RingmasterError, RuntimeError):
    """The input was fine but the work itself failed (exit status 1)."""
