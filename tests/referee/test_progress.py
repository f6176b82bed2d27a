"""How far a long command is: shown on a terminal only, and never among its answers."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import count

import pytest

from referee.output import complain
from referee.progress import along, at_work


class Terminal(io.StringIO):
    """Standard error; `lines` are what stays to be read on it, as a terminal shows it."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    @property
    def lines(self) -> list[str]:
        shown = []
        for line in self.getvalue().split("\n"):
            cells: list[str] = []
            for part in line.split("\r"):
                cells[: len(part)] = part
            shown.append("".join(cells).rstrip())
        return shown


def seconds(each: float) -> Callable[[], float]:
    ticks = count()
    return lambda: next(ticks) * each


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Terminal]:
    def fitted(is_terminal: bool) -> Terminal:
        monkeypatch.setattr("sys.stderr", made := Terminal(is_terminal))
        return made

    return fitted


def test_a_terminal_shows_how_far_it_is_and_a_complaint_has_a_line_of_its_own(
    terminal: Callable[[bool], Terminal],
) -> None:
    shown, bars = terminal(True), []
    for item in along("abcd", 4, seconds(3.0)):
        bars.append(shown.lines[-1])
        if item == "c":
            complain("read", "no picture")
    assert bars == [
        "",
        "[######..................] 1 of 4, 18 s left",
        "[############............] 2 of 4, 9 s left",
        "[##################......] 3 of 4, 4 s left",
    ]
    assert shown.lines == ["ringmaster read: no picture", ""]


@pytest.mark.parametrize(("is_terminal", "each_s"), [(False, 3.0), (True, 0.1)])
def test_a_pipe_and_quick_work_show_nothing(
    is_terminal: bool, each_s: float, terminal: Callable[[bool], Terminal]
) -> None:
    shown = terminal(is_terminal)
    assert list(along(range(9), 9, seconds(each_s))) == list(range(9))
    assert shown.getvalue() == ""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_shows_for_how_long_a_bench_has_been_at_work_and_nothing_is_left_of_it(
    terminal: Callable[[bool], Terminal], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr("referee.progress.AFTER_S", 0.0)
    shown = terminal(is_terminal)
    with at_work(0.01):
        while is_terminal and " s]" not in shown.getvalue():
            pass
    assert shown.lines == [""]
