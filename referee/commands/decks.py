"""`ringmaster decks`: which decks there are, and to show, send, load, rename and remove those of the family."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.arguments import add_language
from referee.jsonlines import to_line
from referee.output import Output, complain, for_people

if TYPE_CHECKING:
    from referee.decks.finding import AnyDeck
    from referee.decks.store import DeckStore
    from vision.prints.print_deck import Print

SUMMARY = "list the decks, and show, send, load, rename or remove those that you taught"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    _common(parser)
    kinds = parser.add_subparsers(dest="what", metavar="WHAT")
    show = kinds.add_parser("show", help="the faces of a deck")
    show.add_argument("deck", metavar="DECK", help="a deck's name, or a deck file")
    export = kinds.add_parser("export", help="write a taught deck into a file, to send it or to keep it")
    export.add_argument("deck", metavar="NAME")
    export.add_argument("-o", "--output", metavar="FILE.deck", type=Path, required=True)
    take = kinds.add_parser("import", help="take a deck from a file")
    take.add_argument("file", metavar="FILE.deck", type=Path)
    take.add_argument("--name", metavar="NAME", help="keep it under this name")
    remove = kinds.add_parser("remove", help="forget a taught deck")
    remove.add_argument("deck", metavar="NAME")
    rename = kinds.add_parser("rename", help="give a taught deck another name")
    rename.add_argument("deck", metavar="NAME")
    rename.add_argument("new", metavar="NEW")
    for kind in (show, export, take, remove, rename):
        _common(kind, default=argparse.SUPPRESS)


def _common(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    parser.add_argument(
        "--state", metavar="DIR", type=Path, default=default, help="where decks are kept (default: the usual place)"
    )
    parser.add_argument("--json", action="store_true", default=default or False, help="answer in JSON, a deck a line")
    add_language(parser, default)


def run(args: argparse.Namespace) -> int:
    """Do what is asked; exit status 1 when a kept deck cannot be read.

    Raises:
        BadInputError: a name or a file makes no sense.
        BadDeckError: there is no such deck, or it is broken.
        WorkFailedError: a file cannot be read or written.
    """
    from referee.decks.store import DeckStore
    from referee.journal.folder import state_folder

    store = DeckStore(state_folder(args.state))
    match args.what:
        case None:
            return _list(store, as_json=args.json)
        case "show":
            _show(args)
        case "export":
            _export(store, args)
        case "import":
            _import(store, args)
        case "remove":
            store.remove(args.deck)
            _said(args, args.deck, f"{args.deck} is removed")
        case _:
            store.rename(args.deck, args.new)
            _said(args, args.new, f"{args.deck} is now called {args.new}")
    return 0


def _list(store: DeckStore, *, as_json: bool) -> int:
    from referee.decks.finding import find_deck
    from vision.deck import deck_names

    output, status = Output(), 0
    for name in deck_names():
        _line(output, _summary(find_deck(name), taught=False), as_json=as_json)
    for kept in store.all():
        if kept.deck is None:
            complain("decks", kept.trouble)
            status = 1
        else:
            _line(output, _summary(kept.deck, taught=True), as_json=as_json)
    output.flush()
    return status


def _show(args: argparse.Namespace) -> None:
    from referee.decks.finding import find_deck
    from vision.deck import deck_names
    from vision.prints.print_deck import PrintDeck
    from vision.taught.deck_file import fingerprint

    deck = find_deck(args.deck, args.state)
    output = Output()
    summary = _summary(deck, taught=args.deck not in deck_names())
    faces: list[dict[str, Any]]
    if isinstance(deck, PrintDeck):
        faces = [{"face": f.id, "side": f.side, **_meaning(f)} for f in deck.faces]
    else:
        faces = [
            {
                "face": f.id,
                "side": f.side,
                "marks": [{"size": m.size, "colour": m.colour, "shape": m.shape} for m in f.marks],
            }
            for f in deck.faces
        ]
    summary["version"] = fingerprint(deck)
    if args.json:
        output.line(to_line({**summary, "faces": faces}))
    else:
        _line(output, summary, as_json=False)
        for face in faces:
            told = face.get("attributes") or {m["size"]: f"{m['colour']} {m['shape']}" for m in face.get("marks", ())}
            words = ", ".join(f"{key} {value}" for key, value in told.items())
            output.line(f"  {face['face']} ({face['side']}){': ' if words else ''}{words}")
    output.flush()


def _meaning(face: Print) -> dict[str, Any]:
    from vision.prints.print_deck import attributes_told

    return {"attributes": attributes_told(face.attributes), "count": face.count}


def _export(store: DeckStore, args: argparse.Namespace) -> None:
    from referee.files import write_whole
    from vision.taught.deck_file import pack_deck

    write_whole(args.output, pack_deck(store.load(args.deck)))
    _said(args, args.deck, f"{args.deck} is in {args.output}")


def _import(store: DeckStore, args: argparse.Namespace) -> None:
    from vision.taught.deck_file import read_deck_file, renamed

    deck = read_deck_file(args.file)
    if args.name is not None:
        deck = renamed(deck, args.name)
    store.add(deck)
    if args.json:
        output = Output()
        _line(output, _summary(deck, taught=True), as_json=True)
        output.flush()
    else:
        _said(args, deck.name, f"{deck.name} is taken")


def _said(args: argparse.Namespace, name: str, words: str) -> None:
    output = Output()
    output.line(to_line({"deck": name}) if args.json else for_people(words))
    output.flush()


def _summary(deck: AnyDeck, *, taught: bool) -> dict[str, Any]:
    from vision.deck import Deck
    from vision.taught.deck_file import game_of

    if isinstance(deck, Deck):
        kind, faces = "marks", len({face.id for face in deck.faces})
    else:
        kind, faces = "prints", len(deck.fronts)
    width, height = deck.card_mm
    return {
        "deck": deck.name,
        "game": game_of(deck),
        "kind": kind,
        "faces": faces,
        "card_mm": [round(width, 1), round(height, 1)],
        "taught": taught,
    }


def _line(output: Output, summary: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        output.line(to_line(summary))
        return
    width, height = summary["card_mm"]
    game = f", for {summary['game']}" if summary["game"] else ""
    source = "taught" if summary["taught"] else "built in"
    faces = f"{summary['faces']} faces ({summary['kind']})"
    output.line(f"{summary['deck']}: {faces}{game}, {width:g} × {height:g} mm, {source}")
