"""How a table reaches a broker, and its club; kept in a file of its own that only its owner may read."""

from __future__ import annotations

import json
import os
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from referee.errors import BadInputError, SettingError
from referee.files import set_aside, write_whole
from referee.jsonlines import shown
from referee.machine_id import own_name

FILE = "mqtt.json"
PLAIN_PORT, TLS_PORT = 1883, 8883
SETTABLE = ("on", "host", "port", "user", "password", "tls", "ca", "buttons", "name")
_MOST_BYTES, _MOST_NAME = 1 << 18, 60
STRICT = ConfigDict(strict=True)
Name = Annotated[str, Field(max_length=_MOST_NAME, pattern=r"\S")]
_REFUSALS = {
    "host": "fault.mqtt_host",
    "port": "fault.mqtt_port",
    "user": "fault.mqtt_text",
    "password": "fault.mqtt_text",
    "ca": "fault.mqtt_ca",
    "name": "fault.mqtt_name",
    "scale": "fault.mqtt_points",
    "": "fault.mqtt_no_host",
}
Settings = TypeVar("Settings", bound="Broker")


def _authority(ca: str) -> str:
    try:
        if ca:
            ssl.create_default_context(cadata=ca)
    except ssl.SSLError as error:
        raise ValueError("no certificate") from error
    return ca


@dataclass(frozen=True, config=STRICT)
class Broker:
    """A broker. port: 0 takes the usual one. ca: certificates (PEM) to trust instead of the system's, "" for those."""

    host: Annotated[str, Field(max_length=253, pattern=r"^[A-Za-z0-9_.:%-]*$")] = ""
    port: Annotated[int, Field(ge=0, lt=1 << 16)] = 0
    user: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")] = ""
    password: Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")] = field(default="", repr=False)
    tls: bool = False
    ca: Annotated[str, Field(max_length=1 << 17), AfterValidator(_authority)] = field(default="", repr=False)

    @property
    def usual_port(self) -> int:
        """The port to go to."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)

    def context(self) -> ssl.SSLContext | None:
        """Give what a line by TLS needs, None for one without."""
        return ssl.create_default_context(cadata=self.ca or None) if self.tls else None


@dataclass(frozen=True, config=STRICT)
class Membership:
    """The club that has let this table in. key: of seals, hexadecimal. since_ms: wall time; no game before is told."""

    club: str
    key: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$")] = field(repr=False)
    since_ms: int


@dataclass(frozen=True, config=STRICT)
class MqttSettings(Broker):
    """What can be set.

    on: whether anything is told at all. buttons: whether the house may pause and count. table: this table's name on the
    line, made once; name: the one for people. club: None outside of one. invitation: a club's code, given at
    the terminal, until that club was asked. machine: names the computer and folder that this is the file of, "" where
    nobody knows. since_ms: the next club is told games from this wall time on; 0: from when it lets the table in.
    """

    on: bool = False
    buttons: bool = False
    table: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""
    name: Name = "Ringmaster"
    club: Membership | None = None
    invitation: str = field(default="", repr=False)
    machine: str = ""
    since_ms: int = 0

    @model_validator(mode="after")
    def _named(self) -> MqttSettings:
        if self.on and not self.host:
            raise ValueError("no host")
        return self

    def changed(self, data: Mapping[str, Any]) -> MqttSettings:
        """Give the settings with some of `SETTABLE` changed.

        Raises:
            BadInputError: there is no such setting, or no such value of it.
        """
        for name in data:
            if name not in SETTABLE:
                raise BadInputError("error.mqtt.there_is_no_setting", name=shown(name))
        return changed(self, data)

    def public(self) -> dict[str, Any]:
        """Give what may be shown: no secret, but whether there is one."""
        names = ("on", "host", "port", "user", "tls", "buttons", "name", "table")
        found = {name: getattr(self, name) for name in names}
        club = None if self.club is None else self.club.club
        return {**found, "has_password": bool(self.password), "has_ca": bool(self.ca), "club": club}


def changed(settings: Settings, data: Mapping[str, Any]) -> Settings:
    """Give settings with some of them changed. Raises BadInputError for the first one that cannot be."""
    try:
        return replace(settings, **data)
    except ValidationError as error:
        where = str((*error.errors(include_url=False, include_input=False)[0]["loc"], "")[0])
        if where in _REFUSALS:
            raise SettingError(_REFUSALS[where]) from None
        raise BadInputError("error.mqtt.that_is_no_value_of", where=where) from None


def load_mqtt(folder: Path) -> MqttSettings:
    """Give the settings kept in a folder; the usual ones, with nothing switched on, where they cannot be read."""
    try:
        return _kept(folder)
    except (OSError, ValueError, TypeError, RecursionError, BadInputError):
        return _fresh(folder)


def take_mqtt(folder: Path) -> tuple[MqttSettings, str | None]:
    """Give the settings kept in a folder, and a key of `sayings.house` if they are not as they were left.

    "damaged": they could not be read, and the file was set aside. "copied": the file came from another computer, so
    that this one takes a name of its own; its club does not know that name.
    """
    try:
        found = _kept(folder)
    except FileNotFoundError:
        return _fresh(folder), None
    except OSError:
        return _fresh(folder), "damaged"
    except (ValueError, TypeError, RecursionError, BadInputError):
        set_aside(folder / FILE)
        return _fresh(folder), "damaged"
    here = own_name(folder)
    if found.machine and here and found.machine != here:
        return renamed(found, here, folder), "copied"
    return replace(found, machine=here), None


def renamed(settings: MqttSettings, table: str, folder: Path) -> MqttSettings:
    """Give the settings of a table that shares its name with another: it takes this one, and leaves the club."""
    since_ms = settings.since_ms if settings.club is None else settings.club.since_ms
    name = f"{settings.name[: _MOST_NAME - 5]} {table[:4]}"
    return replace(settings, table=table, name=name, machine=own_name(folder), club=None, since_ms=since_ms)


def _kept(folder: Path) -> MqttSettings:
    with (folder / FILE).open("rb") as file:
        found = TypeAdapter(MqttSettings).validate_json(file.read(_MOST_BYTES))
    return found if found.table else replace(found, table=_new_name(folder))


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
    write_whole(path, (json.dumps(asdict(settings), indent=1) + "\n").encode(), secret=True)
    if os.geteuid() == 0:
        # Set at the terminal by the administrator; the referee's own user must be able to read it.
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
