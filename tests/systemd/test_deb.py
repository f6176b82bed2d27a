"""The Debian package: what is in it, with a stand-in for the environment that takes minutes to fetch."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "systemd")
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("dh", "dpkg-buildpackage", "make"))),
    reason="needs Debian's tools for packages: sudo apt-get install debhelper make",
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package away from the project, and give the folder with what is in it."""
    folder = tmp_path_factory.mktemp("deb")
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)
    environment = folder / "stand-in"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "ringmaster").write_text("#!/bin/sh\n")
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


def test_its_units_are_the_same(package: Path) -> None:
    for unit in (
        "ringmaster.service",
        "ringmaster-power.service",
        "ringmaster-power.path",
        "ringmaster-club.service",
    ):
        (found,) = package.glob(f"**/systemd/system/{unit}")
        assert found.read_bytes() == (ROOT / "systemd" / unit).read_bytes()


def test_what_the_unit_starts_is_there_and_so_is_the_command(package: Path) -> None:
    current = package / "opt" / "ringmaster" / "current"
    assert (current / "bin" / "ringmaster").is_file()
    assert str((package / "usr" / "bin" / "ringmaster").readlink()) == "/opt/ringmaster/current/bin/ringmaster"


def test_the_page_has_a_name_and_the_club_starts_only_when_it_is_wanted(package: Path) -> None:
    control = (package / "DEBIAN" / "control").read_text()
    assert "avahi-daemon" in control and "python3 (<<" in control
    assert "<port>80</port>" in (package / "etc" / "avahi" / "services" / "ringmaster.service").read_text()
    after = (package / "DEBIAN" / "postinst").read_text()
    # Enabled at once; the club's unit only again where somebody had enabled it before.
    assert "debian-installed 'ringmaster.service'" not in after and "enable 'ringmaster.service'" in after
    assert "enable 'ringmaster-power.path'" in after
    assert "debian-installed 'ringmaster-club.service'" in after


def test_it_tells_what_is_new_in_its_version(package: Path) -> None:
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    (kept,) = package.glob("usr/share/doc/ringmaster/changelog*.gz")
    told = gzip.decompress(kept.read_bytes()).decode()
    of_version = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split(f"\n## {version[1]}\n")[1].split("\n## ")[0]
    news = [line[2:] for line in of_version.splitlines() if line.startswith("- ")]
    assert told.startswith(f"ringmaster ({version[1]})")
    assert news and [line[4:] for line in told.splitlines() if line.startswith("  * ")] == news
