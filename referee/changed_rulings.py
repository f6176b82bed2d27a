"""Finds the rulings that change when a game is judged again, by another version, deck or profile. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RulingData = Mapping[str, Any]
_HOW = frozenset({"frame_t_ns", "phone", "reaction_ms", "arrangement"})


@dataclass(frozen=True)
class Changed:
    """A ruling before and after; None: there was, or is, no ruling."""

    was: RulingData | None
    now: RulingData | None


def changed(before: Iterable[RulingData], after: Iterable[RulingData]) -> list[Changed]:
    """Yield the changes in the order of time.

    Rulings of one instant and one kind are compared. A newer version may give a ruling more keys than an older one; an
    additional key is no change.
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
    """Return whether a ruling has all values of an older one, except those that say how it was judged."""
    return all(ruling.get(key) == value for key, value in older.items() if key not in _HOW)
