"""The feed: pages get the latest, and one that takes nothing delays nobody and holds no more than one message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from referee.service.desk_protocol import Desk
from referee.web import feed as module
from referee.web.feed import OUTLINES_GAP_S, Feed
from referee.web.stream import EventStream
from tests.support.page_tools import PageUnderTest

in_loop = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class CountingDesk:
    """A desk whose state is a number; it counts how often it is asked."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = 0
        self.outlines: list[int] = []
        self.rulings: list[str] = ["first"]
        self.notify: Callable[[int], None] = lambda version: None

    def state(self) -> Mapping[str, Any]:
        self.asked += 1
        shown = {"number": self.number, "outlines": self.outlines, "same": "x", "rulings": self.rulings}
        return {"version": self.number, "t_ns": self.asked, **shown}

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        self.notify = notify
        return lambda: None

    def set(self, number: int) -> None:
        self.number = number
        self.notify(number)


class Pipe:
    """What a page's connection takes; `stalled`: nothing after the first message, as a phone in a pocket."""

    def __init__(self, stalled: bool = False) -> None:
        self.stalled = stalled
        self.taken: list[dict[str, Any]] = []
        self.offered = 0
        self.gone = asyncio.Event()

    async def send(self, message: Mapping[str, Any]) -> None:
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
        self.task = asyncio.create_task(EventStream(feed)({"type": "http"}, self.receive, self.send))
        return self.task

    async def takes(self, **parts: object) -> None:
        """Wait until the newest message has these parts."""
        await until(lambda: bool(self.taken) and parts.items() <= self.taken[-1].items())

    def rulings(self) -> list[str]:
        """Put together the rulings as the page's script does."""
        rulings: list[str] = []
        for parts in self.taken:
            if "rulings_more" in parts:
                rulings = parts["rulings_more"]["first"] + rulings[: parts["rulings_more"]["keep"]]
            rulings = parts.get("rulings", rulings)
        return rulings


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.001)


@asynccontextmanager
async def fed(desk: CountingDesk, *pipes: Pipe) -> AsyncIterator[Feed]:
    """Run a feed of which each pipe has taken the first message."""
    async with Feed.running(cast("Desk", desk)) as feed:
        for pipe in pipes:
            pipe.watch(feed)
        await until(lambda: all(pipe.taken for pipe in pipes))
        yield feed


@in_loop
async def test_a_page_gets_everything_first_and_then_what_has_changed() -> None:
    desk, pipe = CountingDesk(), Pipe()
    async with fed(desk, pipe):
        assert {"number", "same", "outlines"} <= set(pipe.taken[0])
        desk.set(7)
        await pipe.takes(number=7)
        assert set(pipe.taken[1]) == {"version", "t_ns", "number"}


@in_loop
async def test_of_the_rulings_only_the_new_ones_are_sent_and_every_page_has_them_all() -> None:
    desk, pipe, late = CountingDesk(), Pipe(), Pipe()
    async with fed(desk, pipe) as feed:
        for number in range(1, 80):
            # New ones come, old ones fall out at the end, and now and then one is corrected.
            desk.rulings = [f"ruling {number}", *desk.rulings][:20]
            if number % 9 == 0:
                desk.rulings[min(3, len(desk.rulings) - 1)] = f"corrected {number}"
            if number == 40:
                late.watch(feed)
            desk.set(number)
            if number % 3:
                await until(lambda: pipe.rulings() == desk.rulings)
        await until(lambda: pipe.rulings() == desk.rulings == late.rulings())
        assert sum("rulings" in one for one in pipe.taken) < 20
        assert json.loads(feed.since(0))["rulings"] == desk.rulings


@in_loop
async def test_a_quiet_line_carries_signs_of_life_that_scripts_receive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)
    pipe = Pipe()
    async with fed(CountingDesk(), pipe):
        await until(lambda: len(pipe.taken) > 3)
        # The table's clock goes on, and nothing else is sent again.
        assert [set(one) for one in pipe.taken[1:4]] == [{"version", "t_ns"}] * 3
        assert pipe.taken[3]["t_ns"] > pipe.taken[1]["t_ns"]


@in_loop
async def test_a_page_that_takes_nothing_for_long_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(module, "STALLED_S", 0.02)
    desk, asleep, awake = CountingDesk(), Pipe(stalled=True), Pipe()
    async with fed(desk, asleep, awake) as feed:
        desk.set(5)
        await until(lambda: feed.watchers == 1)
        desk.set(6)
        await awake.takes(number=6)


@in_loop
async def test_stalled_pages_hold_one_message_and_delay_nobody() -> None:
    desk, awake = CountingDesk(), Pipe()
    asleep = [Pipe(stalled=True) for _ in range(20)]
    async with fed(desk, awake, *asleep) as feed:
        for number in range(1, 31):
            desk.set(number)
            await awake.takes(number=number)
        assert all(len(pipe.taken) == 1 and pipe.offered == 2 for pipe in asleep)
        assert feed.watchers == 21
        # One that wakes up gets the latest.
        assert json.loads(feed.message(1).split(b"data: ")[1])["number"] == 30
        awake.gone.set()
        await until(lambda: feed.watchers == 20)


@in_loop
async def test_a_page_that_comes_long_after_the_last_news_gets_the_time_that_it_is() -> None:
    async with fed(CountingDesk()) as feed:
        first = [json.loads(feed.since(0)), json.loads(feed.message(0).split(b"data: ")[1])]
        await asyncio.sleep(0.2)
        then = [json.loads(feed.since(0)), json.loads(feed.message(0).split(b"data: ")[1])]
        for early, late in zip(first, then, strict=True):
            assert late["t_ns"] - early["t_ns"] >= 190_000_000
            assert {**early, "t_ns": 0} == {**late, "t_ns": 0}


@in_loop
async def test_a_hundred_pages_ask_the_desk_no_more_than_one_does_and_a_burst_is_sent_as_one() -> None:
    desk, pipes = CountingDesk(), [Pipe() for _ in range(100)]
    async with fed(desk, *pipes):
        asked = desk.asked
        desk.set(3)
        for pipe in pipes:
            await pipe.takes(number=3)
        assert desk.asked - asked <= 2
        for number in range(1, 501):
            desk.set(number)
        for pipe in pipes:
            await pipe.takes(number=500)
            assert len(pipe.taken) <= 5


@in_loop
async def test_what_moves_in_the_picture_is_sent_a_few_times_a_second_at_most() -> None:
    desk, pipe = CountingDesk(), Pipe()
    async with fed(desk, pipe):
        loop = asyncio.get_running_loop()
        start_s = loop.time()
        for number in range(12):
            desk.outlines = [number]
            desk.notify(0)
            await asyncio.sleep(0.04)
        await pipe.takes(outlines=[11])
        most = (loop.time() - start_s) / OUTLINES_GAP_S + 2
        assert len([one for one in pipe.taken if "outlines" in one]) <= most


@in_loop
async def test_pages_are_let_go_at_the_end() -> None:
    pipe = Pipe()
    async with Feed.running(cast("Desk", CountingDesk())) as feed:
        task = pipe.watch(feed)
        await until(lambda: len(pipe.taken) == 1)
    await asyncio.wait_for(task, 60)


def test_there_is_an_end_to_the_pages_that_may_be_open(page: PageUnderTest) -> None:
    page.app.state.feed.watchers += 200
    answer = page.phone().get("/api/events")
    page.app.state.feed.watchers -= 200
    assert answer.status == 503 and "Too many pages" in answer.data["error"]
