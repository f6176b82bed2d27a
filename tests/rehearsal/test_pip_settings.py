"""pip in the systems that the rehearsal builds: fetches the way it does here, and needs nothing that is only here."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rehearsal.pip_settings import read_listing, settings_here, write_settings

PLACE = "/opt/rehearsal/pip"


def written(folder: Path) -> dict[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(folder / "pip.conf", encoding="utf-8")
    return dict(parser["global"])


def test_the_environment_goes_before_files_and_commands_of_others_do_not_count() -> None:
    listing = "\n".join(
        [
            ":env:.timeout='60'",
            "global.index-url='https://one.example/wheels'",
            "global.timeout='15'",
            "freeze.timeout='10'",
            "install.trusted-host='one.example'",
        ]
    )
    found = read_listing(listing)
    assert found == {"timeout": "60", "index-url": "https://one.example/wheels", "trusted-host": "one.example"}


def test_a_certificate_comes_along_and_folders_of_this_system_do_not(tmp_path: Path) -> None:
    certificate = tmp_path / "house.pem"
    certificate.write_text("a certificate", encoding="utf-8")
    addresses = "file:///srv/packages https://two.example/wheels /srv/more"
    write_settings({"cert": str(certificate), "extra-index-url": addresses}, tmp_path / "out", PLACE)
    assert written(tmp_path / "out") == {"cert": f"{PLACE}/cert", "extra-index-url": "https://two.example/wheels"}
    assert (tmp_path / "out" / "cert").read_text(encoding="utf-8") == "a certificate"


def test_pip_itself_reads_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://three.example/wheels")
    monkeypatch.setenv("PIP_FIND_LINKS", "/srv/packages")
    write_settings(settings_here(), tmp_path, str(tmp_path))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        env={**environment, "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert read_listing(told.stdout)["index-url"] == "https://three.example/wheels"
    assert "/srv/packages" not in (tmp_path / "pip.conf").read_text(encoding="utf-8")
