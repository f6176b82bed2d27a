"""The release gate measures what it is asked for, and says how much of it is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.nightly
def test_the_gate_gives_a_row_and_names_sets_that_are_not_here(tmp_path: Path) -> None:
    asked = [sys.executable, "-m", "tools.gate", "--only", "Confetti", "--sets", str(tmp_path)]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| Confetti")]
    assert done.returncode == 0, done.stderr
    assert any("pictures of the tests | 0 |" in row for row in rows)
    assert any("41 rendered scenes | not measured" in row for row in rows)
