"""`ringmaster mqtt`: the page's settings “House and club”, at the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, WorkFailedError


@click.command(help=COMMANDS["mqtt"])
@click.option("--on", is_flag=True, help="switch it on")
@click.option("--off", is_flag=True, help="switch it off")
@click.option("--host", metavar="NAME", help="the broker's computer, such as homeassistant.local")
@click.option("--port", metavar="PORT", type=options.PORT, show_default="1883, with TLS 8883", help="the broker's port")
@click.option("--user", metavar="NAME", help="the broker's user for this table")
@click.option("--password-file", metavar="FILE", type=options.FILE, help="a file whose first line is the password")
@click.option("--tls", type=options.YES_OR_NO, help="whether the line is encrypted")
@click.option("--ca", metavar="FILE.pem", type=options.FILE, help="certificate of the authority, if it is your own")
@click.option("--buttons", type=options.YES_OR_NO, help="whether the house may pause and count")
@click.option("--name", metavar="NAME", help="what people call this table")
@click.option("--join", metavar="CODE", help="join the club whose invitation this is")
@click.option("--leave", is_flag=True, help="leave the club")
@options.state("where games and settings are kept")
@options.as_json()
def command(
    on: bool,
    off: bool,
    password_file: Path | None,
    ca: Path | None,
    join: str | None,
    leave: bool,
    state: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401 (host, port, user, tls, buttons, name)
) -> int:
    """Change settings, and print them; a running referee takes them within some seconds.

    Raises:
        BadInputError: they are invalid.
        WorkFailedError: they cannot be stored, or belong to another user.
    """
    from referee.jsonlines import to_line
    from referee.mqtt.settings import load_mqtt, save_mqtt, take_mqtt
    from referee.output import complain
    from referee.state_folder import as_typed, state_folder

    folder = state_folder(state)
    if on and off:
        raise BadInputError("error.commands.on_or_off_not_both")
    wanted: dict[str, Any] = {"on": on} if on or off else {}
    wanted |= {name: value for name, value in given.items() if value is not None}
    wanted |= {name: wanted[name] == "yes" for name in ("tls", "buttons") if name in wanted}
    if password_file is not None:
        wanted["password"] = text_of(password_file).partition("\n")[0].strip("\r")
    if ca is not None:
        wanted["ca"] = text_of(ca)
    try:
        settings, trouble = take_mqtt(folder)
        if trouble is not None and trouble.key == "copied":
            # The referee takes another name at its next start, and reports it then.
            settings = load_mqtt(folder)
        elif trouble is not None:
            complain("mqtt", trouble.text(settings.name))
        if wanted or join is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o750)
            settings = settings.changed(wanted)
        if join is not None:
            settings = settings.model_copy(update={"invitation": _code(join, settings.on)})
        if leave:
            settings = settings.model_copy(update={"club": None})
        if wanted or join is not None or leave:
            save_mqtt(folder, settings)
    except PermissionError as error:
        raise WorkFailedError(
            "error.commands.is_referees_own_say", folder=folder, value=as_typed("mqtt", as_root=True)
        ) from error
    shown = settings.public()
    if as_json:
        print(to_line(shown))
    elif not settings.on:
        print("Nothing is told to anybody: ringmaster mqtt --on --host NAME switches it on.")
    else:
        safe = "encrypted" if settings.tls else "not encrypted"
        may = "may" if settings.buttons else "may not"
        print(f"{settings.name} tells the broker {settings.host}, port {settings.usual_port}, {safe};")
        print(f"the house {may} pause and count. " + (f"Club: {shown['club']}." if shown["club"] else "No club."))
    return 0


def _code(text: str, on: bool) -> str:
    from referee.mqtt.client import code_in

    code = code_in(text)
    if code is None:
        raise BadInputError("error.commands.invitation_is_ten_letters_and")
    if not on:
        raise BadInputError("error.commands.switch_broker_on_first_ringmaster")
    return code


def text_of(path: Path) -> str:
    """Return the text of a file. Raises BadInputError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            "error.cannot_be_read", path=path, why=getattr(error, "strerror", None) or "it is no text"
        ) from error
