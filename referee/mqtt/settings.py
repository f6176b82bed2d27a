"""Settings of broker and club, in a file of their own that only its owner may read."""

from __future__ import annotations

import os
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from referee.errors import BadInputError, SettingError
from referee.files import set_aside
from referee.jsonlines import shown
from referee.machine_id import own_name
from referee.models import Model, refused_as
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
    """How a broker is reached."""

    host: Annotated[
        str,
        Field(max_length=253, pattern=r"^[A-Za-z0-9_.:%-]*$"),
        refused_as("fault.mqtt_host"),
    ] = ""
    port: Annotated[int, Field(ge=0, lt=1 << 16), refused_as("fault.mqtt_port")] = 0
    """0 takes the usual one."""
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
    """Certificates (PEM) to trust instead of the system's; "": those."""

    @property
    def usual_port(self) -> int:
        """The port to go to."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)

    def context(self) -> ssl.SSLContext | None:
        """Return what a line by TLS needs, None for one without."""
        return ssl.create_default_context(cadata=self.ca or None) if self.tls else None


class HouseSettings(Broker):
    """What a page and the terminal change."""

    on: bool = False
    """Whether anything is reported at all."""
    buttons: bool = False
    """Whether the house may pause and count."""
    name: Name = "Ringmaster"
    """The table's, for people."""


class Membership(Model):
    """The club of this table. key: of seals, hexadecimal. since_ms: wall time; no earlier game is published."""

    club: str
    key: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$", repr=False)]
    since_ms: int


class MqttSettings(HouseSettings):
    """What is kept."""

    table: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""
    """This table's name on the line, made once."""
    club: Membership | None = None
    """None outside of one."""
    invitation: Annotated[str, Field(repr=False)] = ""
    """A club's code, given at the terminal, until that club was asked."""
    machine: str = ""
    """The computer and folder that this is the file of, "" where nobody knows."""
    since_ms: int = 0
    """The next club gets games from this wall time on; 0: from when it lets the table in."""

    @model_validator(mode="after")
    def _named(self) -> MqttSettings:
        if self.on and not self.host:
            raise SettingError("fault.mqtt_no_host")
        return self

    def changed(self, data: Mapping[str, Any]) -> MqttSettings:
        """Return the settings with some of the `HouseSettings` changed.

        Raises:
            BadInputError: there is no such setting, or no such value of it.
        """
        for name in data:
            if name not in HouseSettings.model_fields:
                raise BadInputError("error.mqtt.there_is_no_setting", name=shown(name))
        return changed(self, data)

    def public(self) -> dict[str, Any]:
        """Return what may be shown: no secret, but whether there is one."""
        shown = self.model_dump(include={*HouseSettings.model_fields, "table"}, exclude={"password", "ca"})
        club = None if self.club is None else self.club.club
        return {**shown, "has_password": bool(self.password), "has_ca": bool(self.ca), "club": club}


def load_mqtt(folder: Path) -> MqttSettings:
    """Return the settings kept in a folder; the usual ones, with nothing switched on, where they cannot be read."""
    try:
        return _kept(folder)[0]
    except (OSError, ValueError, RecursionError):
        return _fresh(folder)


@dataclass(frozen=True)
class BrokenSettings:
    """The settings are not as they were kept.

    key: of `sayings.house`. "damaged": they could not be read, and the file was set aside. "restored": the same, but
    this process has kept them. "copied": the file came from another computer, so that this one takes a name of its
    own; its club does not know that name. "left": this version cannot use some of them. left: their names.
    """

    key: str
    left: tuple[str, ...] = ()

    def text(self, name: str) -> Phrase:
        """Return it in words; name: the table's."""
        return settings_left(self.left) if self.left else house.line(self.key, name)


def take_mqtt(folder: Path) -> tuple[MqttSettings, BrokenSettings | None]:
    """Return the settings kept in a folder, and what is wrong with them."""
    try:
        found, left = _kept(folder)
    except FileNotFoundError:
        return _fresh(folder), None
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
    """Return the settings of a table that shares its name with another: it takes this one, and leaves the club."""
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
    """Keep the settings, for their owner's eyes only.

    Raises:
        WorkFailedError: the disk does not take them.
    """
    path = folder / FILE
    write_settings(path, settings, _GIVES_WAY, secret=True)
    if os.geteuid() == 0:
        # Set at the terminal by the administrator; the referee's own user must be able to read it.
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
