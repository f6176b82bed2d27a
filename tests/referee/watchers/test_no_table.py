"""What players are told when a picture does not show the table."""

from __future__ import annotations

import pytest

from referee.errors import BadInputError
from referee.language import Language
from referee.sayings.service import notice
from referee.watchers.table_finder import no_table_notice
from vision.errors import BadTableError, DoubledMarkerError, MirroredError, MovedCameraError, VisionError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadInputError("no marker card"), "please uncover the marker cards"),
        (BadTableError("no flat table"), "please uncover the marker cards"),
        (MirroredError("mirrored"), "please turn mirroring off"),
        (DoubledMarkerError((1,)), "Two marker cards have the number one: please take the one away"),
        (MovedCameraError("moved"), "The camera was moved: please lay the marker cards 0 to 3"),
    ],
)
def test_players_are_told_what_to_do(error: BadInputError | VisionError, said: str) -> None:
    told = no_table_notice(error, 5)
    assert told.t_ns == 5
    assert said in notice(told.kind, told.seat, told.data, ["Ann"], Language("en"))
