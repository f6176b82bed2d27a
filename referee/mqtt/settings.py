"""How a table reaches a broker, and its club; kept in a file of its own that only its owner may read."""

from __future__ import annotations

import json
import os
import re
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from referee.errors import BadInputError, SettingError
from referee.files import set_aside, write_whole
from referee.jsonlines import shown
from referee.machine_id import own_name
from referee.mqtt import topics

FILE = "mqtt.json"
PLAIN_PORT, TLS_PORT = 1883, 8883
SETTABLE = ("on", "host", "port", "user", "password", "tls", "ca", "buttons", "name")
_MOST_BYTES, _KEY_BYTES = 1 << 18, 32
_MOST = {"host": 253, "user": 200, "password": 500, "name": 60, "ca": 1 << 17}
_HOST = re.compile(r"[A-Za-z0-9_.:%-]*")


@dataclass(frozen=True)
class Broker:
    """A broker. port: 0 takes the usual one. ca: certificates (PEM) to trust instead of the system's, "" for those."""

    host: str = ""
    port: int = 0
    user: str = ""
    password: str = field(default="", repr=False)
    tls: bool = False
    ca: str = field(default="", repr=False)

    @property
    def usual_port(self) -> int:
        """The port to go to."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)

    def context(self) -> ssl.SSLContext | None:
        """Give what a line by TLS needs, None for one without."""
        return ssl.create_default_context(cadata=self.ca or None) if self.tls else None


@dataclass(frozen=True)
class Membership:
    """The club that has let this table in. key: of seals, hexadecimal. since_ms: wall time; no game before is told."""

    club: str
    key: str = field(repr=False)
    since_ms: int

    def __post_init__(self) -> None:
        if (
            not isinstance(self.club, str)
            or type(self.since_ms) is not int
            or len(bytes.fromhex(self.key)) != _KEY_BYTES
        ):
            raise BadInputError("no membership of a club")


@dataclass(frozen=True)
class MqttSettings(Broker):
    """What can be set.

    on: whether anything is told at all. buttons: whether the house may pause and count. table: this table's name on the
    line, made once; name: the one for people. club: None outside of one. invitation: a club's code, given at
    the terminal, until that club was asked. machine: names the computer and folder that this is the file of, "" where
    nobody knows. since_ms: the next club is told games from this wall time on; 0: from when it lets the table in.
    """

    on: bool = False
    buttons: bool = False
    table: str = ""
    name: str = "Ringmaster"
    club: Membership | None = None
    invitation: str = field(default="", repr=False)
    machine: str = ""
    since_ms: int = 0

    def __post_init__(self) -> None:
        check_broker(self)
        if not all(isinstance(flag, bool) for flag in (self.on, self.buttons)):
            raise BadInputError("on and buttons are true or false")
        if not isinstance(self.name, str) or not self.name.strip() or len(self.name) > _MOST["name"]:
            raise SettingError("a table has a name of up to 60 letters", "mqtt_name")
        texts = (self.table, self.machine, self.invitation)
        if not all(isinstance(one, str) for one in texts) or not topics.is_name(self.table or "-"):
            raise BadInputError("a table's name on the line is of letters and digits")
        if type(self.since_ms) is not int or not isinstance(self.club, Membership | None):
            raise BadInputError("no membership of a club")
        if self.on and not self.host:
            raise SettingError("say which computer the broker runs on", "mqtt_no_host")

    def changed(self, data: Mapping[str, Any]) -> MqttSettings:
        """Give the settings with some of `SETTABLE` changed.

        Raises:
            BadInputError: there is no such setting, or no such value of it.
        """
        for name in data:
            if name not in SETTABLE:
                raise BadInputError(f"there is no setting {shown(name)}")
        return replace(self, **data)

    def public(self) -> dict[str, Any]:
        """Give what may be shown: no secret, but whether there is one."""
        names = ("on", "host", "port", "user", "tls", "buttons", "name", "table")
        found = {name: getattr(self, name) for name in names}
        club = None if self.club is None else self.club.club
        return {**found, "has_password": bool(self.password), "has_ca": bool(self.ca), "club": club}


def check_broker(broker: Broker) -> None:
    """Raise BadInputError unless a broker can be like that."""
    for name in ("host", "user", "password", "ca"):
        value = getattr(broker, name)
        if not isinstance(value, str) or len(value) > _MOST[name] or "\0" in value:
            raise SettingError(f"the broker's {name} is no text, or too long", "mqtt_text")
    if not _HOST.fullmatch(broker.host):
        raise SettingError("the broker is named like homeassistant.local or 192.168.1.5", "mqtt_host")
    if type(broker.port) is not int or not 0 <= broker.port < 1 << 16:
        raise SettingError("a port is a number from 1 to 65535", "mqtt_port")
    if not isinstance(broker.tls, bool):
        raise BadInputError("tls is true or false")
    if broker.ca:
        try:
            ssl.create_default_context(cadata=broker.ca)
        except (ssl.SSLError, ValueError) as error:
            raise SettingError("that is no certificate of an authority (a PEM file)", "mqtt_ca") from error


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
    name = f"{settings.name[: _MOST['name'] - 5]} {table[:4]}"
    return replace(settings, table=table, name=name, machine=own_name(folder), club=None, since_ms=since_ms)


def _kept(folder: Path) -> MqttSettings:
    with (folder / FILE).open("rb") as file:
        data = json.loads(file.read(_MOST_BYTES))
    if not isinstance(data, dict):
        raise BadInputError("no settings")
    known = {one.name for one in fields(MqttSettings)}
    kept = {name: value for name, value in data.items() if name in known}
    if kept.get("club") is not None:
        kept["club"] = Membership(**kept["club"])
    found = MqttSettings(**kept)
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
