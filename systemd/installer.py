"""Installs Ringmaster on a Raspberry Pi and removes it again: `make install`, `make uninstall`.

Every installation gets a new environment beside the previous one. A link moves to it when it is complete, and moves
back if the service does not start. An upgrade is another installation. The games in /var/lib/ringmaster are never
touched, except by `uninstall --purge`.

Runs with the system's Python and no other library.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from install_host import LOG, Host, InstallError

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
SOURCE_PARTS = ("pyproject.toml", "README.md", "LICENSE", "vision", "hardware", "referee", "calibration", "simulation")
PACKAGES = ("python3-picamera2", "python3-lgpio", "python3-venv", "espeak-ng", "alsa-utils", "avahi-daemon")
ONLY_ON_PI_OS = "python3-picamera2"
LIBRARIES = ("cv2", "gpiozero", "lgpio", "numpy", "picamera2", "referee.commands")
PYTHON = "/usr/bin/python3"
HOME = "/opt/ringmaster"
CURRENT = f"{HOME}/current"
STATE, CACHE = "/var/lib/ringmaster", "/var/cache/ringmaster"
COMMAND = "/usr/local/bin/ringmaster"
SERVICE = "ringmaster.service"
POWER = "ringmaster-power.path"
FILES = {
    SERVICE: f"/etc/systemd/system/{SERVICE}",
    POWER: f"/etc/systemd/system/{POWER}",
    "ringmaster-power.service": "/etc/systemd/system/ringmaster-power.service",
    "sysusers.conf": "/etc/sysusers.d/ringmaster.conf",
    "udev.rules": "/etc/udev/rules.d/60-ringmaster.rules",
    "avahi.xml": "/etc/avahi/services/ringmaster.service",
}
FACTORY_NAME, NAME = "raspberrypi", "ringmaster"
OLDEST_DEBIAN = 12
ROOM_BYTES = 1 << 30


def install(host: Host, source: Path = SOURCE, *, any_computer: bool = False, extras: str = "") -> None:
    """Install or upgrade from the project's folder `source`, start the service, and print the page's address.

    extras: optional dependencies of pyproject.toml to install as well ("club"). Raises InstallError; a previous
    installation then still works.
    """
    check_computer(host, any_computer=any_computer)
    get_packages(host)
    before = host.link_target(CURRENT)
    new = next_environment(host)
    try:
        build_environment(host, source, new, extras=extras)
    except InstallError:
        host.remove(new)
        raise
    place_files(host)
    name = name_computer(host)
    switch_to(host, new, before)
    for old in host.folders(HOME, "env-*"):
        if old != new:
            host.remove(old)
    host.say(f"Ringmaster runs. Open http://{name}.local on a phone or computer in the same network.")
    host.say("If something does not work, `ringmaster doctor` says what to do.")


def uninstall(host: Host, *, purge: bool = False) -> None:
    """Remove everything but the games and the user who owns them; `purge` removes these, too."""
    _need_root(host)
    host.try_run("systemctl", "disable", "--now", SERVICE)
    host.try_run("systemctl", "disable", "--now", POWER)
    for path in (*FILES.values(), COMMAND, HOME, CACHE):
        host.remove(path)
    host.try_run("systemctl", "daemon-reload")
    if not purge:
        host.say(f"Ringmaster is gone. Its games are still in {STATE}.")
        return
    host.remove(STATE)
    host.try_run("userdel", NAME)
    host.say("Ringmaster is gone, and all of its games.")


def check_computer(host: Host, *, any_computer: bool = False) -> None:
    """Raise InstallError unless Ringmaster can be installed here; `any_computer` accepts other computers than Pis."""
    _need_root(host)
    system = host.os_release()
    number = system.get("VERSION_ID", "").split(".")[0]
    debian = system.get("ID") in ("debian", "raspbian")
    if not debian or not number.isdecimal() or int(number) < OLDEST_DEBIAN:
        this = system.get("PRETTY_NAME", "another system")
        raise InstallError(f"Ringmaster needs Raspberry Pi OS, bookworm or newer; this is {this}.")
    if not any_computer:
        if "Raspberry Pi" not in host.text("/proc/device-tree/model"):
            raise InstallError("This computer is no Raspberry Pi; Ringmaster is installed on one of those.")
        if host.ask("dpkg", "--print-architecture") != "arm64":
            raise InstallError("Ringmaster needs the 64-bit Raspberry Pi OS, and this is the 32-bit one.")
    if host.free_bytes("/opt") < ROOM_BYTES:
        raise InstallError("There is too little room on the SD card: Ringmaster needs 1 GB.")


def get_packages(host: Host) -> None:
    """Install missing Debian packages; uses the network only if one is missing."""
    missing = [name for name in PACKAGES if "ok installed" not in host.ask("dpkg-query", "-Wf${Status}", name)]
    if not missing:
        return
    host.say(f"Fetching {', '.join(missing)} …")
    host.try_run("apt-get", "update")
    if ONLY_ON_PI_OS in missing and not host.dry and not host.ask("apt-cache", "show", ONLY_ON_PI_OS):
        raise InstallError(
            "The camera's program python3-picamera2 is not on offer: is this Raspberry Pi OS, and is it on the network?"
        )
    host.run(
        ("apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", *missing),
        "The programs could not be fetched: is the Raspberry Pi on the network?",
    )


def next_environment(host: Host) -> str:
    """Return a new environment's folder, numbered above the existing ones."""
    numbers = [int(path.rpartition("-")[2]) for path in host.folders(HOME, "env-*") if path[-1].isdecimal()]
    return f"{HOME}/env-{max(numbers, default=0) + 1}"


