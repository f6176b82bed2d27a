"""The walk through the steps in a terminal: instructions and findings; Enter stores one, a number chooses."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

from referee.errors import BadInputError
from referee.language import Language
from referee.phrases import in_language
from referee.setup.step import Choice, State, StepFinding
from referee.setup.walk import Walk, new_step

LOOK_S = 0.5
_BAR = 20
_MEND_S = 8.0
_MOST_TYPED = 4096
_MOVE = re.compile(r"([1-9]) *([+-][0-9]{1,3})")


class Terminal:
    """Guides through the steps.

    keys: the keyboard; None: there is none, and each step ends when it is good, or after patience_s.
    """

    def __init__(
        self,
        walk: Walk,
        language: Language,
        keys: TextIO | None,
        patience_s: float,
        write: Callable[[str], None] = print,
    ) -> None:
        self._walk, self._language, self._keys, self._patience_s, self._write = walk, language, keys, patience_s, write
        self._ahead = ""

    def lead(self, steps: Sequence[str]) -> bool:
        """Guide through steps; return False if one of them found something missing or to improve."""
        ways = [self._lead_through(name) for name in steps]
        return all(ways)

    def _lead_through(self, name: str) -> bool:
        """Guide through a step; return False if it found something missing, or nothing."""
        step = new_step(name)
        self._write(f"\n{self._language.text(step.title_key)}: {self._language.text(step.ask_key)}")
        self._walk.open(name)
        if self._keys is not None:
            self._write(self._language.text("setup.enter_goes_on_s_leaves"))
        while True:
            found, typed = self._wait()
            if typed == "s":
                self._walk.skip()
                return True
            if typed.isdecimal() and self._choose(found.choices, int(typed)):
                continue
            if found.handles and (way := _MOVE.fullmatch(typed)):
                self._answer({"seat": int(way[1]) - 1, "by_cm": int(way[2])})
                continue
            unanswered = self._keys is None and found.state is State.WAIT
            if not unanswered and self._keep():
                return found.state is not State.MISSING
            if self._keys is None:
                self._walk.skip()
                return False

    def _wait(self) -> tuple[StepFinding, str]:
        """Show findings until a line is typed; without a keyboard, until a step is good or nothing changes."""
        moved_s, shown = time.monotonic(), ""
        while True:
            _, found = self._walk.look()
            lines = _in_lines(found, self._language)
            if lines != shown:
                moved_s, shown = time.monotonic(), lines
                self._write(lines)
            self._draw(found.bar)
            if (typed := self._typed()) is not None:
                return found, typed
            waited_s = time.monotonic() - moved_s
            # A hand may cover something only briefly.
            mended = found.state is State.MEND and waited_s > _MEND_S
            well = found.state in (State.GOOD, State.MISSING)
            if self._keys is None and (well or mended or waited_s > self._patience_s):
                return found, ""

    def _draw(self, bar: float | None) -> None:
        """Draw the bar, repeatedly in one line, in a terminal."""
        if self._keys is None or bar is None:
            return
        full = round(_BAR * bar)
        sys.stdout.write(f"\r  [{'#' * full}{'.' * (_BAR - full)}] ")
        sys.stdout.flush()

    def _keep(self) -> bool:
        try:
            self._walk.keep()
        except BadInputError as error:
            self._write(f"  {in_language(error, self._language)}")
            return False
        return True

    def _choose(self, choices: Sequence[Choice], number: int) -> bool:
        open_to = [choice for choice in choices if not choice.href]
        if not 1 <= number <= len(open_to):
            return False
        self._answer(open_to[number - 1].answer)
        return True

    def _answer(self, answer: Mapping[str, object]) -> None:
        try:
            self._walk.answer(answer)
        except BadInputError as error:
            self._write(f"  {in_language(error, self._language)}")

    def _typed(self) -> str | None:
        """Return a typed line; None without one."""
        if self._keys is None:
            time.sleep(LOOK_S)
            return None
        # Read without Python's own buffer, which would hide all but the first of several lines.
        ready, _, _ = select.select([self._keys], [], [], 0 if "\n" in self._ahead else LOOK_S)
        if ready:
            data = os.read(self._keys.fileno(), _MOST_TYPED)
            if not data and "\n" not in self._ahead:
                self._keys = None
                return None
            self._ahead += data.decode("utf-8", "replace")
        line, end, rest = self._ahead.partition("\n")
        if not end:
            return None
        self._ahead = rest
        return line.strip().lower()


def keys_of_people() -> TextIO | None:
    """Return the terminal's keyboard; None without a terminal."""
    return sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None


def _in_lines(found: StepFinding, language: Language) -> str:
    more = [*found.more]
    if found.handles:
        more = [language.text("setup.2_10_moves_seat_2")]
        more += [
            language.text("setup.percent_of_way_round", seat=one.label, percent=round(100 * one.round))
            for one in found.handles
        ]
    lines = [f"  {found.text}", *(f"  {one}" for one in more)]
    open_to = [choice for choice in found.choices if not choice.href]
    lines += [f"    {n} {'*' if one.chosen else ' '} {one.text}" for n, one in enumerate(open_to, 1)]
    return "\n".join(lines)
