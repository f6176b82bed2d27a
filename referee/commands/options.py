"""Options that several commands share, and their completions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from referee.games import GAME_NAMES
from referee.language import LANGUAGES

Function = TypeVar("Function", bound=Callable[..., Any] | click.Command)

# The commands report a file's faults: they know its purpose.
FILE = click.Path(path_type=Path, readable=False)
NAME_OF_FILE = click.Path(path_type=str, readable=False)
PORT = click.IntRange(0, 65535)
GAME = click.Choice(GAME_NAMES)
DECK_SUFFIX = ".deck"
YES_OR_NO = click.Choice(("yes", "no"))


def state(text: str = "where games are kept", default: str = "the usual place") -> Callable[[Function], Function]:
    """Return the option for the folder of games, decks and settings."""
    return click.option("--state", metavar="DIR", type=FILE, callback=_or_of_group, show_default=default, help=text)


def as_json(text: str = "answer in JSON") -> Callable[[Function], Function]:
    """Return the option for an answer in JSON."""
    return click.option("--json", "as_json", is_flag=True, callback=_or_of_group, help=text)


host = click.option(
    "--host", metavar="ADDRESS", default="", show_default="all of this machine", help="address to serve the page at"
)


def port(default: int) -> Callable[[Function], Function]:
    """Return the option for a page's port."""
    return click.option(
        "--port", metavar="PORT", type=PORT, default=default, help="port of the page; 0: any that is free"
    )


def output(metavar: str, text: str, **settings: Any) -> Callable[[Function], Function]:  # noqa: ANN401 (click's own)
    """Return the option for the file to write."""
    return click.option("-o", "--output", metavar=metavar, type=FILE, help=text, **settings)


def table(text: str = "the table's profile, instead of its markers") -> Callable[[Function], Function]:
    """Return the option for a table's profile."""
    return click.option("--table", metavar="PROFILE", type=FILE, help=text)


def deck(text: str, **settings: Any) -> Callable[[Function], Function]:  # noqa: ANN401 (click's own)
    """Return the option for a deck."""
    return click.option("--deck", metavar="DECK", shell_complete=decks_from, help=text, **settings)


def camera(default: str | None = None) -> Callable[[Function], Function]:
    """Return the option for a camera."""
    text = "picamera2, usb:0, or the path of a folder of pictures, a video or a recording"
    return click.option("--camera", metavar="CAMERA", default=default, shell_complete=_cameras_from, help=text)


def check_deck_file(path: Path | None) -> None:
    """Raise BadInputError for a file to write that `find_deck` would not take for a deck file."""
    from referee.errors import BadInputError

    if path is not None and path.suffix != DECK_SUFFIX:
        name = path.with_suffix(DECK_SUFFIX).name
        raise BadInputError("error.commands.will_be_deck_file_call_it", output=path, value=name)


def broker(user: str) -> Callable[[Function], Function]:
    """Return the options for access to a broker besides its name and port; user: help for --user."""

    def added(function: Function) -> Function:
        for option in (
            click.option("--ca", metavar="FILE.pem", type=FILE, help="certificate of the authority, if it is your own"),
            click.option("--tls", type=YES_OR_NO, help="whether the line is encrypted"),
            click.option("--password-file", metavar="FILE", type=FILE, help="a file whose first line is the password"),
            click.option("--user", metavar="NAME", help=user),
        ):
            function = option(function)
        return function

    return added


def broker_values(given: dict[str, Any]) -> dict[str, Any]:
    """Return the given options as values of `Broker` and its models: files are read, yes and no are booleans.

    Raises:
        BadInputError: a file cannot be read, or holds no password.
    """
    from referee.errors import BadInputError

    values = {name: value for name, value in given.items() if value is not None}
    values |= {name: values[name] == "yes" for name in ("tls", "buttons") if name in values}
    if (file := values.pop("password_file", None)) is not None:
        values["password"] = _text_of(file).partition("\n")[0].strip("\r")
        if not values["password"]:
            raise BadInputError("error.commands.holds_no_password", path=file)
    if (file := values.pop("ca", None)) is not None:
        values["ca"] = _text_of(file)
    return values


def _text_of(path: Path) -> str:
    from referee.errors import BadInputError

    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            "error.cannot_be_read", path=path, why=getattr(error, "strerror", None) or "it is no text"
        ) from error


def _or_of_group(context: click.Context, option: click.Parameter, value: Any) -> Any:  # noqa: ANN401 (click's own)
    """Return the command's value, or the one before the command: `decks --json show confetti`."""
    return value or (context.parent.params.get(str(option.name), value) if context.parent else value)


def _speak(_context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        os.environ["LANGUAGE"] = value


language = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    callback=_speak,
    expose_value=False,
    show_default="the system's",
    help="of all that is said",
)
"""Sets the language of `language_of` until the command ends."""


def decks_from(context: click.Context, _option: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """Return the names of decks with this beginning; without one, deck files."""
    from referee.decks.store import DeckStore
    from referee.errors import RingmasterError
    from referee.state_folder import state_folder
    from vision.deck import deck_names

    try:
        taught = DeckStore(state_folder(context.params.get("state"))).names()
    except RingmasterError:
        taught = []
    return offered([*deck_names(), *taught], begun)


def games_from(_context: click.Context, _option: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """Return the names of games with this beginning."""
    return [CompletionItem(name) for name in GAME_NAMES if name.startswith(begun)]


def _cameras_from(_context: click.Context, _option: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    return offered(["picamera2", "usb:0"], begun)


def offered(words: list[str], begun: str) -> list[CompletionItem[str]]:
    """Return the words with this beginning; without one, the shell completes file names."""
    found = [CompletionItem(word) for word in words if word.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]
