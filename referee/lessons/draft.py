"""A deck that is being taught: what was seen in each picture, which cards show one face, and what people said of them.

Data that outlasts a restart; changes are checked here, pictures are studied elsewhere.
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
    model_config = ConfigDict(extra="forbid")


class DraftOutline(_Data):
    """A find that was not learned: its corners in the picture's pixels, and the reason."""

    corners: Points
    reason: str


class LessonPicture(_Data):
    """A picture of the lesson.

    `state`: waiting until it has been studied; learned; test: only what was mended in it teaches. `cards`: corners of
    each card in the picture's pixels, clockwise, and `sizes_mm` their widths and lengths.
    """

    number: int
    state: Literal["waiting", "learned", "test"] = "waiting"
    size_px: tuple[int, int] = (0, 0)
    cards: list[Points] = []
    sizes_mm: list[tuple[float, float]] = []
    unclear: list[DraftOutline] = []


class Example(_Data):
    """A card in a picture, by the picture's number and its own there."""

    picture: int
    place: int

    @property
    def name(self) -> str:
        """Return the file name of its own picture."""
        return f"{self.picture}-{self.place}"


Alike = Callable[[Example, Example], bool]
"""Compares two cards: they may show one face."""


class Group(_Data):
    """Cards that show one face. `said`: what people said of it; `proposed`: what the program would say."""

    id: int
    examples: list[Example]
    said: dict[str, str] = {}
    proposed: dict[str, str] = {}
    is_back: bool = False

    @property
    def attributes(self) -> dict[str, str]:
        """Return its confirmed meaning: proposals count once they were confirmed."""
        return {} if self.is_back else self.said


class DraftReading(_Data):
    """A card that was read in the test: `group` is None where it showed no face for certain; `mended`: by a person.

    `marks` are the colours of a card of marks, small, medium, big.
    """

    corners: Points
    group: int | None
    likely: int | None = None
    odds: float = 1.0
    mended: bool = False
    marks: list[str] = []


class Test(_Data):
    """The closing check: the picture that was read, and how it was read."""

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
    """The lesson as it stands. `began`: which one it is; `card_mm`: what cards measured in the first picture."""

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
    """Grows whenever what the deck is made of changes."""

    @property
    def learned(self) -> list[LessonPicture]:
        """Pictures that were studied."""
        return [shot for shot in self.shots if shot.state != "waiting"]

    @property
    def fronts(self) -> list[Group]:
        """All groups but backs."""
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
            LessonError: there are enough.
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
        """Put a card into a group that was there when it was looked at, or into a new one."""
        try:
            found = None if group is None else self.group(group)
        except LessonError:
            found = None
        if found is None:
            return self.new_group([example])
        found.examples.append(example)
        return found

    def forget_picture(self, number: int) -> None:
        """Take a picture back with all that was learned from it."""
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
        """Take two groups for one face; what was said of the first counts, then what was said of the second."""
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
        """Make two groups of one; `others` says of each card whether it goes to the new one."""
        group = self.group(number)
        gone = [example for example, goes in zip(group.examples, others, strict=True) if goes]
        if not gone or len(gone) == len(group.examples):
            raise LessonError("fault.lesson_one_card")
        group.examples = [example for example in group.examples if example not in gone]
        self.changed()
        return self.new_group(gone)

    def say(self, number: int, attributes: dict[str, str], is_back: bool, alike: Alike) -> Group:
        """Take down what a group shows; another that shows the same, and looks so, is joined with it."""
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
        """Take all proposals that say all that the game asks as said."""
        for group in list(self.groups):
            if group in self.groups and not group.is_back and not group.said and is_whole(self.game, group.proposed):
                self.say(group.id, dict(group.proposed), False, alike)

    def changed(self) -> None:
        """Take it that another deck comes of this now."""
        self.revision += 1
        self.measured = None


def _mean_one(game: str | None, one: Group, other: Group) -> bool:
    if one.is_back or other.is_back:
        return one.is_back and other.is_back
    return is_whole(game, one.said) and one.said == other.said


def is_whole(game: str | None, said: dict[str, str]) -> bool:
    """Return whether attributes say all that a game needs to know of a face."""
    return game is not None and game_kind(game).cards.is_whole(said)
