"""`ringmaster completion`: what a shell offers when Tab is pressed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from referee.cli import all_commands
from referee.completion import script

TYPED = (
    (["hist"], "history"),
    (["run", "--log"], "--log-level"),
    (["run", "--log-level", "d"], "debug"),
    (["bench", "sp"], "speed"),
    (["read", "--deck", "bench", "--ta"], "--table"),
    (["export", "--format", "j"], "json jsonl"),
    (["export", "-o", ""], ""),
)


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    parser = all_commands()
    return {shell: script(parser, shell) for shell in ("bash", "zsh", "fish")}


def test_bash_offers_what_the_place_takes_and_files_elsewhere(scripts: dict[str, str]) -> None:
    tries = "".join(f"try {' '.join(word or repr('') for word in words)}\n" for words, _ in TYPED)
    ask = 'try() { COMP_WORDS=(ringmaster "$@"); COMP_CWORD=$#; _ringmaster; echo "${COMPREPLY[*]}"; }\n'
    done = subprocess.run(["bash", "-c", scripts["bash"] + ask + tries], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [offered for _, offered in TYPED]
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_theirs(shell: str, scripts: dict[str, str]) -> None:
    assert "history" in scripts[shell]
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n"], input=scripts[shell], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
