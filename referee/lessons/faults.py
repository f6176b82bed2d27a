"""What can go wrong in a lesson on the page, each with the key of the sentence that the page says."""

from __future__ import annotations

from referee.errors import BadInputError
from referee.sayings.lessons import SENTENCES


class LessonError(BadInputError):
    """Something that cannot be done in a lesson. key: which sentence the page says, with `values` in its places."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(SENTENCES[key].format(**values))
        self.key, self.values = key, values
