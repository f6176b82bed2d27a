"""Settings of a club, in a file in its folder that only its owner may read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from referee.errors import WorkFailedError
from referee.models import refused_as
from referee.mqtt.settings import Broker, Name
from referee.settings_file import changed, read_settings, write_settings

FILE = "club.json"


class ClubSettings(Broker):
    """Settings of a club: access to the broker, database and league."""

    name: Name = "Club"
    database: Annotated[str, Field(repr=False)] = ""
    """The database's address; "": a file of SQLite in the club's folder."""
    scale: Annotated[
        tuple[Annotated[float, Field(ge=0, le=1000)], ...],
        Field(strict=False),
        refused_as("fault.mqtt_points"),
    ] = ()
    """The league's points for each place, from the first; empty: see `league`."""

    def changed(self, data: Mapping[str, Any]) -> ClubSettings:
        """Return the settings with some of them changed. Raises BadInputError if they are invalid."""
        return changed(self, data)

    def address(self, folder: Path) -> str:
        """Return the database's address."""
        return self.database or f"sqlite:///{(folder / 'club.sqlite').absolute()}"


def load_club(folder: Path) -> ClubSettings:
    """Return a folder's settings, else the defaults.

    Raises:
        WorkFailedError: the file exists but cannot be read.
    """
    try:
        settings, left = read_settings(folder / FILE, ClubSettings())
    except FileNotFoundError:
        return ClubSettings()
    except PermissionError as error:
        raise WorkFailedError("error.club.is_another_users_say_sudo", folder=folder) from error
    except (OSError, ValueError, RecursionError) as error:
        raise _unread(folder) from error
    if left.keys() & ClubSettings.model_fields.keys():
        # With the default broker or database the club would continue as an empty one.
        raise _unread(folder)
    return settings


def save_club(folder: Path, settings: ClubSettings) -> None:
    """Store the settings, readable by their owner only. Raises WorkFailedError if the disk does not take them."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
    except OSError as error:
        raise WorkFailedError("error.club.folder_cannot_be_made", folder=folder, why=error.strerror) from error
    write_settings(folder / FILE, settings, secret=True)


def _unread(folder: Path) -> WorkFailedError:
    return WorkFailedError("error.club.cannot_be_read_set_club", folder=folder / FILE)
