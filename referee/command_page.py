"""The page about all commands and the schemas of their JSON, made from what they take and give: `make commands`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.cli import all_commands
from referee.schemas import SCHEMAS, schema_text, schemas_of

_HEAD = """# Commands

Made from the commands themselves (`make commands`). All take `--help`.

Exit status: 0 done; 1 the work failed, or a part of it; 2 bad input or usage, or a part of the input was left out;
130 stopped by Ctrl-C. Whatever is wrong is one line on standard error.

All that is for people is said in English, German or French: as `--language` says, else as the system is set
(`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`). JSON is the same in all of them, but for sentences in it. Its keys stand
in the schemas that are named below; those of `bench` go with what is measured, and may change.
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
            if schemas := schemas_of(below.prog.removeprefix("ringmaster ")):
                yield f"With `--json`: {', '.join(f'[{one}](schemas/{one}.json)' for one in schemas)}.\n"
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
    page = Path(sys.argv[1])
    page.write_text(commands_page(), encoding="utf-8")
    folder = page.with_name("schemas")
    folder.mkdir(exist_ok=True)
    for each in SCHEMAS:
        (folder / f"{each}.json").write_text(schema_text(each), encoding="utf-8")
