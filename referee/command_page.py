"""The page about all commands (`docs/commands.md`), made from what the commands take: `make commands`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.cli import all_commands

_HEAD = """# Commands

Made from the commands themselves (`make commands`). All take `--help`.

Exit status: 0 done; 1 the work failed, or a part of it; 2 bad input or usage, or a part of the input was left out;
130 stopped by Ctrl-C. Whatever is wrong is one line on standard error.
"""


def commands_page() -> str:
    """Give the page, as Markdown."""
    return "\n".join([_HEAD, *_lines(all_commands(), 2)])


def _lines(parser: argparse.ArgumentParser, depth: int) -> Iterator[str]:
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, below in action.choices.items():
            yield f"{'#' * depth} `{below.prog}`\n"
            if summaries.get(name):
                yield f"{_sentence(summaries[name])}\n"
            rows = [_row(one) for one in below._actions if not isinstance(one, argparse._SubParsersAction)]
            yield from ["| | |", "|---|---|", *(row for row in rows if row), ""] if any(rows) else []
            yield from _lines(below, depth + 1)


def _row(action: argparse.Action) -> str:
    if isinstance(action, argparse._HelpAction) or action.help is argparse.SUPPRESS:
        return ""
    value = action.metavar or (None if action.choices is None else "|".join(map(str, action.choices)))
    shown = str(value or action.dest.upper())
    if action.option_strings:
        takes = "" if action.nargs == 0 else f" {shown}"
        names = ", ".join(f"`{option}{takes}`" for option in action.option_strings)
    else:
        names = f"`{shown}{'…' if action.nargs in ('*', '+') else ''}`"
    told = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return f"| {names.replace('|', chr(92) + '|')} | {_sentence(told)} |"


def _sentence(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(commands_page(), encoding="utf-8")
