"""The paired devices, stored by a hash of their token: the file admits nobody."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from referee.errors import BadInputError, RingmasterError, WorkFailedError
from referee.files import kept_data, sync_folder, write_whole

FILE = "paired-devices.json"
MOST_DEVICES = 50
_NAME_LENGTH = 60
_MOST_BYTES = 1 << 18


@dataclass(frozen=True)
class PairedDevice:
    """A paired device. digest: of its token. name: its browser's. since: the day, ISO 8601."""

    digest: str
    name: str
    since: str


def digest_of(token: str) -> str:
    """Return the stored hash of a token, which is long and random and needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_of(token: str) -> str:
    """Return the value that a page must send with a change: only our pages can read it, and it hides the token."""
    return hmac.new(token.encode(), b"a change on the page", hashlib.sha256).hexdigest()


class TokenStore:
    """The paired devices, at most `MOST_DEVICES`: a new one replaces the oldest. Thread-safe.

    folder: place of the file; None: without a file. An invalid file is set aside, and all devices pair again. kept:
    whether the disk took the last change.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE
        self._lock = threading.Lock()
        self.kept = True
        known: list[PairedDevice] = [] if self._path is None else kept_data(self._path, _MOST_BYTES, _devices, [])
        self._devices: dict[str, PairedDevice] = {device.digest: device for device in known}

    def __len__(self) -> int:
        return len(self._devices)

    def add_first(self, name: str) -> str | None:
        """Pair a device if no device is paired; return its token."""
        with self._lock:
            return None if self._devices else self._added(name)

    def add(self, name: str) -> str:
        """Pair a device and return its token."""
        with self._lock:
            return self._added(name)

    def _added(self, name: str) -> str:
        token = secrets.token_urlsafe(32)
        shown = "".join(char for char in name if char.isprintable())[:_NAME_LENGTH]
        while len(self._devices) >= MOST_DEVICES:
            self._devices.pop(next(iter(self._devices)))
        self._devices[digest_of(token)] = PairedDevice(digest_of(token), shown, datetime.now(UTC).date().isoformat())
        self._write()
        return token

    def knows(self, token: str | None) -> bool:
        """Return whether a token belongs to a paired device; comparing hashes leaks nothing by its time."""
        return token is not None and digest_of(token) in self._devices

    def forget(self, token: str | None = None) -> None:
        """Forget one device, or all of them, also after a restart.

        Raises:
            WorkFailedError: the disk does not take the change, and a restart would restore them.
        """
        with self._lock:
            if token is None:
                self._devices.clear()
            else:
                self._devices.pop(digest_of(token), None)
            if not self._deleted() and not self._write():
                raise WorkFailedError("error.disk_takes_nothing_forgotten_devices")

    def _deleted(self) -> bool:
        """Delete the file if no device is left, and return whether it is gone: a full disk can still delete."""
        if self._devices or self._path is None:
            return False
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
            sync_folder(self._path.parent)
        return not self._path.exists()

    def _write(self) -> bool:
        """Store the devices; return whether the disk took them."""
        self.kept = True
        if self._path is not None:
            data = json.dumps([asdict(device) for device in self._devices.values()]).encode()
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self._path, data, secret=True)
            except (OSError, RingmasterError):
                self.kept = False
        return self.kept


def _devices(entries: list[dict[str, str]]) -> list[PairedDevice]:
    devices = [PairedDevice(one["digest"], one["name"], one["since"]) for one in entries]
    if not all(isinstance(value, str) for device in devices for value in asdict(device).values()):
        raise BadInputError("error.web.it_is_no_list_of")
    return devices[-MOST_DEVICES:]
