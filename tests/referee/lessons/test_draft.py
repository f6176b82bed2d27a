"""The groups of a lesson: what is named, joined, split, moved and taken back; and the process that works for it."""

from __future__ import annotations

import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import WorkFailedError
from referee.lessons.draft import Draft, Example, Group
from referee.lessons.faults import LessonError
from referee.lessons.view import face_names, missing, tally
from referee.lessons.workbench import Workbench
from vision.errors import BadLessonError


def always(_one: Example, _other: Example) -> bool:
    return True


def clowns(groups: int = 4, pictures: int = 2) -> Draft:
    """A draft in which each picture shows each clown once."""
    draft = Draft(name="ours", game="piccolino", expected=2, kind="prints", card_mm=(56, 87))
    for _ in range(pictures):
        shot = draft.new_shot()
        shot.state = "learned"
        shot.cards = [[(0.0, 0.0)] * 4] * groups
        for place in range(groups):
            known = draft.groups[place].id if len(draft.groups) == groups else None
            draft.add_to(known, Example(picture=shot.number, place=place))
    return draft


def named(draft: Draft) -> Draft:
    for k, group in enumerate(list(draft.groups)):
        draft.say(group.id, {"colour": ("red", "blue")[k // 2], "mood": ("happy", "sad")[k % 2]}, False, always)
    return draft


def cards(group: Group) -> list[str]:
    return [example.name for example in group.examples]


def test_what_is_missing_is_said_until_nothing_is() -> None:
    assert missing(Draft(name="ours", game="piccolino")) == "lesson_nothing_seen"
    draft = clowns()
    assert missing(draft) == "lesson_unnamed"
    named(draft)
    assert missing(draft) is None
    assert tally(draft) == {"seen": 4, "of": 4, "happy": 2, "sad": 2, "open": 0}
    assert sorted(face_names(draft).values()) == ["blue-happy", "blue-sad", "red-happy", "red-sad"]
    for group in draft.groups:
        group.said = {**group.said, "mood": "happy"}
    assert missing(draft) == "lesson_no_sad"
    # Eight colours were said, and six happy and five sad clowns seen.
    draft = clowns(groups=11, pictures=1)
    draft.expected = 8
    for k, group in enumerate(draft.groups):
        group.said = {"colour": f"colour {k % 6}", "mood": "happy" if k < 6 else "sad"}
    assert tally(draft) == {"seen": 11, "of": 16, "happy": 6, "sad": 5, "open": 0}


def test_the_last_picture_is_taken_back_with_all_that_came_of_it() -> None:
    draft = named(clowns())
    newcomer = draft.new_group([Example(picture=2, place=9)])
    draft.forget_picture(2)
    assert newcomer not in draft.groups
    assert [cards(group) for group in draft.groups] == [["1-0"], ["1-1"], ["1-2"], ["1-3"]]
    draft.forget_picture(1)
    assert draft.groups == []
    assert draft.card_mm is None


def test_groups_that_are_called_alike_are_one_unless_they_look_quite_different() -> None:
    draft = named(clowns())
    first, _, third, _ = draft.groups
    draft.say(third.id, dict(first.said), False, lambda _one, _other: False)
    assert len(draft.groups) == 4
    assert {"red-happy", "red-happy-2"} <= set(face_names(draft).values())
    draft.say(third.id, dict(first.said), False, always)
    assert len(draft.groups) == 3
    assert cards(draft.group(third.id)) == ["1-0", "2-0", "1-2", "2-2"]


def test_a_card_is_moved_and_a_group_is_parted() -> None:
    draft = named(clowns())
    first, second = draft.groups[:2]
    assert cards(draft.move("2-0", second.id)) == ["1-1", "2-1", "2-0"]
    alone = draft.move("2-0", None)
    assert (cards(alone), alone.said) == (["2-0"], {})
    parted = draft.split(second.id, [False, True])
    assert (cards(second), cards(parted)) == (["1-1"], ["2-1"])
    with pytest.raises(LessonError):
        draft.split(first.id, [False])
    with pytest.raises(LessonError):
        draft.move("7-7", None)


def test_only_whole_proposals_are_confirmed_and_what_was_said_stays() -> None:
    draft = clowns()
    one, other, third, _ = draft.groups
    one.said = {"colour": "pink", "mood": "sad"}
    for group, mood in ((one, "happy"), (other, "sad")):
        group.proposed = {"colour": "red", "mood": mood}
    third.proposed = {"colour": "blue"}
    draft.confirm(always)
    said = [{"colour": "pink", "mood": "sad"}, {"colour": "red", "mood": "sad"}, {}, {}]
    assert [group.said for group in draft.groups] == said


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 8), st.integers(1, 8)), max_size=12))
def test_whatever_is_done_every_card_is_in_exactly_one_group(steps: list[tuple[int, int, int]]) -> None:
    draft = clowns()
    for what, one, other in steps:
        try:
            match what:
                case 0:
                    draft.join(one, other)
                case 1:
                    draft.move(f"{1 + one % 2}-{other % 4}", other if one % 3 else None)
                case 2:
                    draft.split(one, [k % 2 == 1 for k in range(len(draft.group(one).examples))])
                case 3:
                    draft.say(one, {"colour": "red", "mood": "sad"}, other == 1, always)
                case _:
                    draft.confirm(always)
        except LessonError:
            continue
    everywhere = sorted(name for group in draft.groups for name in cards(group))
    assert everywhere == sorted(f"{picture}-{place}" for picture in (1, 2) for place in range(4))
    assert Draft.model_validate_json(draft.model_dump_json()) == draft


def own_number(add: int) -> int:
    return os.getpid() + add


def complain() -> None:
    raise BadLessonError("some.fault", "no cards")


def stumble() -> None:
    raise ZeroDivisionError


def die() -> None:
    os._exit(1)


def test_work_is_done_elsewhere_with_its_errors_and_a_dead_process_is_told() -> None:
    bench = Workbench()
    try:
        there = bench.run(own_number, 0)
        assert there != os.getpid()
        assert bench.run(own_number, 1) == there + 1
        with pytest.raises(BadLessonError, match="no cards"):
            bench.run(complain)
        with pytest.raises(WorkFailedError, match="ZeroDivisionError"):
            bench.run(stumble)
        with pytest.raises(WorkFailedError):
            bench.run(die)
        assert bench.run(own_number, 0) not in (there, os.getpid())
    finally:
        bench.rest()


def test_who_ends_it_waits_for_nothing() -> None:
    bench = Workbench()
    bench.run(own_number, 0)
    ended = threading.Event()

    def work() -> None:
        with pytest.raises(WorkFailedError):
            bench.run(time.sleep, 600)
        ended.set()

    threading.Thread(target=work).start()
    time.sleep(0.1)
    bench.rest()
    assert ended.wait(60)
