"""What each rule of the readers earns, and each value of a threshold: sets of pictures are read over and over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from referee.bench import accuracy, teaching
from referee.bench.finding import FoundCard, judge_found
from referee.bench.harder import ALTERATIONS, halves
from referee.bench.readers import read_picture, reader_of
from referee.bench.rules import MARKED, NONE, PRINTS, Rule, forget, holder_of, left_out, readers_modules, replaced
from referee.bench.taught_decks import decks_in, is_deck
from referee.bench.truth import TruePicture, load_truth
from referee.bench.yardstick import in_yardsticks
from referee.decks.teach import learn_either
from referee.errors import BadInputError
from vision.deck import Deck
from vision.image import load_image
from vision.prints.print_deck import PrintDeck
from vision.unknown.find_cards import find_cards

PLAIN = 0.9
_TIMES = 2

Image = NDArray[np.uint8]
Outcomes = tuple[Sequence[tuple[float, str]], int]
"""How much of each card is to be seen and what became of it; and how many cards were told where none lies."""
Judge = Callable[[TruePicture, Image], Outcomes]


@dataclass(frozen=True, eq=False)
class PictureSet:
    """Pictures that go by the rules of some `readers`; `judge` makes a reader anew, which reads and judges one.

    deck: what lies there, where halves of it can be known as well.
    """

    readers: frozenset[str]
    pictures: Sequence[TruePicture]
    judge: Callable[[], Judge]
    deck: Deck | None = None


@dataclass
class Earned:
    """What came of all pictures.

    plain, covered: cards told that show 90 % and more, and less; of so many. wrong: told as another one. unsaid: not
    even called unclear. false: told where none lies, or one that nobody taught. yardsticks: the median of a picture.
    """

    plain: int = 0
    covered: int = 0
    plain_of: int = 0
    covered_of: int = 0
    wrong: int = 0
    unsaid: int = 0
    false: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def yardsticks(self) -> float:
        """The median time of a picture."""
        return round(float(np.median(self.times)), 1) if self.times else 0.0

    def as_json(self) -> dict[str, object]:
        """Give it for a line of output."""
        counts = {name: value for name, value in vars(self).items() if name != "times"}
        return {**counts, "yardsticks": self.yardsticks}


def sets_in(folder: Path, deck: Deck | None) -> Iterator[PictureSet]:
    """Give what lies in a folder: decks to teach, which are taught now, or pictures of a deck, None: of any.

    Raises:
        BadInputError: there are neither, or a truth is broken.
        VisionError: a deck cannot be taught.
    """
    if folder.is_dir() and any(is_deck(one) for one in (folder, *folder.iterdir())):
        for each in decks_in(folder):
            lesson, _ = teaching.teach(each, each.teach, learn_either)
            readers = frozenset({PRINTS, NONE} if isinstance(lesson.deck, PrintDeck) else {MARKED})
            yield PictureSet(readers, each.test, partial(judge_of, lesson.deck))
    elif deck is None:
        yield PictureSet(frozenset({NONE}), load_truth(folder), lambda: _found)
    else:
        yield PictureSet(frozenset({MARKED}), load_truth(folder), partial(_by_marks, deck, deck), deck)


def made_harder(sets: Sequence[PictureSet]) -> Iterator[PictureSet]:
    """Give the same pictures altered, and, where marks tell cards, read by halves of their deck."""
    for some in sets:
        for alter in ALTERATIONS.values():
            yield replace(some, judge=partial(_altered, some.judge, alter))
        if some.deck is not None:
            for half in halves(some.deck):
                yield replace(some, judge=partial(_by_marks, some.deck, half))


def earned_without(sets: Sequence[PictureSet], rule: Rule | None) -> Earned:
    """Read all pictures without a rule, None: with all of them."""
    with nullcontext() if rule is None else left_out(rule):
        return _earned(sets)


def earned_at(sets: Sequence[PictureSet], threshold: str, value: float) -> Earned:
    """Read all pictures with another value of a threshold, wherever it is used."""
    now, last = threshold_now(threshold), threshold.split(".")[-1]
    users = [module.__name__ for module in readers_modules() if vars(module).get(last) is now]
    with ExitStack() as stack:
        for module in users:
            stack.enter_context(replaced(f"{module}.{last}", round(value) if isinstance(now, int) else value))
        stack.callback(forget)
        forget()
        return _earned(sets)


def threshold_now(name: str) -> float:
    """Give the value of a threshold by its dotted name.

    Raises:
        BadInputError: there is none, or it is no number.
    """
    try:
        holder, last = holder_of(name)
    except (LookupError, ValueError):
        raise BadInputError(f"there is no threshold {name}: give it as in vision.marked.scoring.SURE") from None
    value = getattr(holder, last)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise BadInputError(f"{name} is no number that could be another one")
    return value


def _earned(sets: Sequence[PictureSet]) -> Earned:
    sums = Earned()
    for some in sets:
        judge = some.judge()
        for picture in some.pictures:
            image = load_image(picture.path)
            start = process_time()
            outcomes, false = judge(picture, image)
            work_s = process_time() - start
            sums.times.append(work_s / in_yardsticks(lambda: None, image, _TIMES)[1])
            sums.false += false
            for visible, outcome in outcomes:
                is_told, is_plain = outcome in ("exact", "found"), visible >= PLAIN
                sums.wrong, sums.unsaid = sums.wrong + (outcome == "wrong"), sums.unsaid + (outcome == "missed")
                sums.plain, sums.plain_of = sums.plain + (is_plain and is_told), sums.plain_of + is_plain
                sums.covered += not is_plain and is_told
                sums.covered_of += not is_plain
    return sums


def _found(picture: TruePicture, image: Image) -> Outcomes:
    corners = find_cards(image).corners_px
    verdict = judge_found(picture, [FoundCard(np.asarray(quad, np.float64)) for quad in corners], 0.0)
    return [(card.visible, outcome) for card, _, outcome in verdict.outcomes], len(verdict.false)


def _altered(judge: Callable[[], Judge], alter: Callable[[Image], Image]) -> Judge:
    plainly = judge()
    return lambda picture, image: plainly(picture, alter(image))


def _by_marks(deck: Deck, known: Deck) -> Judge:
    return partial(_marked, deck, known)


def _marked(deck: Deck, known: Deck, picture: TruePicture, image: Image) -> Outcomes:
    """Read by the deck that is known, which may lack faces; judge by the one that lies there."""
    verdict = accuracy.judge_picture(picture, image, read_picture(image, known), deck, 0.0)
    false = len(verdict.false) + len(verdict.doubled)
    return [(each.card.visible, each.outcome) for each in verdict.cards], false


def judge_of(deck: Deck | PrintDeck) -> Judge:
    """Give what reads by a deck that was taught, and judges."""
    read, taught = reader_of(deck), teaching.taught_faces(deck)

    def judge(picture: TruePicture, image: Image) -> Outcomes:
        verdict = teaching.judge_reading(picture, read(image), taught, 0.0)
        told = [(card.visible, outcome) for group, outcome, card, _ in verdict.cards if group != teaching.UNTAUGHT]
        named = sum(group == teaching.UNTAUGHT and outcome == "wrong" for group, outcome, _, _ in verdict.cards)
        return told, len(verdict.false) + named

    return judge
