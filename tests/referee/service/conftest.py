"""A desk for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)
