"""`ringmaster replay FILE`: judges a recording again and prints its rulings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import click

from referee.changed_rulings import changed
from referee.commands import COMMANDS, options
from referee.engine.events import Header
from referee.errors import BadInputError
from referee.jsonlines import parse_object, to_line
from referee.language import Language, language_of
from referee.output import Output, complain
from referee.phrases import phrase

MOST_COMPLAINTS = 3


@click.command(help=COMMANDS["replay"])
@click.argument(
    "path", metavar="FILE", type=options.FILE, help="an event log (.jsonl) or a recording with pictures (.mcap)"
)
@options.as_json("print one JSON object a ruling")
@options.language
@options.deck("judge with this deck", show_default="the one played with")
@click.option(
    "--changed",
    "changed_only",
    is_flag=True,
    help="print only rulings that are others than those that the recording holds",
)
@click.option(
    "--before",
    type=options.FILE,
    metavar="FILE.jsonl",
    help="print only rulings that are others than these, which an earlier replay --json has printed",
)
@options.table("the table's profile, for a recording")
def command(
    path: Path, as_json: bool, deck: str | None, changed_only: bool, before: Path | None, table: Path | None
) -> int:
    """Print the rulings; exit status 2 when a part of the recording was dropped.

    Raises:
        BadInputError: the file is no recording of a known game.
    """
    earlier = None if before is None else rulings_in(before)
    if path.suffix.lower() == ".mcap":
        return replay_recording(
            path, as_json=as_json, table=table, deck=deck, before=earlier, changed_only=changed_only
        )
    if changed_only and earlier is None:
        raise BadInputError("error.commands.event_log_holds_no_rulings")
    if deck is not None:
        raise BadInputError("error.commands.deck_is_for_recordings_with")
    if table is not None:
        raise BadInputError("error.commands.table_is_for_recordings_with")
    return replay_log(path, as_json=as_json, before=earlier)


def rulings_in(path: Path) -> list[Mapping[str, Any]]:
    """Return the rulings that an earlier `replay --json` has printed.

    Raises:
        BadInputError: the file cannot be read, or has other content.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadInputError("error.cannot_be_read", path=path, why=error.strerror or error) from error
    found = [parse_object(line) for line in lines if line.strip()]
    if not all("ruling" in one for one in found):
        raise BadInputError("error.commands.holds_no_rulings_as_ringmaster", path=path)
    return list(found)


def replay_log(path: Path, *, as_json: bool, before: Sequence[Mapping[str, Any]] | None = None) -> int:
    """Print the rulings of an event log, in JSON or in words.

    before: print only differences from these. Returns 2 when a part was dropped, else 0.
    """
    from referee.games.recorded_game import Fault, judge_log, open_log
    from referee.games.registry import game_kind

    status = 0
    with open_log(path) as (header, entries):
        game = game_kind(header.game).start(header)
        printer = _Printer(header, as_json, before)
        first = next(entries, None)
        if first is None:
            raise BadInputError("error.holds_no_events_there_is", path=path)
        for result in judge_log(game, chain((first,), entries)):
            if isinstance(result, Fault):
                printer.complain(phrase("error.at", where=result.where, why=result.why))
                status = 2
            else:
                printer.ruling(result.as_json())
    printer.flush()
    return status


def replay_recording(
    path: Path,
    *,
    as_json: bool,
    table: Path | None = None,
    deck: str | None = None,
    before: Sequence[Mapping[str, Any]] | None = None,
    changed_only: bool = False,
) -> int:
    """Print the rulings of a recording, in JSON or in words.

    deck: the deck; None: the recording's own. before: print only differences from these; changed_only: from the
    recording's own rulings. Returns 2 when a part was dropped, else 0.
    """
    from referee.decks.game_deck import GameDeck, check_plays, deck_of
    from referee.decks.lookup import find_deck
    from referee.games.recorded_game import DECK_FILE, TABLE, RecordedGame
    from referee.watchers.table_finder import WatchSetup
    from vision.profile import load_profile

    left_out: list[str] = []
    recorded = RecordedGame(path, left_out.append)
    if recorded.is_empty and not left_out:
        raise BadInputError("error.holds_no_pictures_and_no", path=path)
    with _unpacked(recorded.attachments()) as files:
        own_table = table or files.get(TABLE)
        profile = None if own_table is None else load_profile(own_table)
        own_deck = deck or (str(files[DECK_FILE]) if DECK_FILE in files else None)
        known = deck_of(recorded.header) if own_deck is None else GameDeck(find_deck(own_deck))
    if changed_only and before is None:
        before = recorded.rulings
        if not before:
            raise BadInputError("error.commands.holds_no_rulings_to_hold", path=path)
    printer = _Printer(recorded.header, as_json, before)
    check_plays(known.deck, recorded.header.game)
    if known.changed:
        complain("replay", phrase("terminal.deck_changed_since_game", deck=known.deck.name))
    for outcome in recorded.judge(WatchSetup(known.deck, profile)):
        for ruling in outcome.rulings:
            printer.ruling(ruling)
    printer.flush()
    for message in left_out:
        printer.complain(message)
    printer.flush()
    return 2 if left_out else 0


@contextmanager
def _unpacked(files: Mapping[str, bytes]) -> Iterator[dict[str, Path]]:
    """Yield a recording's attachments as temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        places = {name: Path(folder) / name for name in files if name == Path(name).name and name not in ("", "..")}
        for name, path in places.items():
            path.write_bytes(files[name])
        yield places


class _Printer:
    """Prints rulings to standard output and complaints to standard error, in their order.

    Of many complaints only the first are printed; the rest is counted. before: only differences from these rulings are
    printed, at the end.
    """

    def __init__(self, header: Header, as_json: bool, before: Sequence[Mapping[str, Any]] | None = None) -> None:
        from referee.announcer import Announcer

        self._before = before
        self._after: list[Mapping[str, Any]] = []
        self._output = Output()
        self._as_json = as_json
        self._complaints = 0
        self._announcer = Announcer(header.game, header.players, Language(language_of()))

    def ruling(self, data: Mapping[str, Any]) -> None:
        if self._before is not None:
            self._after.append(data)
            return
        self._output.line(to_line(dict(data)) if self._as_json else self._said(data))

    def _said(self, data: Mapping[str, Any] | None) -> str:
        if data is None:
            return "–"
        try:
            said = self._announcer.say(data)
        except LookupError:
            # A ruling of another game may name a seat that does not exist here.
            said = ""
        # A ruling without words is printed as JSON.
        return said or to_line(dict(data))

    def _print_changes(self) -> None:
        for one in changed(self._before or (), self._after):
            if self._as_json:
                self._output.line(to_line({"was": one.was, "now": one.now}))
            else:
                self._output.line(f"{self._said(one.was)} → {self._said(one.now)}")
        self._before, self._after = None, []

    def complain(self, message: str) -> None:
        self._complaints += 1
        if self._complaints <= MOST_COMPLAINTS:
            self._output.flush()
            complain("replay", message)

    def flush(self) -> None:
        if self._before is not None:
            self._print_changes()
        self._output.flush()
        if self._complaints > MOST_COMPLAINTS:
            complain("replay", phrase("terminal.more_lines_left_out", n=self._complaints - MOST_COMPLAINTS))
            self._complaints = 0
