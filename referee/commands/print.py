"""`ringmaster print`: writes decks and marker cards as PDF, true to size."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.output import for_people
from referee.phrases import phrase
from referee.printing import PAPERS, printed


def _printable(_context: click.Context, _argument: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    return options.offered(["markers", "confetti", "piccolino", "coloretto", "everdeck"], begun)


@click.command(help=COMMANDS["print"], epilog=phrase("page.usable_cards"))
@click.argument(
    "what",
    metavar="WHAT",
    shell_complete=_printable,
    help="a deck (confetti, piccolino, coloretto, everdeck), or markers",
)
@options.output("FILE.pdf", "the PDF to write", required=True)
@click.option("--manifest", metavar="FILE.json", type=options.FILE, help="place of every card on the pages")
@click.option("--paper", type=click.Choice(PAPERS, case_sensitive=False), default="a4", help="the paper")
@options.language
def command(what: str, output: Path, manifest: Path | None, paper: str) -> int:
    """Write the PDF and, if asked, the manifest.

    Raises:
        BadInputError: a file's folder does not exist, or its suffix is of another kind.
        BadDeckError: there is no such deck, or its description is broken.
    """
    if manifest is not None and manifest.resolve() == output.resolve():
        raise BadInputError("error.commands.pdf_and_manifest_need_two")
    if output.suffix.lower() not in ("", ".pdf"):
        raise BadInputError("error.commands.will_be_pdf_call_it", output=output, value=output.with_suffix(".pdf").name)
    for path in (output, manifest):
        if path is not None:
            check_writable(path)
    pdf, places = printed(what, paper)
    write_whole(output, pdf)
    if manifest is not None:
        write_whole(manifest, (json.dumps(places, indent=1, ensure_ascii=False) + "\n").encode())
    print(for_people(phrase("terminal.pages_print_at_100_and", path=output, number=places["pages"])))
    return 0
