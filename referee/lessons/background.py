"""Background jobs of a lesson: study pictures, propose names, make decks, read tests.

Each job works on a copy of the draft; its result counts only if the draft has not changed meanwhile.
"""

from __future__ import annotations

from referee.decks.store import DeckStore
from referee.lessons import work
from referee.lessons.draft import Example, LessonPicture, Test
from referee.lessons.faults import LessonError, check_name
from referee.lessons.going_on import GoingOn
from referee.lessons.workbench import Workbench
from vision.deck_file import read_deck_file, renamed
from vision.errors import VisionError
from vision.teaching.lesson_cards import CUT_OR_COVERED


def study(on: GoingOn, bench: Workbench, number: int) -> None:
    """Study a waiting picture, and put its cards into groups."""
    given = on.copy()
    if not any(shot.number == number for shot in given.shots):
        return
    known = [(group.id, group.examples[0].name) for group in given.groups]
    try:
        found = bench.run(work.study_picture, on.state, number, [name for _, name in known], given)
    except (VisionError, LessonError):
        with on.lock:
            on.forget_picture(number)
        raise
    with on.lock:
        draft = on.draft
        if draft is None or draft.began != given.began or not any(shot.number == number for shot in draft.shots):
            return
        _take_in(on, found, [group for group, _ in known])
    propose(on, bench)


def _take_in(on: GoingOn, found: work.Studied, known: list[int]) -> None:
    draft = on.get()
    if found.fault is not None:
        on.forget_picture(found.shot.number)
        raise LessonError(f"fault.{found.fault}")
    place = next(k for k, shot in enumerate(draft.shots) if shot.number == found.shot.number)
    draft.shots[place] = found.shot
    draft.card_mm = draft.card_mm or found.card_mm
    if draft.kind is None:
        draft.kind = "marks" if found.kind == "marks" else "prints"
    made: dict[int, int] = {}
    for k, number in enumerate(found.groups):
        group = known[number] if number < len(known) else made.get(number)
        into = draft.add_to(group, Example(picture=found.shot.number, place=k))
        made.setdefault(number, into.id)
    draft.changed()
    touched = sum(outline.reason in CUT_OR_COVERED for outline in found.shot.unclear)
    if touched:
        on.trouble = {"key": "lesson_some_touch", "values": {"n": touched}}
    on.keep()


def propose(on: GoingOn, bench: Workbench) -> None:
    """Propose names for the groups."""
    if on.draft is None:
        return
    given = on.copy()
    if given.game is None or given.kind == "marks":
        return
    found = bench.run(work.propose, on.state, given)
    with on.lock:
        if on.is_still(given):
            for group in on.get().groups:
                group.proposed = found.get(group.id, {})
            on.keep()


def make(on: GoingOn, bench: Workbench) -> None:
    """Make the deck, unless it was made and nothing has changed since.

    Raises:
        LessonError: the draft was changed meanwhile.
    """
    given = on.copy()
    if given.measured is not None and on.files.deck.is_file():
        return
    on.now("making")
    measured = bench.run(work.make_deck, on.state, given)
    with on.lock:
        if not on.is_still(given):
            raise LessonError("fault.lesson_changed")
        on.get().measured = measured
        on.keep()


def test(on: GoingOn, bench: Workbench, number: int) -> None:
    """Read a picture by the present deck."""
    try:
        make(on, bench)
        on.now("reading")
        given = on.copy()
        found = bench.run(work.read_test, on.state, number, given)
        if not found.readings:
            raise LessonError("fault.lesson_no_cards")
    except (VisionError, LessonError):
        with on.lock:
            if on.draft is not None:
                on.forget_picture(number)
        raise
    with on.lock:
        if on.is_still(given):
            draft = on.get()
            shot: LessonPicture = draft.shot(number)
            shot.size_px = found.size_px
            draft.test = Test(picture=number, readings=list(found.readings))
            on.keep()


def save(on: GoingOn, bench: Workbench) -> None:
    """Make the deck and add it to the others, which ends the lesson."""
    make(on, bench)
    on.now("saving")
    with on.lock:
        draft = on.get()
        store = DeckStore(on.state)
        check_name(store, draft.name)
        store.add(renamed(read_deck_file(on.files.deck), draft.name))
        on.saved = draft.name
        on.forget()
        on.changed()
    bench.rest()
