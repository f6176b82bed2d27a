"""`ringmaster mqtt`: at the terminal, what the page's Settings have under “House and club”."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.arguments import port
from referee.errors import BadInputError, WorkFailedError

SUMMARY = "tell a house (Home Assistant) and a club what happens at the table"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--on", action="store_true", help="switch it on")
    parser.add_argument("--off", action="store_true", help="switch it off")
    parser.add_argument("--host", metavar="NAME", help="the broker's computer, such as homeassistant.local")
    parser.add_argument("--port", type=port, help="the broker's port (default 1883, with TLS 8883)")
    parser.add_argument("--user", metavar="NAME", help="the broker's user for this table")
    parser.add_argument("--password-file", metavar="FILE", type=Path, help="a file whose first line is the password")
    parser.add_argument("--tls", choices=("yes", "no"), help="whether the line is encrypted")
    parser.add_argument("--ca", metavar="FILE.pem", type=Path, help="certificate of the authority, if it is your own")
    parser.add_argument("--buttons", choices=("yes", "no"), help="whether the house may pause and count")
    parser.add_argument("--name", metavar="NAME", help="what people call this table")
    parser.add_argument("--join", metavar="CODE", help="join the club whose invitation this is")
    parser.add_argument("--leave", action="store_true", help="leave the club")
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games and settings are kept")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(args: argparse.Namespace) -> int:
    """Change what is asked for, and say what is set; a referee at work takes it within some seconds.

    Raises:
        BadInputError: it cannot be like that.
        WorkFailedError: it cannot be kept, or is another user's.
    """
    from referee.called import called
    from referee.journal.folder import state_folder
    from referee.jsonlines import to_line
    from referee.language import Language, language_of
    from referee.mqtt.settings import load_mqtt, save_mqtt, take_mqtt
    from referee.output import complain
    from referee.sayings import house

    folder = state_folder(args.state)
    wanted = _wanted(args)
    try:
        settings, trouble = take_mqtt(folder)
        if trouble == "copied":
            # The referee takes another name when it starts, and reports it then.
            settings = load_mqtt(folder)
        elif trouble is not None:
            complain("mqtt", house.line(trouble, Language(language_of()), settings.name))
        if wanted or args.join is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o750)
            settings = settings.changed(wanted)
        if args.join is not None:
            settings = replace(settings, invitation=_code(args.join, settings.on))
        if args.leave:
            settings = replace(settings, club=None)
        if wanted or args.join is not None or args.leave:
            save_mqtt(folder, settings)
    except PermissionError as error:
        raise WorkFailedError(f"{folder} is the referee's own: say {called('mqtt', as_root=True)}") from error
    shown = settings.public()
    if args.json:
        print(to_line(shown))
    elif not settings.on:
        print("Nothing is told to anybody: ringmaster mqtt --on --host NAME switches it on.")
    else:
        safe = "encrypted" if settings.tls else "not encrypted"
        may = "may" if settings.buttons else "may not"
        print(f"{settings.name} tells the broker {settings.host}, port {settings.usual_port}, {safe};")
        print(f"the house {may} pause and count. " + (f"Club: {shown['club']}." if shown["club"] else "No club."))
    return 0


def _wanted(args: argparse.Namespace) -> dict[str, Any]:
    """Give what is to be otherwise."""
    if args.on and args.off:
        raise BadInputError("--on or --off, not both")
    found: dict[str, Any] = {"on": True} if args.on else {"on": False} if args.off else {}
    found |= {name: value for name in ("host", "port", "user", "name") if (value := getattr(args, name)) is not None}
    found |= {name: value == "yes" for name in ("tls", "buttons") if (value := getattr(args, name)) is not None}
    if args.password_file is not None:
        found["password"] = text_of(args.password_file).partition("\n")[0].strip("\r")
    if args.ca is not None:
        found["ca"] = text_of(args.ca)
    return found


def _code(text: str, on: bool) -> str:
    from referee.mqtt.client import code_in

    code = code_in(text)
    if code is None:
        raise BadInputError("an invitation is ten letters and digits, such as K7QF2-M9P4X")
    if not on:
        raise BadInputError("switch the broker on first: ringmaster mqtt --on --host NAME")
    return code


def text_of(path: Path) -> str:
    """Give what is in a file of text. Raises BadInputError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from error
