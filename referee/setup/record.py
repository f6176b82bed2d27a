"""What the steps of setting up have found, kept in the state folder step by step, so that a power cut loses none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from referee.errors import BadInputError, WorkFailedError
from referee.files import kept_data, set_aside, write_whole
from referee.language import Language
from referee.phrases import as_data, from_data
from referee.setup.finding import Kept, State
from vision.profile import seats_fit

FILE = "setup.json"
SKIPPED = "skipped"
_STATES = frozenset({SKIPPED, *(state.value for state in State)})
_MOST_BYTES = 1 << 16


def load_kept(folder: Path) -> dict[str, Kept]:
    """Give what is kept of each step; a file that makes no sense is set aside, and its sound steps go on."""
    data: dict[str, object] = kept_data(folder / FILE, _MOST_BYTES, _object, {})
    kept = kept_from(data)
    if len(kept) < len(data) and set_aside(folder / FILE) is not None:
        with suppress(WorkFailedError):
            save_kept(folder, kept)
    return kept


def _object(data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        raise BadInputError("it is no list of steps")
    return data


def kept_from(data: Mapping[str, object]) -> dict[str, Kept]:
    """Give what stands in the data of such a file; what makes no sense is left out."""
    kept = {}
    for name, one in data.items():
        if not isinstance(one, dict):
            continue
        state, said, more = one.get("state"), one.get("said", one.get("text", "")), one.get("data")
        if isinstance(state, str) and state in _STATES and isinstance(more, dict | None):
            kept[name] = Kept(state, from_data(said, Language("en")), more or {})
    return kept


def deck_of(kept: Mapping[str, Kept]) -> str | None:
    """Give the name of the deck that was chosen, None if none was."""
    name = kept["deck"].data.get("deck") if "deck" in kept else None
    return name if isinstance(name, str) and name else None


def seats_of(kept: Mapping[str, Kept]) -> dict[int, tuple[float, ...]]:
    """Give where people sit, by how many they are, where seats were moved (`referee.scoring.seats.SeatRing.places`)."""
    places = kept["seats"].data.get("places") if "seats" in kept else None
    found = places.items() if isinstance(places, dict) else ()
    return {int(players): tuple(map(float, at)) for players, at in found if seats_fit(players, at)}


def save_kept(folder: Path, kept: Mapping[str, Kept]) -> None:
    """Keep it, whole or not at all.

    Raises:
        WorkFailedError: the disk does not take it.
    """
    data = {name: {"state": one.state, "said": as_data(one.text), "data": dict(one.data)} for name, one in kept.items()}
    folder.mkdir(parents=True, exist_ok=True, mode=0o750)
    write_whole(folder / FILE, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
