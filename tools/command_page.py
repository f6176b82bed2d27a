"""Writes the page about all commands and the schemas of their JSON: `make commands`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from referee.commands import COMMANDS, loaded, ringmaster
from referee.schemas import SCHEMAS, schema_text, schemas_of

_HEAD = """# Commands

Made from the commands themselves (`make commands`). All take `--help`.

Exit status: 0 done; 1 the work failed, or a part of it; 2 bad input or usage, or a part of the input was left out;
130 stopped by Ctrl-C. Whatever is wrong is one line on standard error.

All that is for people is said in English, German or French: as `--language` says, else as the system is set
(`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`). JSON is the same in all of them, but for sentences in it. Its keys stand
in the schemas that are named below; those of `bench` go with what is measured, and may change.
The events of a log are in [events-confetti](schemas/events-confetti.json),
[events-piccolino](schemas/events-piccolino.json) and [events-coloretto](schemas/events-coloretto.json), the file of
settings in [settings](schemas/settings.json), the commands of the page in [page-commands](schemas/page-commands.json).
"""


def commands_page() -> str:
    """Return the page, as Markdown."""
    with click.Context(ringmaster, info_name=ringmaster.name, **ringmaster.context_settings) as context:
        return "\n".join([_HEAD, *(line for name in COMMANDS for line in _lines(loaded(name), name, context, 2))])


def _lines(command: click.Command, name: str, parent: click.Context, depth: int) -> Iterator[str]:
    with click.Context(command, parent=parent, info_name=name) as context:
        yield f"{'#' * depth} `{context.command_path}`\n"
        yield f"{command.help}\n"
        rows = [_row(*record) for one in command.params if (record := one.get_help_record(context))]
        yield from ["| | |", "|---|---|", *rows, ""] if rows else []
        if schemas := schemas_of(context.command_path.removeprefix(f"{ringmaster.name} ")):
            yield f"With `--json`: {', '.join(f'[{one}](schemas/{one}.json)' for one in schemas)}.\n"
        if isinstance(command, click.Group):
            for below, one in sorted(command.commands.items()):
                yield from _lines(one, below, context, depth + 1)


def _row(names: str, text: str) -> str:
    return f"| `{_cell(names)}` | {_cell(text)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(commands_page(), encoding="utf-8")
    folder = page.with_name("schemas")
    folder.mkdir(exist_ok=True)
    for each in SCHEMAS:
        (folder / f"{each}.json").write_text(schema_text(each), encoding="utf-8")
