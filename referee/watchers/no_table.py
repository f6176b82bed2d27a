"""What players are told when a picture does not show where the table is."""

from __future__ import annotations

from referee.engine.session import Notice
from referee.errors import BadInputError
from vision.errors import DoubledMarkerError, MirroredError, MovedCameraError, VisionError


def no_table_notice(error: BadInputError | VisionError, t_ns: int) -> Notice:
    """Give the notice: `mirrored`, `two_markers` (`number`), `camera_moved` or `no_table`, each with its `text`."""
    said = {"text": str(error)}
    match error:
        case MirroredError():
            return Notice(t_ns, "mirrored", None, said)
        case DoubledMarkerError(ids=(number, *_)):
            return Notice(t_ns, "two_markers", None, {"number": number, **said})
        case MovedCameraError():
            return Notice(t_ns, "camera_moved", None, said)
        case _:
            return Notice(t_ns, "no_table", None, said)
