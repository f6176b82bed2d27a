"""The rehearsal machine: a Debian system under QEMU's software emulation, controlled by the host.

It is built once, booted once and then restored from a snapshot: every rehearsal begins with the same machine.
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
class ScriptResult:
    """The output of a script in the machine, and its exit status."""

    status: int
    text: str

    @property
    def last_line(self) -> str:
        """Return the last line that is not empty."""
        return next((line for line in reversed(self.text.splitlines()) if line.strip()), "")


def need_programs(tools: Mapping[str, str] = TOOLS) -> None:
    """Raise MachineError with the packages of missing programs; `tools`: package by program."""
    missing = [packages for tool, packages in tools.items() if shutil.which(tool) is None]
    if missing:
        raise MachineError(f"The rehearsal needs programs of Debian's: sudo apt-get install {' '.join(missing)}")


class VirtualMachine:
    """A running machine.

    folder: with kernel and disk of `build.sh`. restore: continue from the snapshot instead of booting.
    """

    def __init__(self, folder: Path, *, restore: bool) -> None:
        self._agent_port, self.page_port = _free_port(), _free_port()
        forwards = ((self._agent_port, AGENT_PORT), (self.page_port, PAGE_PORT))
        command = [*hardware(), *_network(forwards), *(("-loadvm", SNAPSHOT) if restore else ())]
        self._monitor = folder / MONITOR
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=folder)

    def __enter__(self) -> VirtualMachine:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait()

    def wait(self) -> float:
        """Wait until the machine takes commands; return the time, s. Raises MachineError."""
        begin = time.monotonic()
        while time.monotonic() < begin + BOOT_LIMIT_S and self._process.poll() is None:
            with contextlib.suppress(OSError, urllib.error.URLError):
                self.run("true", limit_s=5)
                return time.monotonic() - begin
            time.sleep(0.2)
        raise MachineError("The rehearsal machine does not start; its last words are in console.log.")

    def run(self, script: str, limit_s: float = 3600) -> ScriptResult:
        """Run a shell script as root. Raises OSError if the machine does not answer in `limit_s` seconds."""
        with self._ask("POST", "/", script.encode(), limit_s) as answer:
            return ScriptResult(int(answer.headers["X-Status"]), answer.read().decode(errors="replace").strip())

    def uptime_s(self) -> float:
        """Return the machine's uptime by its own clock, s."""
        return float(self.run("cat /proc/uptime").text.split()[0])

    def put(self, path: str, data: bytes) -> None:
        """Store a file."""
        self._ask("PUT", path, data, 900).close()

    def get(self, path: str) -> bytes:
        """Return a file's bytes, none if it is missing."""
        with self._ask("GET", path, None, 900) as answer:
            return answer.read()

    def save(self) -> None:
        """Save the machine's state to the disk, for `restore`. Raises MachineError."""
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
    """Make a writable disk over the one of `build.sh`."""
    disk = folder / DISK
    disk.unlink(missing_ok=True)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-b", "disk.qcow2", "-F", "qcow2", DISK], cwd=folder, check=True
    )


def hardware() -> list[str]:
    """Return QEMU's command for the machine without its network; paths are relative to its folder."""
    boot = "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=0 mitigations=off net.ifnames=0"
    return [
        *("qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max"),
        # Its clock counts instructions, 1 ns each: a busy host slows it without stutter in its own time.
        *("-icount", "shift=0", "-m", "2048", "-nodefaults", "-display", "none", "-no-reboot"),
        *("-kernel", "vmlinuz", "-initrd", "initrd", "-append", boot),
        *("-serial", "file:console.log", "-qmp", f"unix:{MONITOR},server,nowait"),
        *("-drive", f"file={DISK},if=virtio,format=qcow2,cache=unsafe"),
        *("-device", "virtio-rng-pci"),
    ]


def _network(forwards: Iterable[tuple[int, int]]) -> list[str]:
    ports = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}" for here, there in forwards)
    # restrict=on: the machine cannot reach the network.
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
