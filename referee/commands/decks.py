"""`ringmaster decks`: lists the decks, and shows, sends, loads, renames and removes taught ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.commands import COMMANDS, options
from referee.jsonlines import to_line
from referee.output import Output, complain, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.decks.store import DeckStore
    from vision.deck import Deck, Face


def _common(function: options.Function) -> options.Function:
    """Add the options that all subcommands have."""
    kept = options.state("where decks are kept")
    return kept(options.as_json("answer in JSON, a deck a line")(options.language(function)))


_NAME = click.argument("deck", metavar="NAME", shell_complete=options.decks_from, help="a taught deck's name")


@click.group(help=COMMANDS["decks"], invoke_without_command=True)
@_common
@click.pass_context
def command(context: click.Context, state: Path | None, as_json: bool) -> int:
    """List the decks; exit status 1 when a stored deck cannot be read."""
    return _list(_store(state), as_json=as_json) if context.invoked_subcommand is None else 0


@command.command(help="the faces of a deck")
@click.argument("deck", metavar="DECK", shell_complete=options.decks_from, help="a deck's name, or a deck file")
@_common
def show(deck: str, state: Path | None, as_json: bool) -> int:
    """Print a deck's faces."""
    _show(deck, state, as_json=as_json)
    return 0


@command.command(help="write a taught deck into a file, to send it or to keep it")
@_NAME
@options.output("FILE.deck", "the file to write", required=True)
@_common
def export(deck: str, output: Path, state: Path | None, as_json: bool) -> int:
    """Write a deck file."""
    from referee.files import write_whole
    from vision.deck_file import pack_deck

    options.check_deck_file(output)
    write_whole(output, pack_deck(_store(state).load(deck)))
    return _said(deck, phrase("terminal.is_in", deck=deck, path=output), as_json=as_json)


@command.command("import", help="take a deck from a file")
@click.argument("file", metavar="FILE.deck", type=options.FILE, help="what `decks export` or `teach` wrote")
@click.option("--name", metavar="NAME", help="keep it under this name")
@_common
def take(file: Path, name: str | None, state: Path | None, as_json: bool) -> int:
    """Store the deck of a file."""
    from vision.deck_file import read_deck_file, renamed

    deck = read_deck_file(file)
    if name is not None:
        deck = renamed(deck, name)
    _store(state).add(deck)
    if not as_json:
        return _said(deck.name, phrase("terminal.is_taken", deck=deck.name), as_json=False)
    output = Output()
    _line(output, _summary(deck, taught=True), as_json=True)
    output.flush()
    return 0


@command.command(help="forget a taught deck")
@_NAME
@_common
def remove(deck: str, state: Path | None, as_json: bool) -> int:
    """Delete a deck."""
    _store(state).remove(deck)
    return _said(deck, phrase("terminal.is_removed", deck=deck), as_json=as_json)


@command.command(help="give a taught deck another name")
@_NAME
@click.argument("new", metavar="NEW", help="its new name")
@_common
def rename(deck: str, new: str, state: Path | None, as_json: bool) -> int:
    """Rename a deck."""
    _store(state).rename(deck, new)
    return _said(new, phrase("terminal.is_now_called", deck=deck, name=new), as_json=as_json)


def _store(state: Path | None) -> DeckStore:
    from referee.decks.store import DeckStore
    from referee.state_folder import state_folder

    return DeckStore(state_folder(state))


def _list(store: DeckStore, *, as_json: bool) -> int:
    from referee.decks.lookup import find_deck
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


def _show(name: str, state: Path | None, *, as_json: bool) -> None:
    from referee.decks.lookup import find_deck
    from vision.deck import deck_names
    from vision.deck_file import fingerprint

    deck = find_deck(name, state)
    output = Output()
    summary = _summary(deck, taught=name not in deck_names())
    faces = [{"face": face.id, "side": face.side, **_meaning(face)} for face in deck.faces]
    summary["version"] = fingerprint(deck)
    if as_json:
        output.line(to_line({**summary, "faces": faces}))
    else:
        _line(output, summary, as_json=False)
        for face in faces:
            attributes = face.get("attributes") or {
                m["size"]: f"{m['colour']} {m['shape']}" for m in face.get("marks", ())
            }
            words = ", ".join(f"{key} {value}" for key, value in attributes.items())
            output.line(f"  {face['face']} ({face['side']}){': ' if words else ''}{words}")
    output.flush()


def _meaning(face: Face) -> dict[str, Any]:
    from referee.findings import meaning_of

    return meaning_of(face) if face.marks else {**meaning_of(face), "count": face.count}


def _said(name: str, words: str, *, as_json: bool) -> int:
    output = Output()
    output.line(to_line({"deck": name}) if as_json else for_people(words))
    output.flush()
    return 0


def _summary(deck: Deck, *, taught: bool) -> dict[str, Any]:
    width, height = deck.card_mm
    return {
        "deck": deck.name,
        "game": deck.game,
        "kind": deck.kind,
        "faces": len({face.id for face in deck.fronts}),
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
