"""The page about all commands: every command comes on it, and nothing stays that none of them takes."""

from __future__ import annotations

import re
from pathlib import Path

from referee.cli import COMMANDS
from referee.command_page import commands_page

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def test_every_command_comes_on_the_page_and_no_option_stays_that_is_gone() -> None:
    kept, made = PAGE.read_text(encoding="utf-8"), commands_page()
    assert all(f"`ringmaster {name}`" in made for name in COMMANDS)
    named = re.compile(r"`(--[a-z-]+)")
    assert set(named.findall(kept)) <= set(named.findall(made))
    assert len(named.findall(kept)) > 60
