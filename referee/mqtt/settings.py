"""Settings of broker and club, in a file that only its owner may read."""

from __future__ import annotations

import os
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from referee.errors import BadInputError, SettingError, WorkFailedError
from referee.files import set_aside
from referee.jsonlines import shown
from referee.models import Model, refused_as
from referee.mqtt.machine_id import own_name
from referee.phrases import Phrase
from referee.sayings import house
from referee.sayings.service import settings_left
from referee.settings_file import changed, read_settings, write_settings

FILE = "mqtt.json"
PLAIN_PORT, TLS_PORT = 1883, 8883
_MOST_NAME = 60
_GIVES_WAY = ("on",)
Name = Annotated[str, Field(max_length=_MOST_NAME, pattern=r"\S"), refused_as("fault.mqtt_name")]


def _authority(ca: str) -> str:
    try:
        if ca:
            ssl.create_default_context(cadata=ca)
    except ssl.SSLError as error:
        raise ValueError("no certificate") from error
    return ca


class Broker(Model):
    """Access to a broker."""

    host: Annotated[
        str,
        Field(max_length=253, pattern=r"^[A-Za-z0-9_.:%-]*$"),
        refused_as("fault.mqtt_host"),
    ] = ""
    port: Annotated[int, Field(ge=0, lt=1 << 16), refused_as("fault.mqtt_port")] = 0
    """0: the default port."""
    user: Annotated[
        str,
        Field(max_length=200, pattern=r"^[^\x00]*$"),
        refused_as("fault.mqtt_text"),
    ] = ""
    password: Annotated[
        str,
        Field(max_length=500, pattern=r"^[^\x00]*$", repr=False),
        refused_as("fault.mqtt_text"),
    ] = ""
    tls: bool = False
    ca: Annotated[
        str,
        Field(max_length=1 << 17, repr=False),
        AfterValidator(_authority),
        refused_as("fault.mqtt_ca"),
    ] = ""
    """Certificates (PEM) to trust instead of the system's; "": the system's."""

    @property
    def usual_port(self) -> int:
        """The port to connect to."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context; None without TLS."""
        return ssl.create_default_context(cadata=self.ca or None) if self.tls else None


class HouseSettings(Broker):
    """Settings that the page and the terminal change."""

    on: bool = False
    """Whether to publish at all."""
    buttons: bool = False
    """Whether the house may pause and count."""
    name: Name = "Ringmaster"
    """The table's name for people."""


class Membership(Model):
    """The club of this table. key: for seals, hexadecimal. since_ms: wall time; earlier games are not published."""

    club: str
    key: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$", repr=False)]
    since_ms: int


class MqttSettings(HouseSettings):
    """All stored settings."""

    table: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""
    """This table's name in topics, made once."""
    club: Membership | None = None
    """None without a club."""
    invitation: Annotated[str, Field(repr=False)] = ""
    """A club's code, set at the terminal, until it is used."""
    machine: str = ""
    """The computer and folder of this file, "" if unknown."""
    since_ms: int = 0
    """The next club gets games from this wall time on; 0: from its admission on."""

    @model_validator(mode="after")
    def _named(self) -> MqttSettings:
        if self.on and not self.host:
            raise SettingError("fault.mqtt_no_host")
        return self

    def changed(self, data: Mapping[str, Any]) -> MqttSettings:
        """Return the settings with some of the `HouseSettings` changed.

        Raises:
            BadInputError: a name or value is invalid.
        """
        for name in data:
            if name not in HouseSettings.model_fields:
                raise BadInputError("error.mqtt.there_is_no_setting", name=shown(name))
        return changed(self, data)

    def public(self) -> dict[str, Any]:
        """Return the settings without secrets, but with flags for them."""
        shown = self.model_dump(include={*HouseSettings.model_fields, "table"}, exclude={"password", "ca"})
        club = None if self.club is None else self.club.club
        return {**shown, "has_password": bool(self.password), "has_ca": bool(self.ca), "club": club}


def load_mqtt(folder: Path) -> MqttSettings:
    """Return a folder's settings; if they are unreadable, the defaults with everything off."""
    try:
        return _kept(folder)[0]
    except (OSError, ValueError, RecursionError):
        return _fresh(folder)


@dataclass(frozen=True)
class BrokenSettings:
    """A problem of the stored settings.

    key: of `sayings.house`. "damaged": they were unreadable, and the file was set aside. "restored": the same, but this
    process had them in memory. "copied": the file came from another computer, and this one takes another name, which
    its club does not know. "left": this version cannot use some of them. left: their names.
    """

    key: str
    left: tuple[str, ...] = ()

    def text(self, name: str) -> Phrase:
        """Return the problem in words; name: the table's."""
        return settings_left(self.left) if self.left else house.line(self.key, name)


def take_mqtt(folder: Path) -> tuple[MqttSettings, BrokenSettings | None]:
    """Return a folder's settings, and their problem, if any.

    Raises:
        WorkFailedError: it is not a folder.
    """
    try:
        found, left = _kept(folder)
    except FileNotFoundError:
        return _fresh(folder), None
    except NotADirectoryError as error:
        raise WorkFailedError("error.folder_cannot_be_used", folder=folder, why=error.strerror) from error
    except OSError:
        return _fresh(folder), BrokenSettings("damaged")
    except (ValueError, RecursionError):
        set_aside(folder / FILE)
        return _fresh(folder), BrokenSettings("damaged")
    here = own_name(folder)
    if found.machine and here and found.machine != here:
        return renamed(found, here, folder), BrokenSettings("copied")
    return found.model_copy(update={"machine": here}), BrokenSettings("left", tuple(left)) if left else None


def renamed(settings: MqttSettings, table: str, folder: Path) -> MqttSettings:
    """Return the settings with another table name: the old one is shared, and the club is left."""
    since_ms = settings.since_ms if settings.club is None else settings.club.since_ms
    name = f"{settings.name[: _MOST_NAME - 5]} {table[:4]}"
    other = {"table": table, "name": name, "machine": own_name(folder), "club": None, "since_ms": since_ms}
    return settings.model_copy(update=other)


def _kept(folder: Path) -> tuple[MqttSettings, dict[str, Any]]:
    found, left = read_settings(folder / FILE, MqttSettings(), _GIVES_WAY)
    return found if found.table else found.model_copy(update={"table": _new_name(folder)}), left


def _fresh(folder: Path) -> MqttSettings:
    return MqttSettings(table=_new_name(folder), machine=own_name(folder))


def _new_name(folder: Path) -> str:
    return own_name(folder) or secrets.token_hex(4)


def save_mqtt(folder: Path, settings: MqttSettings) -> None:
    """Store the settings, readable by their owner only.

    Raises:
        WorkFailedError: the disk does not take them.
    """
    path = folder / FILE
    write_settings(path, settings, _GIVES_WAY, secret=True)
    if os.geteuid() == 0:
        # The administrator set them at the terminal; the referee's own user must be able to read them.
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
