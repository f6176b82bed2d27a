"""What came of taking games out of a file: how many, which were left out and why. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from referee.errors import BadInputError
from referee.journal.rows import KeptGame
from referee.journal.schema import game_from
from referee.journal.stream import Item

MOST_LEFT_OUT = 1000
_MOST_NAMED = 3


@dataclass(frozen=True)
class LeftOut:
    """A game that cannot be taken: which one in the file, the first one has the number 1, and why."""

    number: int
    why: str


@dataclass
class Tally:
    """Counts. otherwise: numbers in the file of games whose events lead to another result than stood there.

    torn: whether games may have stood behind a tear. pictures_left_out: how many were none.
    """

    added: int = 0
    there: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    otherwise: list[int] = field(default_factory=list)
    torn: bool = False
    pictures_left_out: int = 0

    def leave_out(self, game: LeftOut) -> None:
        """Note a game that cannot be taken.

        Raises:
            BadInputError: so many cannot that the file is none of ours.
        """
        self.left_out.append(game)
        if len(self.left_out) > MOST_LEFT_OUT:
            raise BadInputError("error.journal.none_of_first_games_in", most=MOST_LEFT_OUT, why=game.why)

    def game_of(self, item: Item) -> KeptGame:
        """Give the game that stands in the file.

        Raises:
            BadInputError: it is none.
        """
        if item.fault is not None:
            raise BadInputError("error.detail", text=item.fault)
        taken = game_from(item.data)
        if taken.otherwise:
            self.otherwise.append(item.number)
        return taken.kept

    def games(self, items: Iterable[Item]) -> Iterator[KeptGame]:
        """Give the games that can be taken."""
        for item in items:
            try:
                game = self.game_of(item)
            except BadInputError as error:
                self.leave_out(LeftOut(item.number, str(error)))
                continue
            yield game

    def complaint(self) -> str | None:
        """Give one sentence about what was left out, None if nothing was."""
        if not self.left_out:
            return None
        named = "; ".join(f"game {one.number}: {one.why}" for one in self.left_out[:_MOST_NAMED])
        more = len(self.left_out) - _MOST_NAMED
        count = "one game" if len(self.left_out) == 1 else f"{len(self.left_out)} games"
        return f"{count} in it cannot be taken ({named}{f'; and {more} more' if more > 0 else ''})"
