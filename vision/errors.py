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
