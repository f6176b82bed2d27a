"""The devices that have been paired: remembered by a hash of their token, so that the file lets nobody in."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

FILE = "paired-devices.json"
MOST_DEVICES = 50
_NAME_LENGTH = 60


@dataclass(frozen=True)
class Device:
    """A paired device. digest: of its token. name: what its browser calls it. since: the day, ISO 8601."""

    digest: str
    name: str
    since: str


def digest_of(token: str) -> str:
    """Give what is remembered of a token; it is long and random, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_of(token: str) -> str:
    """Give what a page has to send with a change: only pages from here can read it, and it does not give the token."""
    return hmac.new(token.encode(), b"a change on the page", hashlib.sha256).hexdigest()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


class TokenStore:
    """The paired devices, at most `MOST_DEVICES`: the oldest is forgotten for a new one. Safe to use from any thread.

    folder: where they are kept over a restart; None: nowhere. A file that cannot be read counts as empty: everybody
    pairs once more.
    """

    def __init__(self, folder: Path | None, today: Callable[[], str] = _today) -> None:
        self._path = None if folder is None else folder / FILE
        self._today = today
        self._lock = threading.Lock()
        self._devices: dict[str, Device] = {device.digest: device for device in _read(self._path)}

    def __len__(self) -> int:
        return len(self._devices)

    def add_first(self, name: str) -> str | None:
        """Pair a device if none is paired, and give its token."""
        with self._lock:
            return None if self._devices else self._added(name)

    def add(self, name: str) -> str:
        """Pair a device and give its token."""
        with self._lock:
            return self._added(name)

    def _added(self, name: str) -> str:
        token = secrets.token_urlsafe(32)
        shown = "".join(char for char in name if char.isprintable())[:_NAME_LENGTH]
        while len(self._devices) >= MOST_DEVICES:
            self._devices.pop(next(iter(self._devices)))
        self._devices[digest_of(token)] = Device(digest_of(token), shown, self._today())
        self._write()
        return token

    def knows(self, token: str | None) -> bool:
        """Tell whether a token is one of a paired device; the hash is looked up, so its time tells nothing."""
        return token is not None and digest_of(token) in self._devices

    def forget(self, token: str | None = None) -> None:
        """Forget one device, or all of them."""
        with self._lock:
            if token is None:
                self._devices.clear()
            else:
                self._devices.pop(digest_of(token), None)
            self._write()

    def _write(self) -> None:
        """Put the file there whole or not at all; a full disk costs a pairing after the next restart, no more."""
        if self._path is None:
            return
        data = json.dumps([asdict(device) for device in self._devices.values()]).encode()
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
            part.replace(self._path)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _read(path: Path | None) -> list[Device]:
    if path is None:
        return []
    try:
        entries = json.loads(path.read_bytes())
        return [Device(str(one["digest"]), str(one["name"]), str(one["since"])) for one in entries][-MOST_DEVICES:]
    except (OSError, ValueError, TypeError, KeyError):
        return []
