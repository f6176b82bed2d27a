"""Errors of the referee: each names one sentence of the catalogues for the person at the table."""


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
    """Input or usage that cannot be worked with (exit status 2)."""

    status = 400


class SettingError(BadInputError):
    """A setting that cannot be."""


class OvertakenError(RingmasterError):
    """A command depended on a state that something else has changed."""


class WorkFailedError(RingmasterError, RuntimeError):
    """The input was fine but the work itself failed (exit status 1)."""
