"""The prose rule holds for the lines and commits that somebody adds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


class Clone:
    """A small repository whose last commit is checked."""

    def __init__(self, folder: Path) -> None:
        """Make it, with one commit whose prose is old."""
        self.folder = folder
        self._git("init", "-q")
        self.commit("eye: add a reader", "# whoever is told anew\nX = 1\n")

    def _git(self, *arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, title: str, text: str, name: str = "eye.py") -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", title)

    def check(self) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "tools" / "prose.py")]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_old_prose_passes_and_a_banned_word_in_a_new_comment_or_docstring_fails(clone: Clone) -> None:
    clone.commit("eye: count", "# whoever is told anew\nX = 1\nY = 'plain text that users see'\n")
    assert clone.check().returncode == 0
    clone.commit("eye: explain", '"""Returns what is told."""\n# whoever is told anew\nX = 1\n')
    answer = clone.check()
    assert answer.returncode == 1
    assert "eye.py:1" in answer.stdout and "told" in answer.stdout
    assert "eye.py:2" not in answer.stdout


def test_a_banned_word_in_a_comment_of_javascript_fails_and_in_its_code_passes(clone: Clone) -> None:
    clone.commit("page: draw", 'const plain = "https://plain"; // a card\n', "eye.js")
    assert clone.check().returncode == 0
    clone.commit("page: explain", "// A card.\nconst card = 1; // lies there\n", "eye.js")
    answer = clone.check()
    assert answer.returncode == 1
    assert "eye.js:2" in answer.stdout and "lies" in answer.stdout


@pytest.mark.parametrize("title", ["Make the eye see", "eye: " + "see more " * 9])
def test_a_title_without_area_or_too_long_fails(clone: Clone, title: str) -> None:
    clone.commit(title, "X = 2\n")
    answer = clone.check()
    assert answer.returncode == 1 and "area: imperative" in answer.stdout
