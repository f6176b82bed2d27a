"""`ringmaster mqtt`: the page's settings “House and club”, at the terminal."""

from __future__ import annotations

from contextlib import suppress
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
@options.broker("the broker's user for this table")
@click.option("--buttons", type=options.YES_OR_NO, help="whether the house may pause and count")
@click.option("--name", metavar="NAME", help="what people call this table")
@click.option("--join", metavar="CODE", help="join the club whose invitation this is")
@click.option("--leave", is_flag=True, help="leave the club")
@options.state("where games and settings are kept")
@options.as_json()
def command(
    on: bool,
    off: bool,
    join: str | None,
    leave: bool,
    state: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401 (host, port, user, password_file, tls, ca, buttons, name)
) -> int:
    """Change settings, and print them; a running referee takes them within some seconds.

    Raises:
        BadInputError: they are invalid.
        WorkFailedError: they cannot be stored, or belong to another user.
    """
    from referee.jsonlines import to_line
    from referee.mqtt.settings import FILE, load_mqtt, save_mqtt, take_mqtt
    from referee.output import complain, for_people
    from referee.phrases import phrase
    from referee.state_folder import as_typed, state_folder

    folder = state_folder(state)
    if on and off:
        raise BadInputError("error.commands.on_or_off_not_both")
    wanted = ({"on": on} if on or off else {}) | options.broker_values(given)
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            (folder / FILE).open("rb").close()  # raises where the file is another user's
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
        print(for_people(phrase("terminal.mqtt_is_off")))
    else:
        safe = "terminal.mqtt_sends_encrypted" if settings.tls else "terminal.mqtt_sends"
        may = "terminal.house_may_pause" if settings.buttons else "terminal.house_may_not_pause"
        club = phrase("terminal.in_club", club=shown["club"]) if shown["club"] else phrase("terminal.in_no_club")
        print(for_people(phrase(safe, table=settings.name, host=settings.host, port=settings.usual_port)))
        print(for_people(phrase(may)), for_people(club))
    return 0


def _code(text: str, on: bool) -> str:
    from referee.mqtt.client import code_in

    code = code_in(text)
    if code is None:
        raise BadInputError("error.commands.invitation_is_ten_letters_and")
    if not on:
        raise BadInputError("error.commands.switch_broker_on_first_ringmaster")
    return code
