"""The unit as systemd sees it, and as it is written: what it may do, and which devices it may use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from referee.service.power import FILES

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNIT = SYSTEMD / "ringmaster.service"
ANALYZE = shutil.which("systemd-analyze")
EXPOSURE_MOST = 2.0
DEVICES = {"char-gpiochip", "char-video4linux", "char-media", "char-dma_heap", "char-alsa"}


def settings(name: str) -> list[str]:
    """Give all values of a setting in the unit, in order."""
    return re.findall(rf"(?m)^{name}=(.*)$", UNIT.read_text(encoding="utf-8"))


def exposure(unit: Path) -> float:
    """Give what systemd says of a unit's exposure, 0 to 10."""
    assert ANALYZE is not None
    done = subprocess.run(
        [ANALYZE, "security", "--offline=true", "--no-pager", str(unit)], capture_output=True, text=True
    )
    said = re.search(r"exposure level for ringmaster.service: ([\d.]+)", done.stdout)
    assert said is not None, done.stderr
    return float(said[1])


@pytest.fixture
def unit_here(tmp_path: Path) -> Path:
    """Give the unit with a program that this computer has in place of the installed one."""
    unit = tmp_path / "ringmaster.service"
    text = UNIT.read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/ringmaster/current/bin/ringmaster", "/bin/true"), encoding="utf-8")
    return unit


def test_systemd_finds_nothing_wrong(unit_here: Path) -> None:
    if ANALYZE is None:
        # Unknown names are what `verify` would warn of: at least the sections must be the three that there are.
        assert re.findall(r"(?m)^\[(\w+)\]$", UNIT.read_text(encoding="utf-8")) == ["Unit", "Service", "Install"]
        return
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{unit_here.parent}:"}
    done = subprocess.run(
        [ANALYZE, "verify", "--man=no", str(unit_here)], capture_output=True, text=True, env=environment
    )
    # It returns 0 for unknown settings, but speaks of them; what it says of this computer's other units is not ours.
    assert [line for line in done.stderr.splitlines() if "ringmaster" in line] == []
    assert done.returncode == 0


def test_exposure_is_small(unit_here: Path) -> None:
    if ANALYZE is None:
        assert settings("ProtectSystem") == ["strict"] and settings("DevicePolicy") == ["closed"]
        return
    assert exposure(unit_here) <= EXPOSURE_MOST


def test_the_clubs_unit_may_do_little_either(tmp_path: Path) -> None:
    unit = tmp_path / "ringmaster.service"
    text = (SYSTEMD / "ringmaster-club.service").read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/ringmaster/current/bin/ringmaster", "/bin/true"), encoding="utf-8")
    if ANALYZE is None:
        assert "ProtectSystem=strict" in text and "PrivateDevices=yes" in text
        return
    assert exposure(unit) <= EXPOSURE_MOST


def test_a_weaker_unit_would_be_noticed(unit_here: Path) -> None:
    text = unit_here.read_text(encoding="utf-8")
    unit_here.write_text(re.sub(r"(?m)^(Protect|Restrict|SystemCall|Capability).*\n", "", text), encoding="utf-8")
    if ANALYZE is None:
        assert "ProtectSystem" not in unit_here.read_text(encoding="utf-8")
        return
    assert exposure(unit_here) > EXPOSURE_MOST


def test_exactly_the_devices_it_needs() -> None:
    assert {entry.split()[0] for entry in settings("DeviceAllow")} == DEVICES
    assert settings("DevicePolicy") == ["closed"]
    assert settings("PrivateTmp") == ["yes"]


def test_user_and_groups_are_made() -> None:
    members = re.findall(r"(?m)^m (\S+) (\S+)$", (SYSTEMD / "sysusers.conf").read_text(encoding="utf-8"))
    groups = {group for user, group in members if user == "ringmaster"}
    assert groups == set(settings("SupplementaryGroups")[0].split()) == {"gpio", "video", "audio"}
    assert settings("User") == ["ringmaster"]


def test_it_is_watched_and_never_given_up() -> None:
    assert settings("Type") == ["notify"]
    assert 5 <= int(settings("WatchdogSec")[0]) <= 60
    assert settings("Restart") == ["always"] and settings("StartLimitIntervalSec") == ["0"]


def test_only_the_page_is_open_and_only_to_the_home_network() -> None:
    assert settings("IPAddressDeny") == ["any"]
    assert not re.search(r"\b(any|0\.0\.0\.0|::/0)\b", " ".join(settings("IPAddressAllow")))
    (port,) = re.findall(r"--port (\d+)", settings("ExecStart")[0])
    assert settings("SocketBindAllow") == [f"tcp:{port}"]
    assert settings("CapabilityBoundingSet") == settings("AmbientCapabilities") == ["CAP_NET_BIND_SERVICE"]


def test_the_page_may_switch_the_computer_off_and_nothing_else_by_what_it_lays_in_its_folder(tmp_path: Path) -> None:
    assert settings("RuntimeDirectory") == ["ringmaster"] and settings("RuntimeDirectoryMode") == ["0700"]
    watched = re.findall(r"(?m)^PathExists=(.*)$", (SYSTEMD / "ringmaster-power.path").read_text(encoding="utf-8"))
    assert [Path(path).parent for path in watched] == [Path("/run/ringmaster")] * 2
    assert {Path(path).name for path in watched} == set(FILES.values())
    unit = (SYSTEMD / "ringmaster-power.service").read_text(encoding="utf-8")
    (started,) = re.findall(r"(?m)^ExecStart=/bin/sh -c '(.*)'$", unit)
    folder, programs = tmp_path / "run", tmp_path / "bin"
    for place in (folder, programs):
        place.mkdir()
    (programs / "systemctl").write_text('#!/bin/sh\necho "$*" >> "$0.told"\n', encoding="utf-8")
    (programs / "systemctl").chmod(0o755)
    script = started.replace("/run/ringmaster", str(folder)).replace("$$", "$")
    told = programs / "systemctl.told"
    for wish, lines in (("evil", []), ("poweroff", ["--no-block poweroff"]), ("reboot", ["--no-block reboot"])):
        (folder / wish).write_text("rm -rf /", encoding="utf-8")
        subprocess.run(["/bin/sh", "-c", script], env={"PATH": f"{programs}:/bin:/usr/bin"}, check=False)
        assert (told.read_text(encoding="utf-8").splitlines() if told.exists() else []) == lines
        told.unlink(missing_ok=True)
    assert {path.name for path in folder.iterdir()} == {"evil"}
    if ANALYZE is not None:
        environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{SYSTEMD}:"}
        paths = [str(SYSTEMD / name) for name in ("ringmaster-power.service", "ringmaster-power.path")]
        done = subprocess.run([ANALYZE, "verify", "--man=no", *paths], capture_output=True, text=True, env=environment)
        assert [line for line in done.stderr.splitlines() if "ringmaster-power" in line] == []
