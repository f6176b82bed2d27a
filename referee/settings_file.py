"""Settings in a JSON file: one invalid value resets no other, and values of another version stay."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from referee.errors import BadInputError
from referee.files import write_whole
from referee.jsonlines import shown
from referee.models import Model, first_fault, own_refusal

Settings = TypeVar("Settings", bound=Model)
_MOST_BYTES = 1 << 18
_UNUSABLE = "not_usable_here"
"""Key under which the file keeps values that this version cannot use."""


def changed(settings: Settings, data: Mapping[str, Any]) -> Settings:
    """Return settings with some values changed.

    Raises:
        BadInputError: unknown setting or value.
    """
    try:
        return type(settings).model_validate({**dict(settings), **data})
    except ValidationError as error:
        fault = first_fault(error)
        if (own := own_refusal(fault)) is not None:
            raise own from None
        name = str(fault["loc"][0])
        if fault["type"] == "extra_forbidden":
            raise BadInputError("error.mqtt.there_is_no_setting", name=shown(name)) from None
        raise BadInputError("error.service.setting_cannot_be", name=name, value=shown(data[name])) from None


def changed_where_possible(
    usual: Settings, data: Mapping[str, Any], gives_way: Sequence[str] = ()
) -> tuple[Settings, dict[str, Any]]:
    """Return the usual settings with all values of `data` that this version can use, and the rest of it.

    gives_way: the order in which settings are dropped that are valid alone, but not together.
    """
    taken = dict(data)
    while True:
        try:
            settings = type(usual).model_validate({**dict(usual), **taken})
        except ValidationError as error:
            wrong = {str(fault["loc"][0]) for fault in error.errors(include_url=False) if fault["loc"]}
            for name in wrong or [next(name for name in gives_way if name in taken)]:
                del taken[name]
        else:
            return settings, {name: value for name, value in data.items() if name not in taken}


def read_settings(path: Path, usual: Settings, gives_way: Sequence[str] = ()) -> tuple[Settings, dict[str, Any]]:
    """Return the settings in a file, and the values that this version cannot use.

    Raises:
        OSError, ValueError, RecursionError: it cannot be read, or holds no settings.
    """
    settings, left = changed_where_possible(usual, _data_in(path), gives_way)
    left.pop(_UNUSABLE, None)
    return settings, left


def write_settings(path: Path, settings: Model, gives_way: Sequence[str] = (), *, secret: bool = False) -> None:
    """Write the settings; values of another version in the file stay.

    secret: only their owner may read them.

    Raises:
        WorkFailedError: the disk refuses.
    """
    try:
        _, left = changed_where_possible(type(settings)(), _data_in(path), gives_way)
    except (OSError, ValueError, RecursionError):
        left = {}
    known = settings.model_dump()
    kept = {name: value for name, value in left.items() if name not in known}
    unusable = {name: value for name, value in left.items() if name in known}
    if unusable:
        before = kept.get(_UNUSABLE)
        kept[_UNUSABLE] = {**before, **unusable} if isinstance(before, dict) else unusable
    write_whole(path, (json.dumps({**known, **kept}, indent=1) + "\n").encode(), secret=secret)


def _data_in(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        data = json.loads(file.read(_MOST_BYTES))
    if not isinstance(data, dict):
        raise BadInputError("error.service.it_is_no_list_of")
    return data
