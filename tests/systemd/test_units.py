"""The units as systemd sees them: what they may do and use; and the Debian package that brings them."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from referee.match.process import FILES

ROOT = Path(__file__).resolve().parents[2]
SYSTEMD = ROOT / "systemd"
UNIT = SYSTEMD / "ringmaster.service"
ANALYZE = shutil.which("systemd-analyze")
EXPOSURE_MOST = 2.0
DEVICES = {"char-gpiochip", "char-video4linux", "char-media", "char-dma_heap", "char-alsa"}


def settings(name: str) -> list[str]:
    """Return all values of a setting in the unit, in order."""
    return re.findall(rf"(?m)^{name}=(.*)$", UNIT.read_text(encoding="utf-8"))


def analyzed(*arguments: str, units: Path = SYSTEMD) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"}
    return subprocess.run([ANALYZE, *arguments], capture_output=True, text=True, env=environment)


def startable(name: str, folder: Path) -> Path:
    """Return a unit with a program that this computer has in place of the installed one."""
    unit = folder / "ringmaster.service"
    text = (SYSTEMD / name).read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/ringmaster/current/bin/ringmaster", "/bin/true"), encoding="utf-8")
    return unit


def exposure(unit: Path) -> float:
    """Return what systemd says of a unit's exposure, 0 to 10."""
    done = analyzed("security", "--offline=true", "--no-pager", str(unit))
    said = re.search(r"exposure level for ringmaster.service: ([\d.]+)", done.stdout)
    assert said is not None, done.stderr
    return float(said[1])


def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    # Unknown names are what `verify` would warn of: at least the sections must be the three that there are.
    assert re.findall(r"(?m)^\[(\w+)\]$", UNIT.read_text(encoding="utf-8")) == ["Unit", "Service", "Install"]
    if ANALYZE is not None:
        done = analyzed("verify", "--man=no", str(startable("ringmaster.service", tmp_path)), units=tmp_path)
        # It returns 0 for unknown settings, but speaks of them; what it says of other units here is not ours.
        assert [line for line in done.stderr.splitlines() if "ringmaster" in line] == []
        assert done.returncode == 0


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("ringmaster.service", ("ProtectSystem=strict", "DevicePolicy=closed")),
        ("ringmaster-club.service", ("ProtectSystem=strict", "PrivateDevices=yes")),
    ],
)
def test_exposure_is_small_and_a_weaker_unit_would_be_noticed(tmp_path: Path, name: str, lines: tuple[str]) -> None:
    unit = startable(name, tmp_path)
    text = unit.read_text(encoding="utf-8")
    assert all(f"\n{line}\n" in text for line in lines)
    if ANALYZE is not None:
        assert exposure(unit) <= EXPOSURE_MOST
        unit.write_text(re.sub(r"(?m)^(Protect|Restrict|SystemCall|Capability).*\n", "", text), encoding="utf-8")
        assert exposure(unit) > EXPOSURE_MOST


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
    (programs / "systemctl").write_text('#!/bin/sh\necho "$*" >> "$0.log"\n', encoding="utf-8")
    (programs / "systemctl").chmod(0o755)
    script = started.replace("/run/ringmaster", str(folder)).replace("$$", "$")
    log = programs / "systemctl.log"
    for wish, lines in (("evil", []), ("poweroff", ["--no-block poweroff"]), ("reboot", ["--no-block reboot"])):
        (folder / wish).write_text("rm -rf /", encoding="utf-8")
        subprocess.run(["/bin/sh", "-c", script], env={"PATH": f"{programs}:/bin:/usr/bin"}, check=False)
        assert (log.read_text(encoding="utf-8").splitlines() if log.exists() else []) == lines
        log.unlink(missing_ok=True)
    assert {path.name for path in folder.iterdir()} == {"evil"}
    if ANALYZE is not None:
        paths = [str(SYSTEMD / name) for name in ("ringmaster-power.service", "ringmaster-power.path")]
        done = analyzed("verify", "--man=no", *paths)
        assert [line for line in done.stderr.splitlines() if "ringmaster-power" in line] == []


PARTS = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "systemd")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it away from the project, with a stand-in for the environment; give the folder with what is in it."""
    if not all(map(shutil.which, ("dh", "dpkg-buildpackage", "make"))):
        pytest.skip("needs Debian's tools for packages: sudo apt-get install debhelper make")
    folder = tmp_path_factory.mktemp("deb")
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)
    environment = folder / "stand-in"
    (environment / "bin").mkdir(parents=True)
    program = environment / "bin" / "ringmaster"
    program.write_text('#!/bin/sh\necho "for $2"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["make", "deb", f"DEB_PARTS={' '.join(PARTS)}"],
        cwd=folder,
        env={**os.environ, "RINGMASTER_ENVIRONMENT": str(environment)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (made,) = (folder / "build" / "deb").glob("ringmaster_*.deb")
    subprocess.run(["dpkg-deb", "-R", str(made), str(folder / "inside")], check=True)
    return folder / "inside"


def test_the_package_has_the_units_the_command_and_what_they_start(package: Path) -> None:
    for unit in ("ringmaster.service", "ringmaster-power.service", "ringmaster-power.path", "ringmaster-club.service"):
        (found,) = package.glob(f"**/systemd/system/{unit}")
        assert found.read_bytes() == (SYSTEMD / unit).read_bytes()
    assert (package / "opt" / "ringmaster" / "current" / "bin" / "ringmaster").is_file()
    assert str((package / "usr" / "bin" / "ringmaster").readlink()) == "/opt/ringmaster/current/bin/ringmaster"
    share = package / "usr" / "share"
    assert (share / "bash-completion" / "completions" / "ringmaster").read_text() == "for bash\n"
    assert (share / "zsh" / "vendor-completions" / "_ringmaster").read_text() == "for zsh\n"
    assert (share / "fish" / "vendor_completions.d" / "ringmaster.fish").read_text() == "for fish\n"


def test_the_page_has_a_name_and_the_club_starts_only_when_it_is_wanted(package: Path) -> None:
    control = (package / "DEBIAN" / "control").read_text()
    assert "avahi-daemon" in control and "python3 (<<" in control
    assert "<port>80</port>" in (package / "etc" / "avahi" / "services" / "ringmaster.service").read_text()
    after = (package / "DEBIAN" / "postinst").read_text()
    # Enabled at once; the club's unit only again where somebody had enabled it before.
    assert "debian-installed 'ringmaster.service'" not in after and "enable 'ringmaster.service'" in after
    assert "enable 'ringmaster-power.path'" in after
    assert "debian-installed 'ringmaster-club.service'" in after


def test_it_lists_what_is_new_in_its_version(package: Path) -> None:
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    (kept,) = package.glob("usr/share/doc/ringmaster/changelog*.gz")
    log = gzip.decompress(kept.read_bytes()).decode()
    of_version = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split(f"\n## {version[1]}\n")[1].split("\n## ")[0]
    news = [line[2:] for line in of_version.splitlines() if line.startswith("- ")]
    assert log.startswith(f"ringmaster ({version[1]})")
    assert news and [line[4:] for line in log.splitlines() if line.startswith("  * ")] == news
