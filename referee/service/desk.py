"""The desk: all that a web page can ask of the running referee and tell it. Safe to use from any thread.

`referee.service` has the real one; the page's tests bring their own. Everything given out is plain JSON data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Data = Mapping[str, Any]


class Desk(Protocol):
    """What the page needs. Methods raise `RefereeError`s with one sentence for the person at the page."""

    def state(self) -> Data:
        """Give all that a page shows, with a `version` that grows with each change.

        Keys: `version`; `t_ns` (now, monotonic); `mode` ("idle", "playing", "paused", "over"); `game` (null or `{"id",
        "game", "players", "options", "started"}`); `board` (a list of seats: `{"seat", "name", "points", "detail"}`);
        `phase` (what is going on, a key for the page's words, with `round`, `limit` where the game has them);
        `latest` and `rulings` (newest first, at most 50: `{"id", "t_ns", "ago_ms", "text", "ruling", "picture" (an
        id or null), "corrected"}`); `questions` (what the page is asked: `{"id", "kind": "who_rang" or "decide", "text",
        "seats"}`); `caption` (what is being said); `devices` (`{"name", "state", "message"}`); `outlines` (of what is
        seen: `{"corners": [[x, y], …] as shares of the picture's size, "seat", "label", "certain"}`); `notices`
        (`{"text", "seat"}`, what people should do now); `language`; `can_undo`.
        """

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Call `notify(version)` after each change, quickly and from any thread; gives what ends it."""

    def do(self, command: Data) -> Data:
        """Carry out a command and give what came of it; it has been journalled by then.

        Commands (`"do"`): `start` (`game`, `players`, `options`), `stop`, `pause`, `resume`, `flip` (the sandtimer),
        `time` (it ran out), `count`, `ringer` (`seat`), `decide` (`valid`), `event` (`event`: an event of the game, for
        games played by hand), `correct` (`ruling`: an id, or `event`: an id, with `with`: the event's new data, or null
        to strike it), `undo` (the last correction), `look_again` (`ruling`), `settings` (`language`, `volume`, `quiet`,
        `quiet_hours`, …).
        """

    def picture(self, which: str) -> bytes | None:
        """Give a JPEG: `live`, or an evidence picture by its id; None if there is none (any more)."""

    def timeline(self, ruling: str) -> Data:
        """Give the photo-finish of a ruling: `{"frames": [{"picture", "t_ms"}], "marks": [{"t_ms", "text"}], …}`."""

    def explain(self, ruling: str) -> Data:
        """Give why: `{"text", "steps": [{"text", "cards": […]}], "picture"}`; for Confetti the arrangement (C11)."""

    def history(self) -> Data:
        """Give past games, newest first: `{"games": [{"id", "game", "players", "started", "ended", "winners", …}]}`."""

    def game(self, which: str) -> Data:
        """Give one past game: its rounds, rulings and corrections."""

    def statistics(self) -> Data:
        """Give figures over all evenings: wins, reaction times, false rings, by player."""
