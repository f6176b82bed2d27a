"""The desk: all that a web page can ask of the running referee and tell it. Safe to use from any thread.

`table_desk` has the real one; the page's tests bring their own. Everything given out is plain JSON data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Data = Mapping[str, Any]


class Desk(Protocol):
    """What the page needs. Methods raise `RingmasterError`s with one sentence for the person at the page.

    A `BadInputError` means that there is no such thing, or that it cannot be asked like that.
    """

    def state(self) -> Data:
        """Give all that a page shows, with a `version` that grows with each change; cheap, and the caller's to keep.

        Keys: `version`; `t_ns` (now, monotonic); `mode` ("idle", "playing", "paused", "over"); `game` (null or `{"id",
        "game", "players", "options", "started"}`); `board` (a list of seats: `{"seat", "name", "points", "gained": in
        the round that was counted last, or null, "held": in Coloretto, `[[card, how many], …]`, "detail"}`, `detail`: a
        few words, may be ""); `phase` (what is going on: `{"key": "idle", "before_round", "running",
        "counting", "turning", "who_rang", "placing" or "over"}`, with `round`, `rounds`, `limit` where the game has
        them, `turn`: a seat or null, `since_ns`: when it began, `lasts_ms`: how long the sand runs, or null; in
        Coloretto `rows`: their cards, null for a row that is gone, `rooms`: for how many cards each, `taken`: seats,
        `last`: whether the round is the last, `told`: the id of the event told last, or null, `colours`: in the game,
        `sheet`: as the command of that name gives it, by seat);
        `rulings` (newest first, at most 50: `{"id", "t_ns", "text", "ruling", "picture" (an id or null),
        "corrected"}`); `latest` (the first of them that has a text, or null); `questions` (what the page is asked:
        `{"id", "kind": "who_rang", "decide", "no_hand" or "doubt", "text", "seats", "ruling": an id or null, "verdict":
        how a ring stands that waits for its ringer's name, `{"t_ns", "text", "ruling"}`, or null}`; of hands put away
        before they were counted `last_seen`: by the order of `seats`, the cards seen last, or null; a doubt has
        `answers`, `[{"text", "seat", "card"}]`, and `pictures`, null or what the table is like, `{"before": when it was
        understood last, an id or null, "now": an id}`); `caption` (what is being said, or
        ""); `said` (the latest that were said aloud, oldest first: `{"number", "text", "urgent"}`); `devices`
        (`{"name", "state", "message"}`, the states are those of `hardware.problems`); `outlines` (of what is seen:
        `{"corners": [[x, y], …] as shares of the picture's size, "seat", "label", "certain", "event": the id of the
        event that a correction names, or null}`); `readings` (those events by their ids); `notices` (`{"text",
        "seat"}`, what people should do now); `settings` (`{"language", "volume": 0 to 1, "quiet", "quiet_hours": null
        or ["22:00", "07:00"], "camera", "bell": "one", "seats", "microphone" or "none", "bell_pins": BCM numbers by
        seat, "sandtimer", "lamp", "loudspeaker": whether fitted, "voice_page": which page speaks, "open_pictures":
        whether all at home see pictures}`); `language` (of all texts); `can_undo`; `undoes` (what would be taken back:
        "correction", "stop", "start" or null);
        `moment` (names how things stand, for commands that hang on it).
        """

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Call `notify(version)` after each change, quickly and from any thread; gives what ends it."""

    def do(self, command: Data) -> Data:
        """Carry out a command and give what came of it; it has been journalled by then.

        Commands (`"do"`): `start` (`game`, `players`, `options`), `stop`, `pause`, `resume`, `flip` (the sandtimer),
        `ring` (a phone that is a bell: `seat`, `t_ns`: when, `within_ms`: how far off that may be), `bell_here` (such a
        phone may ring from now on), `time` (it ran out), `count`, `ringer` (`seat`), `decide` (`valid`), `event`
        (`event`: an event of the game, for games played by hand), `correct` (`ruling`: an id, or `event`: an id, with
        `with`: the event's new data, or null to strike it; a ruling's id means the event that led to it), `undo` (the
        last correction), `answer` (`question`: an id, `answer`: which of its answers), `sheet` (`hands` with the keys
        of the outside contract, `table`: what they are worth at Coloretto; changes nothing), `look_again` (`ruling`),
        `settings` (those of the state that change), `setup` (`act`: "open" with `step`, "answer" with `answer`, "keep",
        "skip" or "close"). With the state's
        `moment`, a command is carried out only if that is how things stand still.

        Raises:
            OvertakenError: something else came first; nothing has changed.
        """

    def picture(self, which: str) -> bytes | None:
        """Give a JPEG: `live`, or an evidence picture by its id; None if there is none (any more)."""

    def timeline(self, ruling: str) -> Data:
        """Give the photo-finish of a ruling, of this game or a past one, times from its ring.

        `{"frames": [{"picture", "t_ms"}], "marks": …, "faces": …, "sight": …, "players": names}`. `marks`: `[{"t_ms",
        "text", "seat", "kind": "ring", "also_rang", "card" or "frame"}]`, oldest first. `faces`: which lay open when,
        `[{"seat", "colour", "mood", "from_ms", "until_ms": null if it lay on}]`. `sight`: null, or what was outlined in
        the frame that decided: `{"t_ms", "width", "height": of its picture, px, "outlines": [{"corners": px, "seat",
        "label", "certain"}]}`.
        """

    def explain(self, ruling: str) -> Data:
        """Give why.

        `{"text", "ruling", "corrected", "steps", "way", "mishaps", "picture", "sight", "readings", "past",
        "game"}`:
        `steps`: for Confetti the arrangement (C11), a set a step, then what costs points, and the sum: `[{"kind":
        "set", "spare", "over" or "sum", "text", "cards": […]}]`; a set's cards (their colours, small, medium, big)
        stand in the order in which they give small, medium, big. `readings`: the events that it was judged on, each to
        be corrected: `{"event": an id, "seat", "data": the event with its keys of the outside contract}`, such as the
        tops that lay open at a ring and the ring itself, or a hand. `way`: how far a phone's press was dated back, a
        sentence, or "". `mishaps`: what the
        referee had said of light, lens or machine, and was not over, a sentence each. `sight`: as in `timeline`.
        `past`: whether it is of a game that is not on the table any more. `game`: its `{"game", "players", "options"}`.
        """

    def history(self) -> Data:
        """Give past games, newest first: `{"games": […]}`.

        Each `{"id", "game", "players", "started", "ended" (ISO 8601 or null), "points", "winners" (seats)}`.
        """

    def game(self, which: str) -> Data:
        """Give one past game: as in `history`, and `options`, `rounds`, `rulings`, `corrections`.

        `rounds`: `[{"number", "points": […]}]`; `rulings`: as in the state, oldest first; `corrections`: `[{"change":
        "Ben: red, happy → red, sad", "text", "at" (ISO 8601), "undone"}]`.
        """

    def statistics(self) -> Data:
        """Give figures over all evenings: `{"players": […], "evenings": […]}`.

        Players: `{"name", "games", "wins", "valid", "false", "too_late", "reactions_ms": […]}`, who won most first;
        evenings, oldest first: `{"date", "games", "wins": {name: number}, "false": {name: number}, "median_ms": {name:
        number}}`.
        """

    def setup(self, *, look: bool) -> Data:
        """Give how far setting up is, and, to `look`, what the open step finds now.

        `{"steps": […], "open": a step's name or null, "finding": null or …, "left": the steps that are not done}`.
        Steps: `{"step", "title", "ask", "state": null where nothing is kept, "good", "mend", "wait", "missing" or
        "skipped", "text"}`. A finding: `{"step", "state", "text", "more": sentences, "bar": 0 to 1 or null, "shapes":
        [{"corners": shares of the picture, "kind", "label"}], "choices": [{"text", "answer", "href", "chosen"}]}`.
        """

    def whole_picture(self) -> bytes | None:
        """Give the newest picture whole, as a JPEG, for who aims the camera; None: there is none."""

    def decks(self) -> Data:
        """Give the decks that each game can be played with, the one that was played with last first.

        `{"decks": {game: [name, …]}, "colours": {name: [colour, …]}}`, the colours of those for Coloretto; the game's
        own deck has its name. `start` takes one of them as the option `deck`.
        """

    def quality(self) -> Data:
        """Give how good it is at this table: `{"games": […], "evenings": […], "challenged": a sentence or ""}`.

        Games: `{"game", "cards", "corrected", "rings", "unclear", "text"}` of its last cards; evenings, oldest first:
        the same with `date` instead of `game` and `text`.
        """

    def cameras(self) -> Data:
        """Give the cameras: `{"cameras": [{"camera": as in the settings, "name"}], "notes": […]}`.

        `cameras`: the cameras that are plugged in now. `notes`: what the camera in use could not do when it was set
        up, a sentence each.
        """
