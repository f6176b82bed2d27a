"""How a club is set; kept in a file in its folder that only its owner may read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from referee.errors import BadInputError, WorkFailedError
from referee.files import write_whole
from referee.mqtt.settings import Broker, check_broker

FILE = "club.json"
_MOST_BYTES = 1 << 18


@dataclass(frozen=True)
class ClubSettings(Broker):
    """What can be set: how the broker is reached, and the rest.

    name: the club's. database: its address, "" for a file of SQLite in the club's folder. scale: the league's points
    for each place, from the first; none: see `league`.
    """

    name: str = "Club"
    database: str = field(default="", repr=False)
    scale: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_broker(self)
        if not self.name.strip() or len(self.name) > 60:
            raise BadInputError("a club has a name of up to 60 letters")
        if not all(0 <= one <= 1000 for one in self.scale):
            raise BadInputError("points for a place are between 0 and 1000")

    def changed(self, data: Mapping[str, Any]) -> ClubSettings:
        """Give the settings with some of them changed. Raises BadInputError if they cannot be."""
        return replace(self, **data)

    def address(self, folder: Path) -> str:
        """Give the database's address."""
        return self.database or f"sqlite:///{(folder / 'club.sqlite').absolute()}"


def load_club(folder: Path) -> ClubSettings:
    """Give the settings kept in a folder, else the usual ones.

    Raises:
        WorkFailedError: they are there and cannot be read.
    """
    try:
        data = json.loads((folder / FILE).read_bytes()[:_MOST_BYTES])
        known = {one.name for one in fields(ClubSettings)}
        kept: dict[str, Any] = {
            name: tuple(value) if name == "scale" else value for name, value in data.items() if name in known
        }
        return ClubSettings(**kept)
    except FileNotFoundError:
        return ClubSettings()
    except PermissionError as error:
        raise WorkFailedError(f"{folder} is another user's: say sudo -u with the club's own") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise WorkFailedError(f"{folder / FILE} cannot be read: set the club anew with ringmaster club set") from error


def save_club(folder: Path, settings: ClubSettings) -> None:
    """Keep the settings, for their owner's eyes only. Raises WorkFailedError if the disk does not take them."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
    except OSError as error:
        raise WorkFailedError(f"the folder {folder} cannot be made: {error.strerror}") from error
    write_whole(folder / FILE, (json.dumps(asdict(settings), indent=1) + "\n").encode(), secret=True)
