"""Files of the club: CSV for spreadsheets, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from referee.safe_text import spreadsheet_cell

Rows = Sequence[Mapping[str, Any]]


def as_csv(rows: Rows) -> str:
    """Return rows as CSV (RFC 4180), a column for each key; lists and objects are JSON in their cell."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([spreadsheet_cell(column) for column in columns])
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return text.getvalue()


def as_json(rows: Rows) -> str:
    """Return rows as a JSON list, a row a line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return "" if value is None else value
    return spreadsheet_cell(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
