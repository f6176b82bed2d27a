"""`make rehearsal-arm`: installs the project's libraries for a Raspberry Pi's processor, loads them and reads tables.

It uses Debian systems for arm64, with emulated programs and the installer's own code. The libraries are downloaded by
the host, without emulation. Prints a line a release; exit status 1 if one fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.rehearsal.machine import MachineError, need_programs
from tools.rehearsal.prepare import HERE, PROJECT

RELEASES = ("bookworm", "trixie")
TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "arch-test": "arch-test",
    "qemu-aarch64-static": "qemu-user-static",
    "update-binfmts": "binfmt-support",
}
PARTS = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "systemd",
    "vision",
    "hardware",
    "referee",
    "calibration",
    "simulation",
)
SCENE = "tests/data/scenes/white-hands.jpg"
PACKAGES = "python3,python3-venv,python3-numpy"
# Raspberry Pi OS packages lgpio, Debian does not; PyPI has no wheel for newer Pythons.
COMPILER = ",gcc,libc6-dev,make,swig,python3-dev"
GLIBCS = (17, 24, 26, 27, 28, 31, 34, 35, 36)
BUILD = ("setuptools>=68", "wheel")
LGPIO = "lgpio>=0.2.2"


class Stage:
    """A Debian system in a folder, and its log."""

    def __init__(self, folder: Path, release: str) -> None:
        self.root, self.release = folder / release, release
        self._log = folder / f"{release}.log"
        self._begin_s = time.monotonic()
        self.times: list[str] = []

    def run(self, what: str, *command: str | Path, inside: bool = False, needed: bool = True) -> bool:
        """Run a program, in the system if `inside`, and record its time. Raises MachineError if a needed one fails."""
        begin_s = time.monotonic()
        with self._log.open("ab") as lines:
            lines.write(f"$ {' '.join(map(str, command))}\n".encode())
            lines.flush()
            call = ["chroot", self.root, *command] if inside else command
            environment = INSIDE if inside else None
            done = subprocess.run(call, env=environment, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines)
        self.times.append(f"{what} {time.monotonic() - begin_s:.0f} s")
        if needed and done.returncode != 0:
            last = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-6:]
            raise MachineError("\n     ".join([f"{what} failed:", *last]))
        return done.returncode == 0

    def ask(self, code: str, python: str = "python3") -> str:
        """Return the output of Python code in the system. Raises MachineError."""
        with self._log.open("ab") as lines:
            done = subprocess.run(
                ["chroot", self.root, python, "-c", code], env=INSIDE, stdout=subprocess.PIPE, stderr=lines, text=True
            )
        if done.returncode != 0:
            raise MachineError(f"what was tried there failed: {done.stdout.strip()} ({self._log} tells more)")
        return done.stdout.strip()

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._begin_s


# pip in the new systems uses the downloaded files only.
INSIDE = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "PIP_NO_INDEX": "1",
    "PIP_FIND_LINKS": "/libraries",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    # With this, lgpio's source brings its library along.
    "PYPI": "1",
}


def rehearse(folder: Path, release: str) -> str:
    """Build a system, install the libraries, read tables; return the result in words. Raises MachineError."""
    stage = Stage(folder, release)
    shutil.rmtree(stage.root, ignore_errors=True)
    packages = PACKAGES if release == RELEASES[0] else PACKAGES + COMPILER
    stage.run("system", "mmdebstrap", "--arch=arm64", "--variant=minbase", f"--include={packages}", release, stage.root)
    fetch(stage)
    install_lgpio(stage)
    (stage.root / "project").mkdir()
    for part in PARTS:
        source = PROJECT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, stage.root / "project" / part)
    shutil.copy2(PROJECT / SCENE, stage.root / "project" / "hands.jpg")
    installer = ("/project/systemd/installer.py", "environment", "--folder", "/opt/trial", "--without", "picamera2")
    stage.run("installing", "python3", *installer, inside=True)
    begin_s = time.monotonic()
    said = stage.ask((HERE / "inside" / "arm_try.py").read_text(encoding="utf-8"), "/opt/trial/bin/python")
    stage.times.append(f"reading {time.monotonic() - begin_s:.0f} s")
    shutil.rmtree(stage.root)
    return f"{said} [{stage.seconds:.0f} s: {', '.join(stage.times)}]"


def fetch(stage: Stage) -> None:
    """Download the libraries for the system's Python and numpy. Raises MachineError."""
    version = stage.ask("import sys; print('{}.{}'.format(*sys.version_info))")
    numpy = stage.ask("import importlib.metadata as m; print(m.version('numpy'))")
    libraries = stage.root / "libraries"
    libraries.mkdir()
    constraints = libraries / "constraints.txt"
    constraints.write_text(f"numpy=={numpy}\n", encoding="utf-8")
    with (PROJECT / "pyproject.toml").open("rb") as settings:
        wanted: list[str] = tomllib.load(settings)["project"]["dependencies"]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--dest", libraries)
    there = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", version]
    there += [f"--platform=manylinux_2_{glibc}_aarch64" for glibc in GLIBCS]
    there += ["--platform=manylinux2014_aarch64"]
    stage.run("libraries", *pip, *there, "--constraint", constraints, *wanted, *BUILD)
    if not stage.run("lgpio's wheel", *pip, *there, "--no-deps", LGPIO, needed=False):
        stage.run("lgpio's source", *pip, "--no-deps", "--no-binary", "lgpio", LGPIO)
    for wheel in libraries.glob("numpy-*"):
        # The system has its own.
        wheel.unlink()


def install_lgpio(stage: Stage) -> None:
    """Install lgpio for the system's Python, as on Raspberry Pi OS. Raises MachineError."""
    modules = "/usr/lib/python3/dist-packages"
    stage.run("environment", "python3", "-m", "venv", "/opt/lgpio", inside=True)
    pip = ("/opt/lgpio/bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile")
    stage.run("lgpio", *pip, "--target", modules, LGPIO, inside=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rehearse the releases and print the results."""
    parser = argparse.ArgumentParser(description="Install Ringmaster's libraries in Debian systems for arm64.")
    parser.add_argument("releases", nargs="*", default=RELEASES, metavar="RELEASE", help="bookworm, trixie")
    parser.add_argument("--folder", type=Path, default=PROJECT / "build" / "rehearsal-arm")
    options = parser.parse_args(arguments)
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    try:
        need_programs(TOOLS)
        let_run()
    except MachineError as error:
        print(error, file=sys.stderr)
        return 1
    for release in options.releases:
        (folder / f"{release}.log").unlink(missing_ok=True)
        try:
            print(f"ok   {release}: {rehearse(folder, release)}", flush=True)
        except MachineError as error:
            status = 1
            print(f"FAIL {release}: {error}", flush=True)
    return status


def let_run() -> None:
    """Let the kernel run programs for arm64 by the emulator. Raises MachineError."""
    formats = Path("/proc/sys/fs/binfmt_misc")
    if os.geteuid() != 0:
        raise MachineError("This makes systems of their own, so it needs the administrator: put sudo before it.")
    if not (formats / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", formats], check=False)
    if not (formats / "qemu-aarch64").exists():
        subprocess.run(["update-binfmts", "--enable", "qemu-aarch64"], check=False)
    if not (formats / "qemu-aarch64").exists():
        raise MachineError("This kernel does not emulate programs for arm64 (binfmt_misc).")


if __name__ == "__main__":
    sys.exit(main())