def build_environment(
    host: Host, source: Path, folder: str, libraries: Sequence[str] = LIBRARIES, extras: str = ""
) -> None:
    """Make a Python environment with Ringmaster in `folder`, and check that its libraries load.

    extras: optional dependencies of pyproject.toml to install as well ("club"). The environment sees the system's
    packages: picamera2 and lgpio exist there only. They are compiled against the system's numpy, which is therefore
    pinned; pip then finds a matching OpenCV.
    """
    host.say("Building Ringmaster's own Python environment; this takes some minutes …")
    host.run((PYTHON, "-m", "venv", "--system-site-packages", folder), "Python's venv module does not work.")
    numpy = host.ask(PYTHON, "-c", "import importlib.metadata as m; print(m.version('numpy'))")
    with tempfile.TemporaryDirectory(prefix="ringmaster-") as temporary:
        # pip builds in the source folder: use a copy, without an older build's files.
        copy = Path(temporary) / "source"
        copy_source(source, copy)
        constraints = Path(temporary) / "constraints.txt"
        constraints.write_text(f"numpy=={numpy}\n" if numpy else "", encoding="utf-8")
        pip = (f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--only-binary", ":all:")
        host.run(
            (*pip, "--constraint", str(constraints), f"{copy}[{extras}]" if extras else str(copy)),
            "The Python libraries could not be fetched: is the Raspberry Pi on the network?",
        )
        # lgpio leaves a pipe in the working directory on import.
        host.run(
            (f"{folder}/bin/python", "-c", f"import {', '.join(libraries)}"),
            "The new version does not go with this system's libraries.",
            folder=temporary,
        )


def copy_source(source: Path, copy: Path) -> None:
    """Copy the parts of the program, without Python's caches."""
    copy.mkdir(parents=True)
    for part in SOURCE_PARTS:
        if (source / part).is_dir():
            shutil.copytree(source / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        elif (source / part).is_file():
            shutil.copy2(source / part, copy / part)
        else:
            raise InstallError(f"{source / part} is missing: please download Ringmaster again.")


def place_files(host: Host) -> None:
    """Install the service, its user and the device rules."""
    for name, path in FILES.items():
        host.write(path, (HERE / name).read_text(encoding="utf-8"))
    host.run(("systemd-sysusers", FILES["sysusers.conf"]), "The user for the referee could not be made.")
    host.try_run("udevadm", "control", "--reload")
    host.try_run("udevadm", "trigger", "--subsystem-match=gpio", "--subsystem-match=dma_heap")
    host.link(COMMAND, f"{CURRENT}/bin/ringmaster")


def name_computer(host: Host) -> str:
    """Name a computer with its factory name "ringmaster", for its page's address; return its name."""
    name = host.text("/etc/hostname").strip()
    if name != FACTORY_NAME:
        return name or NAME
    lines = host.text("/etc/hosts").splitlines(keepends=True)
    host.write("/etc/hosts", "".join(line.replace(FACTORY_NAME, NAME) for line in lines))
    host.run(("hostnamectl", "set-hostname", NAME), "The Raspberry Pi could not be named ringmaster.")
    host.try_run("systemctl", "try-restart", "avahi-daemon.service")
    return NAME


def switch_to(host: Host, new: str, before: str | None) -> None:
    """Run the service from the environment `new`; if it does not start, from `before`."""
    host.link(CURRENT, new)
    host.try_run("systemctl", "daemon-reload")
    host.run(("systemctl", "enable", "--quiet", SERVICE), "The service cannot be switched on.")
    # Without it the page reports that it cannot switch the computer off.
    host.try_run("systemctl", "enable", "--quiet", "--now", POWER)
    if host.try_run("systemctl", "restart", SERVICE):
        return
    if before is None:
        raise InstallError("Ringmaster is installed but does not start; `ringmaster doctor` says what is missing.")
    host.link(CURRENT, before)
    host.try_run("systemctl", "restart", SERVICE)
    host.remove(new)
    raise InstallError("The new version does not start on this computer; the one before runs again.")


def _need_root(host: Host) -> None:
    if not host.is_root:
        raise InstallError("This changes the system, so it needs the administrator: put sudo before it.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 after an error, which is printed in one line."""
    parser = argparse.ArgumentParser(description="Install Ringmaster on a Raspberry Pi, or remove it.")
    parser.add_argument("what", choices=("install", "uninstall", "environment"))
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--any-computer", action="store_true", help="install on something that is no Raspberry Pi")
    parser.add_argument("--purge", action="store_true", help="uninstall: remove the games, too")
    parser.add_argument("--folder", default=f"{HOME}/trial", help="environment: build it there, and do nothing else")
    parser.add_argument("--without", action="append", default=[], help="environment: a library that is not tried")
    parser.add_argument("--extras", default="", help="what is wanted besides, such as club")
    parser.add_argument("--log", default=LOG, help="where what was done is written")
    options = parser.parse_args(arguments)
    host = Host(dry=options.dry_run, log=options.log)
    try:
        if options.what == "install":
            install(host, any_computer=options.any_computer, extras=options.extras)
        elif options.what == "environment":
            libraries = [name for name in LIBRARIES if name not in options.without]
            build_environment(host, SOURCE, options.folder, libraries, options.extras)
        else:
            uninstall(host, purge=options.purge)
    except InstallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
