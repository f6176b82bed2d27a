"""A desk and tables for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Office
from tests.support.table_fakes import Table


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def pair(table: Table) -> Table:
    """A game of three in which Ann and Ben show a pair."""
    table.piccolino_with_a_pair()
    return table
