"""Finds the rulings that differ when a game is judged again, by another version, deck or profile. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RulingData = Mapping[str, Any]
_HOW = frozenset({"frame_t_ns", "phone", "reaction_ms", "arrangement"})


@dataclass(frozen=True)
class Changed:
    """A ruling as it was and as it is now; None: there was, or is, none."""

    was: RulingData | None
    now: RulingData | None


def changed(before: Iterable[RulingData], after: Iterable[RulingData]) -> list[Changed]:
    """Give what has changed, in the order of time.

    Rulings are held against each other that are about one instant and of one kind. A newer version may say more of a
    ruling than an older one: what the older one did not say is no change.
    """
    found: list[tuple[int, int, Changed]] = []
    then, now = _grouped(before), _grouped(after)
    for place, key in enumerate(sorted({*then, *now})):
        old, new = list(then.get(key, ())), list(now.get(key, ()))
        for ruling in list(old):
            same = next((one for one in new if _says(one, ruling)), None)
            if same is not None:
                old.remove(ruling)
                new.remove(same)
        for index in range(max(len(old), len(new))):
            pair = Changed(old[index] if index < len(old) else None, new[index] if index < len(new) else None)
            found.append((key[0], place, pair))
    return [pair for _, _, pair in sorted(found, key=lambda entry: entry[:2])]


def _grouped(rulings: Iterable[RulingData]) -> dict[tuple[int, str], Sequence[RulingData]]:
    groups: dict[tuple[int, str], list[RulingData]] = {}
    for ruling in rulings:
        t_ns = ruling.get("t_ns")
        groups.setdefault((t_ns if isinstance(t_ns, int) else 0, str(ruling.get("ruling"))), []).append(ruling)
    return dict(groups)


def _says(ruling: RulingData, older: RulingData) -> bool:
    """Return whether a ruling says all that an older one says; not how it was found: on which frame, in which order."""
    return all(ruling.get(key) == value for key, value in older.items() if key not in _HOW)
