"""Inside the rehearsal machine: pairs with the running service, starts a game of Piccolino and presses the bell.

ring.py COLOUR: the table shows two happy clowns of that colour. Prints the ruling; exit status 1 if a ring was ruled
wrongly, dated wrongly, or never ruled.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = "http://localhost"
BELL = Path("/run/gpio-sim/sim_gpio17/pull")
PLAYERS = ("Ann", "Ben", "Cem")
RINGER = 1
# In this machine's own time, in which it is as fast as an old computer; its host may be slower.
LIMIT_S = 900.0
# A late frame leaves a ring unclear (P10); then the players decide and ring again.
MOST_RINGS = 4
LOCK_OUT_S = 2.0
Answer = dict[str, Any]


class TablePage:
    """Acts as a phone at the table."""

    def __init__(self) -> None:
        self._headers = {"Content-Type": "application/json"}

    def get(self, path: str) -> Answer:
        """Return the answer to a GET request."""
        return self._ask(path, None)

    def post(self, path: str, **data: object) -> Answer:
        """Return the answer to a POST request."""
        return self._ask(path, json.dumps(data).encode())

    def pair(self) -> None:
        """Pair with the code on this machine's own screen."""
        self.post("/api/pair/ask")
        self._headers["X-CSRF-Token"] = self.post("/api/pair", code=self.get("/api/me")["code"])["csrf"]

    def wait_for(self, found: Callable[[Answer], bool]) -> Answer:
        """Wait until the table's state fits, or time is over; return the last state."""
        end_s = time.monotonic() + LIMIT_S
        while not found(state := self.get("/api/state")) and time.monotonic() < end_s:
            time.sleep(0.5)
        return state

    def _ask(self, path: str, body: bytes | None) -> Answer:
        request = urllib.request.Request(PAGE + path, data=body, headers=self._headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            if cookie := answer.headers["Set-Cookie"]:
                self._headers["Cookie"] = cookie.partition(";")[0]
            answered: Answer = json.loads(answer.read())
            return answered


def press() -> tuple[int, int]:
    """Press the bell; return the times before and after its contact closed, ns."""
    before_ns = time.monotonic_ns()
    BELL.write_text("pull-down")
    after_ns = time.monotonic_ns()
    time.sleep(0.1)
    BELL.write_text("pull-up")
    return before_ns, after_ns


def ruled(state: Answer, before_ns: int, after_ns: int) -> Answer | None:
    """Return the page's ruling on a press."""
    mine = (shown for shown in state["rulings"] if before_ns <= shown["t_ns"] <= after_ns)
    return next((shown for shown in mine if shown["ruling"]["ruling"] in ("ring", "unclear")), None)


def ring(page: TablePage) -> tuple[Answer | None, float, str]:
    """Press, name the ringer if asked, and return the ruling, its delay, s, and the question."""
    before_ns, after_ns = press()
    state = page.wait_for(lambda state: bool(state["questions"]) or ruled(state, before_ns, after_ns) is not None)
    took_s = (time.monotonic_ns() - after_ns) / 1e9
    asked = ""
    if any(question["kind"] == "who_rang" for question in state["questions"]):
        asked = state["caption"]
        page.post("/api/do", do="ringer", seat=RINGER)
        state = page.wait_for(lambda state: ruled(state, before_ns, after_ns) is not None)
    return ruled(state, before_ns, after_ns), took_s, asked


def main(colour: str) -> int:
    """Play, and print the result."""
    page = TablePage()
    page.pair()
    page.post("/api/do", do="start", game="piccolino", players=list(PLAYERS))
    state = page.wait_for(lambda state: len(state["readings"]) == len(PLAYERS))
    if len(state["readings"]) < len(PLAYERS):
        print(f"the cards were not read: {state['readings']}, {state['notices']}, {state['devices']}")
        return 1
    for number in range(1, MOST_RINGS + 1):
        time.sleep(LOCK_OUT_S)
        shown, took_s, asked = ring(page)
        if shown is None:
            print(f"ring {number} was not ruled; the page shows {page.get('/api/state')['rulings'][:3]}")
            return 1
        ruling = shown["ruling"]
        if ruling["ruling"] == "unclear":
            page.post("/api/do", do="decide", valid=False)
            continue
        right = ruling["valid"] and ruling["colour"] == colour and ruling["seat"] == RINGER
        print(f"ring {number}, {took_s:.1f} s after the press: “{asked}”; then, {PLAYERS[RINGER]}: “{shown['text']}”")
        return 0 if right else 1
    print(f"all {MOST_RINGS} rings were unclear: {page.get('/api/state')['rulings'][:3]}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
