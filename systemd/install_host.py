"""The computer that Ringmaster is installed on: queries and changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

LOG = "/var/log/ringmaster-install.log"
ENVIRONMENT = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}


class InstallError(Exception):
    """A reason why the installation failed, in one sentence for the person."""


class Host:
    """A computer.

    root: root of its file system; other than "/", programs are not run. dry: print the changes and make none. log: path
    of the log of changes.
    """

    def __init__(self, root: Path = Path("/"), *, dry: bool = False, log: str = LOG) -> None:
        self.root = root
        self.dry = dry
        self._log = log

    @property
    def is_root(self) -> bool:
        """Return whether this process may change the system."""
        return self.dry or os.geteuid() == 0

    def say(self, sentence: str) -> None:
        """Print a line for the person."""
        print(sentence, flush=True)

    def text(self, path: str) -> str:
        """Return the text of a file, "" if it is missing."""
        try:
            return self._at(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def os_release(self) -> dict[str, str]:
        """Return the fields of /etc/os-release."""
        pairs = (line.partition("=") for line in self.text("/etc/os-release").splitlines())
        return {key: value.strip("\"'") for key, _, value in pairs}

    def free_bytes(self, path: str) -> int:
        """Return the free bytes on a folder's disk."""
        return shutil.disk_usage(self._at(path) if self._at(path).is_dir() else self.root).free

    def folders(self, parent: str, pattern: str) -> list[str]:
        """Return the matching folders in `parent`, sorted."""
        return sorted(f"{parent}/{path.name}" for path in self._at(parent).glob(pattern) if path.is_dir())

    def link_target(self, path: str) -> str | None:
        """Return the target of a link; None if it is not a link."""
        return str(self._at(path).readlink()) if self._at(path).is_symlink() else None

    def ask(self, *command: str) -> str:
        """Return the output of a program that changes nothing; "" if it is missing or fails."""
        try:
            done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    def run(self, command: Sequence[str], failing: str, folder: str | None = None) -> None:
        """Run a program that changes something. Raises InstallError with the sentence `failing` if it fails."""
        if not self._execute(command, folder):
            raise InstallError(f"{failing} ({self._log} tells more.)")

    def try_run(self, *command: str) -> bool:
        """Run a program that changes something; return whether it succeeded."""
        return self._execute(command, None)

    def write(self, path: str, text: str) -> None:
        """Write a file and the folders above it, unless it has this text already."""
        if self.text(path) == text:
            return
        if self.dry:
            self.say(f"would write {path}")
            return
        self._at(path).parent.mkdir(parents=True, exist_ok=True)
        self._at(path).write_text(text, encoding="utf-8")

    def link(self, path: str, target: str) -> None:
        """Make `path` a link to `target`, atomically if it is another link now."""
        if self.dry:
            self.say(f"would link {path} to {target}")
            return
        place = self._at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(place.name + ".new")
        new.unlink(missing_ok=True)
        new.symlink_to(target)
        new.replace(place)

    def remove(self, path: str) -> None:
        """Remove a file, a link, or a folder with its content; it need not exist."""
        place = self._at(path)
        if not place.exists() and not place.is_symlink():
            return
        if self.dry:
            self.say(f"would remove {path}")
        elif place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def _execute(self, command: Sequence[str], folder: str | None) -> bool:
        if self.dry:
            self.say(f"would run {' '.join(command)}")
            return True
        log = self._at(self._log)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as lines:
            lines.write(f"$ {' '.join(command)}\n".encode())
            lines.flush()
            try:
                done = subprocess.run(
                    command,
                    env={**os.environ, **ENVIRONMENT},
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=lines,
                    stderr=subprocess.STDOUT,
                )
            except OSError as error:
                lines.write(f"{error}\n".encode())
                return False
        return done.returncode == 0
