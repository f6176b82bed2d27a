"""A page for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.page_tools import PageUnderTest, Phone, served


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    with served(tmp_path) as page:
        yield page


@pytest.fixture
def phone(page: PageUnderTest) -> Phone:
    return page.phone()


@pytest.fixture
def paired(page: PageUnderTest) -> Phone:
    return page.paired_phone()
