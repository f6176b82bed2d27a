"""Inside the rehearsal machine: pairs with the running service, starts a game of Piccolino and presses the bell.

Prints what was ruled; exit status 1 if the service ruled nothing, or on another moment than that of the press.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

PAGE = "http://localhost"
BELL = Path("/run/gpio-sim/sim_gpio17/pull")
LIMIT_S = 120.0
RULED = ("ring", "unclear")
Answer = dict[str, Any]


class Page:
    """What a phone at the table does."""

    def __init__(self) -> None:
        self._headers = {"Content-Type": "application/json"}

    def get(self, path: str) -> Answer:
        """Ask for something."""
        return self._ask(path, None)

    def post(self, path: str, **data: object) -> Answer:
        """Tell something."""
        return self._ask(path, json.dumps(data).encode())

    def pair(self) -> None:
        """Pair with the code that this machine's own screen shows."""
        self.post("/api/pair/ask")
        self._headers["X-CSRF-Token"] = self.post("/api/pair", code=self.get("/api/me")["code"])["csrf"]

    def _ask(self, path: str, body: bytes | None) -> Answer:
        request = urllib.request.Request(PAGE + path, data=body, headers=self._headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            if cookie := answer.headers["Set-Cookie"]:
                self._headers["Cookie"] = cookie.partition(";")[0]
            told: Answer = json.loads(answer.read())
            return told


def main() -> int:
    """Ring, and wait for the ruling."""
    page = Page()
    page.pair()
    page.post("/api/do", do="start", game="piccolino", players=["Ann", "Ben", "Cem"])
    time.sleep(5)
    before_ns = time.monotonic_ns()
    BELL.write_text("pull-down")
    after_ns = time.monotonic_ns()
    time.sleep(0.1)
    BELL.write_text("pull-up")
    while time.monotonic_ns() < after_ns + LIMIT_S * 1e9:
        state = page.get("/api/state")
        for shown in state["rulings"]:
            if shown["ruling"]["ruling"] in RULED:
                took_s = (time.monotonic_ns() - after_ns) / 1e9
                right = before_ns <= shown["t_ns"] <= after_ns
                print(f"“{shown['text']}”, {took_s:.1f} s after the press, {'on' if right else 'NOT ON'} its moment")
                return 0 if right else 1
        time.sleep(0.5)
    print(f"nothing was ruled in {LIMIT_S:.0f} s; the page shows {state['rulings'][:3]}, {state['devices']}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
