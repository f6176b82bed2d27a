"""The feed: pages get the latest, and one that takes nothing delays nobody and holds no more than one message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, MutableMapping
from typing import Any

import pytest

from referee.errors import BadInputError
from referee.web import feed as module
from referee.web.feed import OUTLINES_GAP_S, Feed
from referee.web.stream import EventStream
from tests.support.page_tools import PageUnderTest

Message = Mapping[str, Any]


class CountingDesk:
    """A desk whose state is a number; it counts how often it is asked."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = 0
        self.outlines: list[int] = []
        self.rulings: list[str] = ["first"]
        self.notify: Callable[[int], None] = lambda version: None

    def state(self) -> Message:
        self.asked += 1
        return {
            "version": self.number,
            "t_ns": self.asked,
            "number": self.number,
            "outlines": self.outlines,
            "same": "x",
            "rulings": self.rulings,
        }

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        self.notify = notify
        return lambda: None

    def set(self, number: int) -> None:
        self.number = number
        self.notify(number)

    def do(self, command: Message) -> Message:
        raise BadInputError("nothing can be done here")

    def picture(self, which: str) -> bytes | None:
        return None

    def timeline(self, ruling: str) -> Message:
        return {}

    def explain(self, ruling: str) -> Message:
        return {}

    def history(self) -> Message:
        return {}

    def game(self, which: str) -> Message:
        return {}

    def statistics(self) -> Message:
        return {}

    def decks(self) -> Message:
        return {}

    def cameras(self) -> Message:
        return {}

    def quality(self) -> Message:
        return {}

    def setup(self, *, look: bool) -> Message:
        return {}

    def whole_picture(self) -> bytes | None:
        return None


class Pipe:
    """What a page's connection takes; `stalled`: nothing after the first message, as a phone in a pocket."""

    def __init__(self, stalled: bool = False) -> None:
        self.stalled = stalled
        self.taken: list[dict[str, Any]] = []
        self.offered = 0
        self.gone = asyncio.Event()

    async def send(self, message: Message) -> None:
        if message["type"] != "http.response.body" or not message["body"].startswith(b"event"):
            return
        self.offered += 1
        if self.stalled and self.taken:
            await asyncio.Event().wait()
        self.taken.append(json.loads(message["body"].split(b"data: ")[1]))

    async def receive(self) -> MutableMapping[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    def watch(self, feed: Feed) -> asyncio.Task[None]:
        return asyncio.create_task(EventStream(feed)({"type": "http"}, self.receive, self.send))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.001)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def test_a_page_gets_everything_first_and_then_what_has_changed() -> None:
    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe()
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
            assert {"number", "same", "outlines"} <= set(pipe.taken[0])
            desk.set(7)
            await until(lambda: len(pipe.taken) == 2)
            assert pipe.taken[1]["number"] == 7
            assert set(pipe.taken[1]) == {"version", "t_ns", "number"}

    run(work())


def as_a_page_has_it(taken: list[dict[str, Any]]) -> list[str]:
    """Put together the rulings as the page's script does."""
    rulings: list[str] = []
    for parts in taken:
        if "rulings_more" in parts:
            rulings = parts["rulings_more"]["first"] + rulings[: parts["rulings_more"]["keep"]]
        rulings = parts.get("rulings", rulings)
    return rulings


def test_of_the_rulings_only_the_new_ones_are_sent_and_every_page_has_them_all() -> None:
    async def work() -> None:
        desk, pipe, late = CountingDesk(), Pipe(), Pipe()
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
            for number in range(1, 80):
                # New ones come, old ones fall out at the end, and now and then one is corrected.
                desk.rulings = [f"ruling {number}", *desk.rulings][:20]
                if number % 9 == 0:
                    desk.rulings[min(3, len(desk.rulings) - 1)] = f"corrected {number}"
                if number == 40:
                    late.watch(feed)
                desk.set(number)
                if number % 3:
                    await until(lambda: as_a_page_has_it(pipe.taken) == desk.rulings)
            await until(lambda: as_a_page_has_it(pipe.taken) == desk.rulings == as_a_page_has_it(late.taken))
            assert sum("rulings" in one for one in pipe.taken) < 20
            assert json.loads(feed.since(0))["rulings"] == desk.rulings

    run(work())


def test_a_quiet_line_carries_signs_of_life_that_scripts_receive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)

    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe()
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) > 3)
            # The table's clock goes on, and nothing else is sent again.
            assert [set(one) for one in pipe.taken[1:4]] == [{"version", "t_ns"}] * 3
            assert pipe.taken[3]["t_ns"] > pipe.taken[1]["t_ns"]

    run(work())


