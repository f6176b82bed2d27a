"""How a club is set; kept in a file in its folder that only its owner may read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from referee.errors import WorkFailedError
from referee.files import write_whole
from referee.mqtt.settings import STRICT, Broker, Name, changed

FILE = "club.json"
_MOST_BYTES = 1 << 18


@dataclass(frozen=True, config=STRICT)
class ClubSettings(Broker):
    """What can be set: how the broker is reached, and the rest.

    name: the club's. database: its address, "" for a file of SQLite in the club's folder. scale: the league's points
    for each place, from the first; none: see `league`.
    """

    name: Name = "Club"
    database: str = field(default="", repr=False)
    scale: tuple[Annotated[float, Field(ge=0, le=1000)], ...] = ()

    def changed(self, data: Mapping[str, Any]) -> ClubSettings:
        """Give the settings with some of them changed. Raises BadInputError if they cannot be."""
        return changed(self, data)

    def address(self, folder: Path) -> str:
        """Give the database's address."""
        return self.database or f"sqlite:///{(folder / 'club.sqlite').absolute()}"


def load_club(folder: Path) -> ClubSettings:
    """Give the settings kept in a folder, else the usual ones.

    Raises:
        WorkFailedError: they are there and cannot be read.
    """
    try:
        return TypeAdapter(ClubSettings).validate_json((folder / FILE).read_bytes()[:_MOST_BYTES])
    except FileNotFoundError:
        return ClubSettings()
    except PermissionError as error:
        raise WorkFailedError("error.club.is_another_users_say_sudo", folder=folder) from error
    except (OSError, ValueError) as error:
        raise WorkFailedError("error.club.cannot_be_read_set_club", folder=folder / FILE) from error


def save_club(folder: Path, settings: ClubSettings) -> None:
    """Keep the settings, for their owner's eyes only. Raises WorkFailedError if the disk does not take them."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
    except OSError as error:
        raise WorkFailedError("error.club.folder_cannot_be_made", folder=folder, why=error.strerror) from error
    write_whole(folder / FILE, (json.dumps(asdict(settings), indent=1) + "\n").encode(), secret=True)
