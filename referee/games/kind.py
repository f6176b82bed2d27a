"""Interface of a game: all that referee, page, commands and lessons need of it.

A game is a folder here, with a `kind.py` that gives a `GameKind`, and a line in `registry`. Its rules are pure: events
in, rulings out. What needs pictures or devices is imported when it is asked for, so that rules alone start at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from referee.engine.events import Event, Game, Header
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session, Watcher
    from referee.scoring.seats import SeatCards, Sharing
    from referee.watchers.table_finder import WatchSetup
    from simulation.script import Script
    from vision.arrays import Image
    from vision.deck import Deck
    from vision.image import Picture
    from vision.profile import TableProfile

RulingData = Mapping[str, Any]
"""A ruling as the outside contract has it."""
Names = Sequence[str]
"""The players, by seat."""
Sentences = tuple[str, ...]
Said = Mapping[str, str]
"""Attributes of a face, such as `{"colour": "red", "mood": "happy"}`."""


@dataclass(frozen=True)
class Option:
    """An option that people choose on the page before a game.

    choices: values and their words, the default first; none for a seat, which people choose by name.
    """

    name: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Words:
    """Sentences of a game.

    sentences: of a ruling, the verdict first, none where it needs no words. likely: rulings whose sentences will be
    wanted at once, for so many players, the likeliest first. phrases: what else will be. together: rulings that one
    event led to, in groups that are said as one; said_together: the sentence of such a group of several. notice: what
    the watcher asks or points out, "" for what is none of this game's. answer: what an answer to it says.
    """

    sentences: Callable[[RulingData, Names, Language], Sentences]
    likely: Callable[[int], Iterable[RulingData]] = lambda players: ()
    phrases: Callable[[Language], Sentences] = lambda language: ()
    together: Callable[[Sequence[RulingData]], Iterable[Sequence[RulingData]]] = lambda rulings: ([r] for r in rulings)
    said_together: Callable[[Sequence[RulingData], Names, Language], str] = lambda rulings, players, language: ""
    notice: Callable[[str, str, Mapping[str, Any], Names, Language], str] = lambda *_: ""
    answer: Callable[[Mapping[str, Any], Names, Language], str] = lambda *_: ""


@dataclass(frozen=True)
class Seat:
    """How a seat stands. points: None where they are known at the end only. detail: a few words.

    held: the open cards before it that count at the end, and how many of each.
    """

    points: int | None
    held: Sequence[tuple[str, int]] = ()
    detail: str = ""


@dataclass(frozen=True)
class Page:
    """Page of a game: how it is offered, and the view of one that is played.

    text: what it is, in a sentence. least, most: how many play. seats: how each seat stands. phase: what is going on:
    `key`, `turn` and more; lasts_ms is how long the sand runs, where that is known. step: a name of how things stand
    that changes where a person's report would mean something else; None: only the end does. steps: how a ruling comes
    about, by the events it was judged on.
    """

    text: str
    least: int
    most: int
    options: tuple[Option, ...]
    phase: Callable[[Session, int | None, Language], dict[str, Any]]
    seats: Callable[[Session, Language], Sequence[Seat]]
    step: Callable[[Session], str] | None = None
    steps: Callable[[RulingData, Sequence[Event], Language], list[dict[str, Any]]] = lambda *_: []


@dataclass(frozen=True)
class Cards:
    """Decks that a game can be played with, and what a lesson has to learn of them.

    check: says by `BadInputError` what a deck of prints lacks. beside: decks that come with Ringmaster, besides the
    game's own. marked: whether it is played only with cards that marks distinguish. is_whole: whether
    attributes say all that the game must know of a face; face_name: what such a face is called. missing: the key of the
    sentence that says what a lesson lacks whose faces are all named, None where nothing is. tally: what a lesson has
    seen, and of how much; None: just how many faces. colours: those of a deck that people choose by on the page;
    None: by none. header_colours: those that a game's header names.
    """

    check: Callable[[Deck], None]
    beside: tuple[str, ...] = ()
    marked: bool = False
    is_whole: Callable[[Said], bool] = lambda said: False
    face_name: Callable[[Said], str] = lambda said: ""
    missing: Callable[[Sequence[Said]], str | None] = lambda fronts: None
    tally: Callable[[Sequence[Said], int], dict[str, Any]] | None = None
    colours: Callable[[Deck], list[str]] | None = None
    header_colours: Callable[[Deck], list[str]] = lambda deck: []


@dataclass(frozen=True)
class DemoScript:
    """A game as it is played on the simulated table, and what is true of it; its `t_ns` count from its beginning.

    ruling, rulings: which kind of ruling shows how far the referee has come, and how many of them there will be.
    rings: how each ring of the script is to be ruled, with its `seat`. truth: what happens that a watcher may ask of.
    said: what the players say on the page.
    """

    script: Script
    ruling: str
    rulings: int
    rings: tuple[Mapping[str, Any], ...] = ()
    truth: tuple[Event, ...] = ()
    said: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Demo:
    """A game that plays itself on the simulated table.

    script: writes what is played for a header, with this deck, from a seed, in so many rounds; None: to its end.
    players: how many are shown. live_fps, fast_fps: pictures a second, in real time and as fast as can be: drawing and
    reading share the computer, and a table of cards needs no more.
    """

    script: Callable[[Header, Deck, int, int | None], DemoScript]
    players: int = 4
    live_fps: float = 15.0
    fast_fps: float = 6.0


@dataclass(frozen=True)
class Scoring:
    """`ringmaster score`, for at most so many players in a picture.

    module: gives `scorer(asked)`, what answers one hand in JSON by a line and raises `BadInputError` for one that
    cannot be scored, and `score_image`, a `ScoreImage`.
    """

    module: str
    most_players: int


@dataclass(frozen=True)
class ScoreAsked:
    """The options of `ringmaster score`."""

    as_json: bool
    limit: int
    overlimit: str
    scoring: str | None
    deck: str | None
    side: str | None
    table: str | None
    picture: Path | None


class ScoredTable(Protocol):
    """A scored picture; `faults` say which hands could not be scored, `remarks` are on marker cards and the camera."""

    @property
    def sharing(self) -> Sharing:
        """Return whose each card is."""

    @property
    def faults(self) -> Mapping[int, str]:
        """Return why hands could not be scored, by seat."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences on the marker cards and the camera."""

    def as_json(self, hand: SeatCards) -> dict[str, object]:
        """Return the line of a seat without a fault."""

    def sentences(self, language: Language) -> list[tuple[int | None, str]]:
        """Return what is said of each seat, and of no seat."""

    def drawn(self, language: Language) -> Image:
        """Return the picture, (h, w, 3) uint8 BGR, with the evidence drawn in."""


