"""Prepares the rehearsal machine: the machine itself, the project as users download it, libraries, pictures."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

from tools.rehearsal.machine import MachineError, VirtualMachine, hardware, make_disk, need_programs
from tools.rehearsal.pip_settings import NAME, settings_here, write_settings

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
PIP = "/opt/rehearsal/pip"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "PIP_CONFIG_FILE": f"{PIP}/{NAME}"}
ON_DISK = (
    *("agent.py", "cpuinfo", "rehearsal.service", "start.sh", "virtual.yaml"),
    *("picamera2_off_a_pi.pth", "picamera2_off_a_pi.py"),
)
PARTS = (
    *("Makefile", "README.md", "LICENSE", "pyproject.toml", "systemd"),
    *("vision", "hardware", "referee", "calibration", "simulation"),
)


def build(folder: Path) -> None:
    """Build the machine in `folder` if needed, boot it once and save that state. Raises MachineError."""
    need_programs()
    recipe = _digest([path.read_bytes() for path in (HERE / "build.sh", *(HERE / "inside" / name for name in ON_DISK))])
    if not _is(folder / "built-from", recipe):
        _build_disk(folder)
        (folder / "built-from").write_text(recipe, encoding="utf-8")
    booted = _digest([recipe.encode(), "\n".join(hardware()).encode()])
    if not _is(folder / "booted-from", booted):
        print("Booting it, once.", flush=True)
        make_disk(folder)
        with VirtualMachine(folder, restore=False) as machine:
            print(f"Booted in {machine.wait():.0f} s.", flush=True)
            machine.save()
        (folder / "booted-from").write_text(booted, encoding="utf-8")


def _build_disk(folder: Path) -> None:
    print("Building the rehearsal machine, once; this takes some five minutes.", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_settings(settings_here(), folder / "pip", PIP)
    if subprocess.run([HERE / "build.sh", folder]).returncode != 0:
        raise MachineError(f"The rehearsal machine could not be built; {folder / 'build.log'} tells why.")


def libraries(folder: Path) -> bytes:
    """Return the project's libraries for the machine's Python, as a tar; downloaded when they change."""
    stamp = _digest([path.read_bytes() for path in (PROJECT / "pyproject.toml", folder / "built-from")])
    kept = folder / f"libraries-{stamp}.tar"
    if not kept.is_file():
        for old in folder.glob("libraries-*.tar"):
            old.unlink()
        base = folder / "base"
        (base / "project").mkdir(exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(project())) as parts:
            parts.extractall(base / "project", filter="data")
        fetch = (
            "rm -rf /libraries && cd /project && pip download --quiet --only-binary :all:"
            " --dest /libraries --constraint /constraints.txt . 'setuptools>=68' wheel pip"
        )
        if subprocess.run(["chroot", base, "bash", "-c", fetch], env=ENVIRONMENT).returncode != 0:
            raise MachineError("The project's libraries could not be fetched for the rehearsal machine.")
        with tarfile.open(kept, "w") as tar:
            for wheel in sorted((base / "libraries").glob("*.whl")):
                # The machine has the system's own numpy.
                if not wheel.name.startswith(("numpy-", "ringmaster-")):
                    tar.add(wheel, wheel.name)
    return kept.read_bytes()


def project(changed: dict[str, str] | None = None) -> bytes:
    """Return the project as users download it, as a tar, with some files' text `changed`."""
    changed = changed or {}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path in _files(PARTS):
            name = str(path.relative_to(PROJECT))
            if name not in changed:
                tar.add(path, name)
        for name, text in changed.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def _files(parts: Iterable[str]) -> list[Path]:
    places = [PROJECT / part for part in parts]
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*"))]
    return sorted(file for file in files if file.is_file() and "__pycache__" not in file.parts)


def _is(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]
