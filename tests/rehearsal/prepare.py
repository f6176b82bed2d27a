"""What the rehearsal machine is given: the machine itself, the project as a user has it, libraries, pictures."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

from tests.rehearsal.machine import Machine, MachineError, need_tools

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
PARTS = (
    *("Makefile", "README.md", "LICENSE", "pyproject.toml", "systemd"),
    *("vision", "hardware", "referee", "calibration", "simulation"),
)


def build(folder: Path) -> None:
    """Build the machine in `folder` unless it is there, boot it once and keep that state. Raises MachineError."""
    need_tools()
    recipe = _digest([HERE / "build.sh", HERE / "machine.py", *sorted((HERE / "inside").glob("[!.p]*"))])
    stamp = folder / "built-from"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == recipe:
        return
    print("Building the rehearsal machine; this takes about ten minutes, once.", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if subprocess.run([HERE / "build.sh", folder]).returncode != 0:
        raise MachineError(f"The rehearsal machine could not be built; {folder / 'build.log'} tells why.")
    with Machine(folder, restore=False) as machine:
        print(f"Booted in {machine.wait():.0f} s.", flush=True)
        machine.save()
    stamp.write_text(recipe, encoding="utf-8")


def libraries(folder: Path) -> bytes:
    """Give the libraries that the project needs, for the machine's Python, as a tar; fetched when they change."""
    stamp = _digest([PROJECT / "pyproject.toml", folder / "built-from"])
    kept = folder / f"libraries-{stamp}.tar"
    if not kept.is_file():
        for old in folder.glob("libraries-*.tar"):
            old.unlink()
        base = folder / "base"
        (base / "project").mkdir(exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(project())) as parts:
            parts.extractall(base / "project", filter="data")
        fetch = (
            "rm -rf /libraries && cd /project && env -u PIP_FIND_LINKS pip download --quiet --only-binary :all:"
            " --dest /libraries --constraint /constraints.txt . 'setuptools>=68' wheel pip"
        )
        if subprocess.run(["chroot", base, "bash", "-c", fetch]).returncode != 0:
            raise MachineError("The project's libraries could not be fetched for the rehearsal machine.")
        with tarfile.open(kept, "w") as tar:
            for wheel in sorted((base / "libraries").glob("*.whl")):
                # The machine has the system's own numpy.
                if not wheel.name.startswith(("numpy-", "ringmaster-")):
                    tar.add(wheel, wheel.name)
    return kept.read_bytes()


def project(changed: dict[str, str] | None = None) -> bytes:
    """Give the project as a user downloads it, as a tar, with some files' text `changed`."""
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


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