ScoreImage = Callable[["ScoreAsked", "Picture", "Deck", "TableProfile | None", int], ScoredTable]
"""Scores a picture of a table with so many players; raises `BadInputError` or `VisionError`."""


@dataclass(frozen=True)
class GameKind:
    """One game: `start` may raise `BadInputError` for a header it cannot play by, `watcher` for a deck.

    name: as it is called in commands, headers and files. devices: without which it cannot be judged, as `doctor`
    calls them. settings: a header's options as a dataclass with a field for each, defaults included; None: it has none.
    """

    name: str
    start: Callable[[Header], Game]
    watcher: Callable[[Header, WatchSetup], Watcher]
    words: Words
    page: Page
    cards: Cards
    demo: Demo | None = None
    scoring: Scoring | None = None
    devices: frozenset[str] = field(default_factory=frozenset)
    settings: Callable[[Header], Any] | None = None

    @property
    def title(self) -> str:
        """Return its name for people."""
        return self.name.capitalize()

    def explicit(self, header: Header) -> Header:
        """Return the header with every option of the game in it, so that no reader has to guess a default.

        Raises:
            BadInputError: it has an option, or a value of one, that the game does not know.
        """
        if self.settings is None:
            return header
        settings = self.settings(header)
        named = {one.name: _as_option(getattr(settings, one.name)) for one in fields(settings)}
        return replace(header, options={**named, **header.options})


def _as_option(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Enum):
        return value.value
    return [_as_option(one) for one in value] if isinstance(value, tuple) else value
