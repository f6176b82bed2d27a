"""Pages that watch, without browsers: run as a process of its own, so that it costs the referee's process nothing.

`python -m referee.bench.watching PORT PAGES STALLED` opens so many pages, of which some take nothing, says "open" on
a line, and at the end of its input writes when each ruling reached each page, as JSON: {id: [t_ns, …]}.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
import time

_REQUEST = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
_LATEST = re.compile(rb'"latest":\{"id":"([^"]+)"')
_SMALL = 4096
_TAIL = 64


async def _watch(port: int, seen: dict[str, list[int]]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_REQUEST)
    tail = b""
    try:
        while chunk := await reader.read(1 << 16):
            now_ns = time.monotonic_ns()
            # What is looked for may come in two parts.
            tail = tail[-_TAIL:] + chunk
            for found in _LATEST.finditer(tail):
                times = seen.setdefault(found[1].decode(), [])
                times.append(now_ns)
    finally:
        writer.close()


def _stall(port: int) -> socket.socket:
    page = socket.socket()
    page.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL)
    page.connect(("127.0.0.1", port))
    page.sendall(_REQUEST)
    return page


async def _main(port: int, pages: int, stalled: int) -> None:
    seen: dict[str, list[int]] = {}
    held = [_stall(port) for _ in range(stalled)]
    watchers = [asyncio.create_task(_watch(port, seen)) for _ in range(pages - stalled)]
    await asyncio.sleep(0.5)
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)
    for page in held:
        page.close()
    print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(*(int(argument) for argument in sys.argv[1:4])))
