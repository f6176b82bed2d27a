"""The feed: pages get the latest, and one that takes nothing delays nobody and holds no more than one message."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from referee.match.referee import Referee
from referee.web import feed as module
from referee.web.feed import Feed
from referee.web.stream import EventStream
from tests.support.page_tools import PageUnderTest

in_loop = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def data_of(event: bytes) -> dict[str, Any]:
    """Return what a server-sent event carries: its lines of data belong together."""
    lines = [line[6:] for line in event.splitlines() if line.startswith(b"data: ")]
    data: dict[str, Any] = json.loads(b"\n".join(lines))
    return data


class CountingDesk:
    """A desk whose state is a number; it counts how often it is asked."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = 0
        self.notify: Callable[[int], None] = lambda version: None

    def state(self) -> Mapping[str, Any]:
        self.asked += 1
        return {"version": self.number, "t_ns": self.asked, "number": self.number, "same": "x"}

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
        self.taken.append(data_of(message["body"]))

    async def receive(self) -> MutableMapping[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    def watch(self, feed: Feed) -> asyncio.Task[None]:
        self.task = asyncio.create_task(EventStream(feed)({"type": "http", "headers": []}, self.receive, self.send))
        return self.task

    async def takes(self, **parts: object) -> None:
        """Wait until the newest message has these parts."""
        await until(lambda: bool(self.taken) and parts.items() <= self.taken[-1].items())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.001)


@asynccontextmanager
async def fed(desk: CountingDesk, *pipes: Pipe) -> AsyncIterator[Feed]:
    """Run a feed of which each pipe has taken the first message."""
    async with Feed.running(cast("Referee", desk)) as feed:
        for pipe in pipes:
            pipe.watch(feed)
        await until(lambda: all(pipe.taken for pipe in pipes))
        yield feed


@in_loop
async def test_a_page_gets_everything_at_first_and_after_each_change() -> None:
    desk, pipe = CountingDesk(), Pipe()
    async with fed(desk, pipe):
        desk.set(7)
        await pipe.takes(number=7)
        assert [set(one) for one in pipe.taken] == [{"version", "t_ns", "number", "same"}] * 2


@in_loop
async def test_browsers_get_it_compressed_and_can_read_each_event_as_it_comes() -> None:
    desk, unzip, read = CountingDesk(), zlib.decompressobj(wbits=31), list[str]()

    async def send(message: MutableMapping[str, Any]) -> None:
        read.append(unzip.decompress(message.get("body", b"")).decode())

    async with fed(desk) as feed:
        scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip, deflate")]}
        task = asyncio.create_task(EventStream(feed)(scope, Pipe().receive, send))
        for number in (1, 2):
            desk.set(number)
            await until(lambda: f'"number":{number}' in read[-1] if read else False)  # noqa: B023 - it is awaited here
        assert data_of(read[-1].encode())["same"] == "x"
        task.cancel()


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
        assert data_of(feed.message(1)[1])["number"] == 30
        awake.gone.set()
        await until(lambda: feed.watchers == 20)


@in_loop
async def test_a_page_that_comes_long_after_the_last_news_gets_the_time_that_it_is() -> None:
    async with fed(CountingDesk()) as feed:
        first = [json.loads(feed.state()), data_of(feed.message(0)[1])]
        await asyncio.sleep(0.2)
        then = [json.loads(feed.state()), data_of(feed.message(0)[1])]
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
async def test_pages_are_let_go_at_the_end() -> None:
    pipe = Pipe()
    async with Feed.running(cast("Referee", CountingDesk())) as feed:
        task = pipe.watch(feed)
        await until(lambda: len(pipe.taken) == 1)
    await asyncio.wait_for(task, 60)


def test_there_is_an_end_to_the_pages_that_may_be_open(page: PageUnderTest) -> None:
    page.app.state.feed.watchers += 200
    answer = page.phone().get("/api/events")
    page.app.state.feed.watchers -= 200
    assert answer.status == 503 and "Too many pages" in answer.data["error"]
