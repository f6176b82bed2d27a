"""A Mosquitto of our own, on this machine only: started, stopped and started again, with its state or without."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.errors import WorkFailedError

_START_S = 10.0
_PLACES = ("/usr/sbin", "/usr/bin", "/usr/local/sbin")


def mosquitto() -> str | None:
    return shutil.which("mosquitto") or shutil.which("mosquitto", path=":".join(_PLACES))


class Mosquitto:
    """A broker. port: where it listens, on the loopback. lines: further lines of its settings."""

    def __init__(self, folder: Path, lines: tuple[str, ...] = (), *, forgets: bool = False) -> None:
        program = mosquitto()
        if program is None:
            raise WorkFailedError("Mosquitto is not installed: sudo apt-get install mosquitto")
        self.port = free_port()
        self._program, self._folder = program, folder
        self._process: subprocess.Popen[bytes] | None = None
        kept = ["persistence false"] if forgets else ["persistence true", f"persistence_location {folder}/"]
        anybody = [] if any("allow_anonymous" in line for line in lines) else ["allow_anonymous true"]
        text = "\n".join([f"listener {self.port} 127.0.0.1", *anybody, *kept, "log_dest none", "user root", *lines])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mosquitto.conf").write_text(text + "\n", encoding="utf-8")

    def start(self) -> None:
        command = [self._program, "-c", str(self._folder / "mosquitto.conf")]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + _START_S
        while not _answers(self.port):
            if time.monotonic() > until or self._process.poll() is not None:
                raise WorkFailedError("Mosquitto does not start")
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self.kill()

    def kill(self) -> None:
        """End it at once, as a cut of the power would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def broker_at_work(folder: Path, lines: tuple[str, ...] = ()) -> Iterator[Mosquitto]:
    broker = Mosquitto(folder, lines)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.5):
        return True
    return False
