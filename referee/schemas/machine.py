"""Answers about the machine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from referee.schemas.base import JsonAnswer


class Finding(JsonAnswer):
    """`ringmaster doctor --json`: a line a finding."""

    check: str
    state: Literal["ok", "remark", "fault", "skipped"]
    message: str
    advice: str
    needed: Annotated[bool, Field(description="whether the game needs it")]


class Code(JsonAnswer):
    """`ringmaster code --json`: one line."""

    code: str
    valid_s: float
