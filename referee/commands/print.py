"""`ringmaster print`: decks and marker cards as PDF, true to size."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from referee.arguments import add_language
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.output import for_people
from referee.printing import PAPERS, printed
from referee.sayings.cards import USABLE_CARDS

SUMMARY = "make a PDF of a deck or of the marker cards, to print and cut"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `print`."""
    parser.epilog = USABLE_CARDS
    parser.add_argument("what", metavar="WHAT", help="a deck (confetti, piccolino, coloretto, everdeck), or markers")
    parser.add_argument("-o", "--output", metavar="FILE.pdf", type=Path, required=True, help="the PDF to write")
    parser.add_argument("--manifest", metavar="FILE.json", type=Path, help="where every card lies on the pages")
    parser.add_argument("--paper", type=str.lower, choices=PAPERS, default="a4", help="the paper (default a4)")
    add_language(parser)


def run(args: argparse.Namespace) -> int:
    """Write the PDF and, if asked, the manifest.

    Raises:
        BadInputError: a file lies in no folder, or has the name of another kind of file.
        BadDeckError: there is no such deck, or its description is broken.
    """
    if args.manifest is not None and args.manifest.resolve() == args.output.resolve():
        raise BadInputError("the PDF and the manifest need two different files")
    if args.output.suffix.lower() not in ("", ".pdf"):
        raise BadInputError(f"{args.output} will be a PDF: call it {args.output.with_suffix('.pdf').name}")
    for path in (args.output, args.manifest):
        if path is not None:
            check_writable(path)
    pdf, manifest = printed(args.what, args.paper)
    write_whole(args.output, pdf)
    if args.manifest is not None:
        write_whole(args.manifest, (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())
    print(for_people(f"{args.output}: {manifest['pages']} pages; print at 100 % and measure the ruler: 100 mm"))
    return 0
