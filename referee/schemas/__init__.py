"""The models of the JSON that is printed and read: `docs/schemas/` is made of them (`make commands`).

A ruling and an event may have further keys; the other objects have no others. The JSON of `bench` has no schema and
may change.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from referee.games.coloretto import events as coloretto
from referee.games.confetti import events as confetti
from referee.games.piccolino import events as piccolino
from referee.match.commands import COMMAND
from referee.match.settings import TableSettings
from referee.schemas import decks, games, machine, pictures

SCHEMAS: dict[str, TypeAdapter[Any]] = {
    "read": TypeAdapter(pictures.Read),
    "score-confetti": TypeAdapter(pictures.ConfettiScore),
    "score-confetti-picture": TypeAdapter(pictures.ConfettiSeat),
    "score-coloretto": TypeAdapter(pictures.ColorettoScore),
    "score-coloretto-picture": TypeAdapter(pictures.ColorettoSeat),
    "replay": TypeAdapter(games.ReplayLine),
    "history": TypeAdapter(games.PastGame),
    "decks": TypeAdapter(decks.ListedDeck),
    "decks-show": TypeAdapter(decks.ShownDeck),
    "teach": TypeAdapter(decks.TaughtPicture | decks.TaughtDeck),
    "doctor": TypeAdapter(machine.Finding),
    "code": TypeAdapter(machine.Code),
    "events-confetti": confetti.EVENTS,
    "events-piccolino": piccolino.EVENTS,
    "events-coloretto": coloretto.EVENTS,
    "page-commands": COMMAND,
    "settings": TypeAdapter(TableSettings),
}
"""By the name of the file in `docs/schemas/`; a command's begin with its name."""


def schema_text(name: str) -> str:
    """Return the text of a schema's file."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**head, **SCHEMAS[name].json_schema()}, indent=1, ensure_ascii=False) + "\n"


def schemas_of(command: str) -> list[str]:
    """Return the names of a command's schemas; command: "score", "decks show"."""
    own = command.replace(" ", "-")
    return [name for name in SCHEMAS if name == own or (own == "score" and name.startswith("score-"))]
