"""A deck in the making: cards of each picture, groups of cards with one face, and people's names for them.

The data survives a restart. Changes are checked here; pictures are studied elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from referee.games.registry import game_kind
from referee.lessons.faults import LessonError

Points = list[tuple[float, float]]
Game = Annotated[str, AfterValidator(lambda name: game_kind(name).name)]
MOST_PICTURES, MOST_CARDS_SAID = 60, 300
BACK = "back"


class _Data(BaseModel):
    # Drafts of earlier versions have more fields.
    model_config = ConfigDict(extra="ignore")


class DraftOutline(_Data):
    """A detection that was not learned: its corners in the picture's pixels, and the reason."""

    corners: Points
    reason: str


class LessonPicture(_Data):
    """A picture of the lesson.

    `state`: waiting for its study; learned; or test, of which only corrected cards are learned. `cards`: each card's
    corners in the picture's pixels, clockwise.
    """

    number: int
    state: Literal["waiting", "learned", "test"] = "waiting"
    size_px: tuple[int, int] = (0, 0)
    cards: list[Points] = []
    unclear: list[DraftOutline] = []


class Example(_Data):
    """A card in a picture, by both numbers."""

    picture: int
    place: int

    @property
    def name(self) -> str:
        """Return the file name of the card's own picture."""
        return f"{self.picture}-{self.place}"


Alike = Callable[[Example, Example], bool]
"""Compares two cards: whether they may show one face."""


class Group(_Data):
    """Cards with one face. `said`: attributes by people; `proposed`: attributes by the program."""

    id: int
    examples: list[Example]
    said: dict[str, str] = {}
    proposed: dict[str, str] = {}
    is_back: bool = False

    @property
    def attributes(self) -> dict[str, str]:
        """Return the confirmed attributes: proposals count once they are confirmed."""
        return {} if self.is_back else self.said


class DraftReading(_Data):
    """A card of the test's reading. `group`: None without a certain face; `mended`: corrected by a person.

    `marks` are the colours of a card of marks, small, medium, big.
    """

    corners: Points
    group: int | None
    likely: int | None = None
    odds: float = 1.0
    mended: bool = False
    marks: list[str] = []


class Test(_Data):
    """The closing check: a picture and its reading."""

    picture: int
    readings: list[DraftReading]


class MeasuredFaces(_Data):
    """Separation of the deck's faces: groups, and the odds between the two most similar ones."""

    judged: int
    sure: int
    odds: float | None = None
    weakest: tuple[int, int] | None = None
    alike: list[tuple[int, int]] = []