def test_a_page_that_takes_nothing_for_long_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(module, "STALLED_S", 0.02)

    async def work() -> None:
        desk, asleep, awake = CountingDesk(), Pipe(stalled=True), Pipe()
        async with Feed.running(desk) as feed:
            tasks = [pipe.watch(feed) for pipe in (asleep, awake)]
            await until(lambda: bool(asleep.taken and awake.taken))
            desk.set(5)
            await until(lambda: feed.watchers == 1)
            assert tasks[0].done() and not tasks[1].done()
            desk.set(6)
            await until(lambda: awake.taken[-1].get("number") == 6)

    run(work())


def test_stalled_pages_hold_one_message_and_delay_nobody() -> None:
    async def work() -> None:
        desk, awake = CountingDesk(), Pipe()
        asleep = [Pipe(stalled=True) for _ in range(20)]
        async with Feed.running(desk) as feed:
            tasks = [pipe.watch(feed) for pipe in (awake, *asleep)]
            await until(lambda: all(pipe.taken for pipe in (awake, *asleep)))
            for number in range(1, 31):
                desk.set(number)
                await until(lambda wanted=number: awake.taken[-1].get("number") == wanted)  # type: ignore[misc]
            assert all(len(pipe.taken) == 1 and pipe.offered == 2 for pipe in asleep)
            assert feed.watchers == 21
            for pipe in (awake, *asleep):
                pipe.gone.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert feed.watchers == 0

    run(work())


def test_a_page_that_wakes_up_gets_the_latest_and_not_all_that_was() -> None:
    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe(stalled=True)
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
            for number in range(1, 6):
                desk.set(number)
                await until(lambda wanted=number: f'"number":{wanted}' in feed.since(0))  # type: ignore[misc]
            assert json.loads(feed.message(1).split(b"data: ")[1])["number"] == 5

    run(work())


def test_a_page_that_comes_long_after_the_last_news_is_told_the_time_that_it_is() -> None:
    async def work() -> None:
        async with Feed.running(CountingDesk()) as feed:
            first = [json.loads(feed.since(0)), json.loads(feed.message(0).split(b"data: ")[1])]
            await asyncio.sleep(0.2)
            then = [json.loads(feed.since(0)), json.loads(feed.message(0).split(b"data: ")[1])]
            for early, late in zip(first, then, strict=True):
                assert late["t_ns"] - early["t_ns"] >= 190_000_000
                assert {**early, "t_ns": 0} == {**late, "t_ns": 0}

    run(work())


def test_a_hundred_pages_ask_the_desk_no_more_than_one_does() -> None:
    async def work() -> None:
        desk = CountingDesk()
        pipes = [Pipe() for _ in range(100)]
        async with Feed.running(desk) as feed:
            for pipe in pipes:
                pipe.watch(feed)
            await until(lambda: all(pipe.taken for pipe in pipes))
            asked = desk.asked
            desk.set(3)
            await until(lambda: all(pipe.taken[-1].get("number") == 3 for pipe in pipes))
            assert desk.asked - asked <= 2

    run(work())


def test_changes_in_a_burst_are_sent_as_one() -> None:
    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe()
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
            for number in range(1, 501):
                desk.set(number)
            await until(lambda: pipe.taken[-1].get("number") == 500)
            assert len(pipe.taken) <= 4

    run(work())


def test_what_moves_in_the_picture_is_sent_a_few_times_a_second_at_most() -> None:
    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe()
        async with Feed.running(desk) as feed:
            pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
            loop = asyncio.get_running_loop()
            start_s = loop.time()
            for number in range(12):
                desk.outlines = [number]
                desk.notify(0)
                await asyncio.sleep(0.04)
            await until(lambda: pipe.taken[-1].get("outlines") == [11])
            most = (loop.time() - start_s) / OUTLINES_GAP_S + 2
            assert len([one for one in pipe.taken if "outlines" in one]) <= most

    run(work())


def test_pages_are_let_go_at_the_end() -> None:
    async def work() -> None:
        desk, pipe = CountingDesk(), Pipe()
        async with Feed.running(desk) as feed:
            task = pipe.watch(feed)
            await until(lambda: len(pipe.taken) == 1)
        await asyncio.wait_for(task, 60)

    run(work())


def test_there_is_an_end_to_the_pages_that_may_be_open(page: PageUnderTest) -> None:
    feed = page.app.state.feed
    feed.watchers += 200
    answer = page.phone().get("/api/events")
    feed.watchers -= 200
    assert answer.status == 503 and "Too many pages" in answer.data["error"]
