"""What can be wrong with what the reader is given; every message is one sentence for the person at the table."""


class VisionError(Exception):
    """Any error of the reader."""


class BadImageError(VisionError, ValueError):
    """A file that is no picture, is torn, or is too large to be one of a table."""


class BadDeckError(VisionError, ValueError):
    """A deck that does not exist or whose description contradicts itself."""


class BadTableError(VisionError, ValueError):
    """Markers or a table profile that give no table."""


class MirroredError(BadTableError):
    """A picture in which left and right are swapped, as its markers show."""


class DoubledMarkerError(BadTableError):
    """A picture in which two marker cards or more have the same number; `ids` are those numbers."""

    def __init__(self, ids: tuple[int, ...], name: str = "the picture") -> None:
        self.ids = ids
        many = len(ids) > 1
        numbers = ", ".join(map(str, ids[:-1])) + " and " * many + str(ids[-1])
        super().__init__(
            f"marker card{'s' * many} {numbers} {'are' if many else 'is'} in {name} twice: "
            f"take away the one{'s' * many} that {'do' if many else 'does'} not belong there"
        )


class MovedCameraError(BadTableError):
    """A picture that does not show the camera where it stood when the table was surveyed."""


class BadLessonError(VisionError, ValueError):
    """Pictures, names or sizes from which no deck can be learned."""