class Draft(_Data):
    """The state of the lesson. `began`: its identity; `card_mm`: the cards' size in the first picture."""

    began: int = Field(default_factory=time.time_ns)
    name: Annotated[str, Field(max_length=100)]
    game: Game | None
    expected: Annotated[int, Field(ge=0, le=MOST_CARDS_SAID)] = 0
    kind: Literal["marks", "prints"] | None = None
    card_mm: tuple[float, float] | None = None
    shots: list[LessonPicture] = []
    groups: list[Group] = []
    joined: dict[int, int] = {}
    next_picture: int = 1
    next_group: int = 1
    test: Test | None = None
    measured: MeasuredFaces | None = None
    revision: int = 0
    """Grows with each change that changes the deck."""

    @property
    def learned(self) -> list[LessonPicture]:
        """Return the studied pictures."""
        return [shot for shot in self.shots if shot.state != "waiting"]

    @property
    def fronts(self) -> list[Group]:
        """Return all groups except backs."""
        return [group for group in self.groups if not group.is_back]

    def shot(self, number: int) -> LessonPicture:
        """Return a picture.

        Raises:
            LessonError: it is gone.
        """
        found = next((shot for shot in self.shots if shot.number == number), None)
        if found is None:
            raise LessonError("fault.lesson_gone")
        return found

    def group(self, number: int) -> Group:
        """Return a group, also by the number of one that was joined with it.

        Raises:
            LessonError: it is gone.
        """
        while number in self.joined:
            number = self.joined[number]
        found = next((group for group in self.groups if group.id == number), None)
        if found is None:
            raise LessonError("fault.lesson_gone")
        return found

    def new_shot(self, state: Literal["waiting", "test"] = "waiting") -> LessonPicture:
        """Add a picture.

        Raises:
            LessonError: the lesson has enough pictures.
        """
        if len(self.shots) >= MOST_PICTURES:
            raise LessonError("fault.lesson_full", n=MOST_PICTURES)
        self.shots.append(LessonPicture(number=self.next_picture, state=state))
        self.next_picture += 1
        return self.shots[-1]

    def new_group(self, examples: Iterable[Example]) -> Group:
        """Add a group."""
        self.groups.append(Group(id=self.next_group, examples=list(examples)))
        self.next_group += 1
        return self.groups[-1]

    def add_to(self, group: int | None, example: Example) -> Group:
        """Put a card into a group, if that still exists, or into a new one."""
        try:
            found = None if group is None else self.group(group)
        except LessonError:
            found = None
        if found is None:
            return self.new_group([example])
        found.examples.append(example)
        return found

    def forget_picture(self, number: int) -> None:
        """Remove a picture and everything that was learned from it."""
        self.shots = [shot for shot in self.shots if shot.number != number]
        for group in self.groups:
            group.examples = [example for example in group.examples if example.picture != number]
        self.groups = [group for group in self.groups if group.examples]
        if self.test is not None and self.test.picture == number:
            self.test = None
        if not any(shot.cards for shot in self.shots):
            self.card_mm = self.kind = None
        self.changed()

    def join(self, first: int, second: int) -> Group:
        """Join two groups of one face; the first one's attributes go before the second one's."""
        one, other = self.group(first), self.group(second)
        if one is other:
            return one
        one.examples += other.examples
        one.said = one.said or other.said
        one.is_back = one.is_back or other.is_back
        self.groups.remove(other)
        self.joined[other.id] = one.id
        self.changed()
        return one

    def move(self, name: str, to: int | None) -> Group:
        """Put a card into another group, or into one of its own.

        Raises:
            LessonError: the card or the group is gone.
        """
        target = None if to is None else self.group(to)
        for group in self.groups:
            example = next((one for one in group.examples if one.name == name), None)
            if example is None:
                continue
            if target is group or (target is None and len(group.examples) == 1):
                return group
            group.examples.remove(example)
            if not group.examples:
                self.groups.remove(group)
            self.changed()
            if target is None:
                return self.new_group([example])
            target.examples.append(example)
            return target
        raise LessonError("fault.lesson_gone")

    def split(self, number: int, others: Sequence[bool]) -> Group:
        """Split a group; `others` holds for each card whether it goes to the new one."""
        group = self.group(number)
        gone = [example for example, goes in zip(group.examples, others, strict=True) if goes]
        if not gone or len(gone) == len(group.examples):
            raise LessonError("fault.lesson_one_card")
        group.examples = [example for example in group.examples if example not in gone]
        self.changed()
        return self.new_group(gone)

    def say(self, number: int, attributes: dict[str, str], is_back: bool, alike: Alike) -> Group:
        """Set a group's attributes; another group with the same ones and a similar look is joined with it."""
        group = self.group(number)
        group.said, group.is_back = ({}, True) if is_back else (attributes, False)
        self.changed()
        same = [
            other
            for other in self.groups
            if other is not group and _mean_one(self.game, group, other) and alike(group.examples[0], other.examples[0])
        ]
        for other in same:
            group = self.join(other.id, group.id)
        return group

    def confirm(self, alike: Alike) -> None:
        """Confirm all proposals that are complete for the game."""
        for group in list(self.groups):
            if group in self.groups and not group.is_back and not group.said and is_whole(self.game, group.proposed):
                self.say(group.id, dict(group.proposed), False, alike)

    def changed(self) -> None:
        """Note that the draft makes another deck now."""
        self.revision += 1
        self.measured = None


def _mean_one(game: str | None, one: Group, other: Group) -> bool:
    if one.is_back or other.is_back:
        return one.is_back and other.is_back
    return is_whole(game, one.said) and one.said == other.said


def is_whole(game: str | None, said: dict[str, str]) -> bool:
    """Return whether attributes describe a face completely for a game."""
    return game is not None and game_kind(game).cards.is_whole(said)
