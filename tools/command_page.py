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
130 stopped by Ctrl-C. An error is one line on standard error.

Sentences are in English, German or French, by `--language` or by the system (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`,
`LANG`). JSON has the same keys in all languages; the schemas named below define them. The JSON of `bench` has no schema
and may change. Further schemas: the events of a log ([events-confetti](schemas/events-confetti.json),
[events-piccolino](schemas/events-piccolino.json), [events-coloretto](schemas/events-coloretto.json)), the file of
settings ([settings](schemas/settings.json)), the commands of the page ([page-commands](schemas/page-commands.json)).
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
