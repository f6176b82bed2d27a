"""The rehearsal machine: a Debian system under QEMU's software emulation, driven from outside.

It is built once, booted once and then restored from a snapshot, so that every rehearsal begins with the same machine.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, TextIO, cast

AGENT_PORT, PAGE_PORT = 8099, 80
BOOT_LIMIT_S = 3600.0
SNAPSHOT, DISK, MONITOR = "ready", "machine.qcow2", "monitor"
TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "qemu-system-x86_64": "qemu-system-x86 seabios ipxe-qemu",
    "qemu-img": "qemu-utils",
    "mke2fs": "e2fsprogs",
}


class MachineError(Exception):
    """The rehearsal machine cannot be built or does not answer, in one sentence."""


@dataclass(frozen=True)
class Done:
    """The output of a script in the machine, and its exit status."""

    status: int
    text: str

    @property
    def last_line(self) -> str:
        """Return the last line that is not empty."""
        return next((line for line in reversed(self.text.splitlines()) if line.strip()), "")


def need_programs(tools: Mapping[str, str] = TOOLS) -> None:
    """Raise MachineError if a program is missing; it names the packages, which `tools` has by program."""
    missing = [packages for tool, packages in tools.items() if shutil.which(tool) is None]
    if missing:
        raise MachineError(f"The rehearsal needs programs of Debian's: sudo apt-get install {' '.join(missing)}")


class Machine:
    """A running machine.

    folder: where `build.sh` put kernel and disk. restore: go on from the state that was kept, and do not boot.
    """

    def __init__(self, folder: Path, *, restore: bool) -> None:
        self._agent_port, self.page_port = _free_port(), _free_port()
        forwards = ((self._agent_port, AGENT_PORT), (self.page_port, PAGE_PORT))
        command = [*hardware(), *_network(forwards), *(("-loadvm", SNAPSHOT) if restore else ())]
        self._monitor = folder / MONITOR
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=folder)

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait()

    def wait(self) -> float:
        """Wait until it takes commands; gives how long that took, s. Raises MachineError."""
        begin = time.monotonic()
        while time.monotonic() < begin + BOOT_LIMIT_S and self._process.poll() is None:
            with contextlib.suppress(OSError, urllib.error.URLError):
                self.run("true", limit_s=5)
                return time.monotonic() - begin
            time.sleep(0.2)
        raise MachineError("The rehearsal machine does not start; its last words are in console.log.")

    def run(self, script: str, limit_s: float = 3600) -> Done:
        """Run a shell script as root. Raises OSError if the machine does not answer in `limit_s` seconds."""
        with self._ask("POST", "/", script.encode(), limit_s) as answer:
            return Done(int(answer.headers["X-Status"]), answer.read().decode(errors="replace").strip())

    def uptime_s(self) -> float:
        """Return how long it has run, by its own clock, s."""
        return float(self.run("cat /proc/uptime").text.split()[0])

    def put(self, path: str, data: bytes) -> None:
        """Keep a file."""
        self._ask("PUT", path, data, 900).close()

    def get(self, path: str) -> bytes:
        """Return a file's bytes, none if it is not there."""
        with self._ask("GET", path, None, 900) as answer:
            return answer.read()

    def save(self) -> None:
        """Keep its present state on the disk, for `restore`. Raises MachineError."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self._monitor))
            monitor.settimeout(900)
            with monitor.makefile("rw", encoding="utf-8") as lines:
                lines.readline()
                for request in (
                    {"execute": "qmp_capabilities"},
                    {"execute": "human-monitor-command", "arguments": {"command-line": f"savevm {SNAPSHOT}"}},
                ):
                    lines.write(json.dumps(request) + "\n")
                    lines.flush()
                    said = next(_answers(lines))
        if said.get("return"):
            raise MachineError(f"The rehearsal machine's state cannot be kept: {said['return']}")

    def _ask(self, method: str, path: str, body: bytes | None, limit_s: float) -> HTTPResponse:
        address = f"http://127.0.0.1:{self._agent_port}{path}"
        request = urllib.request.Request(address, data=body, method=method)
        return cast(HTTPResponse, urllib.request.urlopen(request, timeout=limit_s))


def make_disk(folder: Path) -> None:
    """Lay a fresh disk over the one that `build.sh` made, for the machine to write on."""
    disk = folder / DISK
    disk.unlink(missing_ok=True)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-b", "disk.qcow2", "-F", "qcow2", DISK], cwd=folder, check=True
    )


def hardware() -> list[str]:
    """Return QEMU's command for the machine without its network; files are those of the folder that it runs in."""
    boot = "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=0 mitigations=off net.ifnames=0"
    return [
        *("qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max"),
        # Its clock counts instructions, 1 ns each: a busy host makes it slow, but never stutter in its own time.
        *("-icount", "shift=0", "-m", "2048", "-nodefaults", "-display", "none", "-no-reboot"),
        *("-kernel", "vmlinuz", "-initrd", "initrd", "-append", boot),
        *("-serial", "file:console.log", "-qmp", f"unix:{MONITOR},server,nowait"),
        *("-drive", f"file={DISK},if=virtio,format=qcow2,cache=unsafe"),
        *("-device", "virtio-rng-pci"),
    ]


def _network(forwards: Iterable[tuple[int, int]]) -> list[str]:
    ports = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}" for here, there in forwards)
    # restrict=on: nothing leads from the machine to the network.
    return ["-netdev", f"user,id=n0,restrict=on{ports}", "-device", "virtio-net-pci,netdev=n0,romfile="]


def _answers(lines: TextIO) -> Iterator[dict[str, Any]]:
    """Yield QEMU's answers, without the events in between."""
    for line in lines:
        said = json.loads(line)
        if "event" not in said:
            yield said


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
