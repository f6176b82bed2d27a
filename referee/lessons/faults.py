"""What can go wrong in a lesson on the page."""

from __future__ import annotations

from referee.errors import BadInputError


class LessonError(BadInputError):
    """Something that cannot be done in a lesson."""
