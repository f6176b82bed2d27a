"""What was measured last, set by set: kept as JSON beside the code, and written out as the page on accuracy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from referee.errors import BadInputError

T = TypeVar("T")

KEPT = Path("docs/accuracy.json")
PAGE = Path("docs/accuracy.md")
MOST_LINES = 100  # of the page: longer ones are not read

_HEAD = """# Accuracy

Written by `ringmaster bench report` from `accuracy.json`, into which `ringmaster bench accuracy DIR --keep SET` (and
`hands`, `speed`) puts what it measures: change that, not this. How a figure came about is in git. DIR holds pictures
with truth beside them. *Unseen*: read once, by code that was settled before anybody looked at the pictures. Rendered
pictures are path-traced, drawn ones painted; no photograph of Confetti cards was to be had. A yardstick is grey, Otsu
and contours of the same picture in the same run. Groups are by how much of a card shows; *wrong* counts most.
"""


@dataclass(frozen=True)
class Figure:
    """A set and what came out on it; `met` is None where nothing was aimed at; `measured` is a day, YYYY-MM-DD."""

    about: str
    set: str
    figure: str
    target: str | None
    met: bool | None
    measured: str
    repeat: str


@dataclass(frozen=True)
class Figures:
    """All that is kept: figures in the page's order, and what fails, a sentence each."""

    figures: tuple[Figure, ...]
    fails: tuple[str, ...]

    def with_figure(self, new: Figure) -> Figures:
        """Put a figure in the place of the one on the same set, or behind those on its subject."""
        old = next((one for one in self.figures if (one.about, one.set) == (new.about, new.set)), None)
        if old is None:
            behind = max((at for at, one in enumerate(self.figures) if one.about == new.about), default=None)
            at = len(self.figures) if behind is None else behind + 1
            return Figures((*self.figures[:at], new, *self.figures[at:]), self.fails)
        return Figures(tuple(new if one is old else one for one in self.figures), self.fails)

    def as_text(self) -> str:
        """Give them as JSON, a figure a line."""
        rows = ",\n".join(f"  {json.dumps(asdict(one), ensure_ascii=False)}" for one in self.figures)
        fails = ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in self.fails)
        return f'{{"figures": [\n{rows}\n],\n"fails": [\n{fails}\n]}}\n'

    def page(self) -> str:
        """Give the page: a table by set, then what fails."""
        lines = [_HEAD, "| set | figure | target | measured | how to repeat |", "|---|---|---|---|---|"]
        about = None
        for one in self.figures:
            if one.about != about:
                about = one.about
                lines.append(f"| **{about}** | | | | |")
            lines.append(f"| {one.set} | {one.figure} | {_target(one)} | {one.measured} | {one.repeat} |")
        lines += ["", "## What fails", ""]
        lines += [f"- {sentence}" for sentence in self.fails]
        return "\n".join(lines) + "\n"


def load_figures(path: Path) -> Figures:
    """Load what is kept.

    Raises:
        BadInputError: there is no such file, or it is not of this kind.
    """
    names = ", ".join(field.name for field in fields(Figure))
    return load_kept(
        path,
        lambda kept: Figures(tuple(Figure(**one) for one in kept["figures"]), tuple(str(one) for one in kept["fails"])),
        f"figures ({names}) and what fails",
    )


def load_kept(path: Path, made_of: Callable[[Any], T], holds: str) -> T:
    """Load what is kept as JSON beside the code.

    Raises:
        BadInputError: there is no such file, or nothing can be made of it, which should hold what is said.
    """
    try:
        return made_of(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise BadInputError(f"there is no {path} here: run this where Ringmaster's code lies") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{path} does not hold {holds}: {error}") from None


def keep_figure(
    about: str, of: str, figure: str, repeat: str, *, on: str = "", met: bool | None = None, path: Path = KEPT
) -> None:
    """Keep what was measured on a set today; `repeat`: the command, `on`: by what its pictures are known again.

    Raises:
        BadInputError: nothing is kept here.
    """
    kept = load_figures(path)
    before = next((one for one in kept.figures if (one.about, one.set) == (about, of)), None)
    target = before.target if before else None
    today = date.today().isoformat()
    again = f"`{repeat}` on {on}" if on else f"`{repeat}`"
    new = Figure(about, of, figure, target, met if target else None, today, again)
    path.write_text(kept.with_figure(new).as_text(), encoding="utf-8")


def in_words(summary: Mapping[str, Any]) -> str:
    """Say a bench's sums in a line: by group how many there were, and how many came out how."""
    groups = summary.get("cards") or summary.get("total") or summary
    rows: Iterable[tuple[str, Mapping[str, Any]]] = (
        ((row["group"], row) for row in groups) if isinstance(groups, list) else groups.items()
    )
    told = [
        f"{group}: " + ", ".join(f"{n} {outcome}" for outcome, n in row.items() if outcome != "group")
        for group, row in rows
    ]
    if "false" in summary:
        told.append(f"false: {summary['false']}")
    return "; ".join(told)


def _target(one: Figure) -> str:
    if one.target is None:
        return ""
    if one.met is None:
        return one.target
    return f"{one.target}: met" if one.met else f"{one.target}: **not met**"
