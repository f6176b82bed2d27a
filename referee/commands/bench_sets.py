"""`ringmaster bench sets`: the pictures that figures were measured on, and whether a folder holds them."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from referee.bench.picture_sets import MANIFEST, contents_of, known_sets, named
from referee.bench.report import print_line


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to the others."""
    sets = kinds.add_parser("sets", help="which pictures figures were measured on, and whether a folder holds them")
    sets.add_argument("folders", metavar="DIR", type=Path, nargs="*", help="pictures with truth files beside them")
    sets.add_argument("--manifest", metavar="FILE", type=Path, default=MANIFEST, help=f"the sets (default {MANIFEST})")
    sets.add_argument("--json", action="store_true", help="a line a set, or a folder")
    sets.set_defaults(bench=_sets)


def _sets(args: argparse.Namespace) -> int:
    known = known_sets(args.manifest)
    if not args.folders:
        for one in known:
            if args.json:
                print_line(asdict(one))
            else:
                print(f"{one.name}: {one.pictures} pictures, {one.where} ({one.licence}); {one.made}")
        return 0
    strange = False
    for folder in args.folders:
        contents = contents_of(folder)
        found = named(contents, known)
        strange |= found is None
        if args.json:
            print_line({"folder": str(folder), **asdict(contents), "set": found.name if found else None})
        else:
            print(f"{folder}: {contents}, {found.name if found else 'no set that figures were measured on'}")
    return 1 if strange else 0
