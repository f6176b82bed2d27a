"""Gives pip in another system this system's settings, such as a mirror.

python -m tools.rehearsal.pip_settings FOLDER PLACE writes FOLDER/pip.conf with the files it names. FOLDER is then
copied to PLACE in the other system, with PIP_CONFIG_FILE=PLACE/pip.conf.
"""

from __future__ import annotations

import ast
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "pip.conf"
SECTIONS = (":env:", "global", "install", "download")
# Settings of paths in this system, which do not apply elsewhere.
OF_THIS_SYSTEM = {"find-links", "cache-dir", "log", "prefix", "root", "target", "user", "require-virtualenv", "python"}


def read_listing(text: str) -> dict[str, str]:
    """Return the settings in the output of `pip config list`; the environment's override those of files."""
    found: dict[str, str] = {}
    for line in sorted(text.splitlines(), key=lambda line: line.startswith(":env:")):
        key, is_setting, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if is_setting and section in SECTIONS and name not in OF_THIS_SYSTEM:
            found[name] = str(ast.literal_eval(value))
    return found


def write_settings(settings: Mapping[str, str], folder: Path, place: str) -> None:
    """Write pip's settings for another system in which `folder` will be at `place`, with the files that they name.

    An address of a folder here (file:…) is dropped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["[global]"]
    for name, value in settings.items():
        if Path(value).is_file():
            shutil.copyfile(value, folder / name)
            lines.append(f"{name} = {place}/{name}")
            continue
        words = [word for word in value.split() if not word.startswith(("file:", "/"))]
        if words:
            lines.append(f"{name} = {' '.join(words)}")
    (folder / NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")


def settings_here() -> dict[str, str]:
    """Return this system's pip settings, and the certificates that the environment names for Python."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    trusted = os.environ.get(ssl.get_default_verify_paths().openssl_cafile_env)
    return {**({"cert": trusted} if trusted else {}), **read_listing(listed)}


if __name__ == "__main__":
    write_settings(settings_here(), Path(sys.argv[1]), sys.argv[2])
