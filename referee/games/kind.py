"""Interface of a game: everything that referee, page, commands and lessons ask of it.

A game is a folder here with a `kind.py`, which defines a `GameKind`, and a line in `registry`. Its rules are pure:
events in, rulings out. A game imports modules for pictures and devices on demand, so that its rules load fast.
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
"""A ruling in the form of the outside contract."""
Names = Sequence[str]
"""The players, by seat."""
Sentences = tuple[str, ...]
Said = Mapping[str, str]
"""Attributes of a face, such as `{"colour": "red", "mood": "happy"}`."""


@dataclass(frozen=True)
class Option:
    """An option that players choose on the page before a game.

    choices: values and their labels, the default first; empty for a seat, which players choose by name.
    """

    name: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Words:
    """Sentences of a game.

    sentences: those of a ruling, its verdict first; empty for a silent ruling. likely: rulings that may follow soon,
    for a number of players, the likeliest first; `Announcements` renders them ahead. phrases: further sentences to
    render. together: splits the rulings of one event into groups; said_together: one sentence for a group of several.
    notice: the sentence of a watcher's notice, "" for a notice of another game. answer: the sentence that confirms an
    answer.
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
    """State of a seat. points: None where they are counted only at the end. detail: a few words.

    held: the open cards before the seat that count at the end, each with its number.
    """

    points: int | None
    held: Sequence[tuple[str, int]] = ()
    detail: str = ""


@dataclass(frozen=True)
class Page:
    """Page of a game: its offer, and the view of a running game.

    text: the game in one sentence. least, most: numbers of players. seats: each seat's state. phase: `key`, `turn` and
    more; its argument is the duration of the sand in ms, where it is known. step: a name that changes whenever a report
    by a player would mean something else; None: only the end changes that. steps: the events behind a ruling.
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
    """Decks that fit a game, and the facts that a lesson must learn about them.

    check: raises `BadInputError` for a deck that does not fit. beside: shipped decks besides the game's own. marked:
    the game needs cards that differ by marks. is_whole: whether attributes describe a face completely; face_name: the
    name of such a face. missing: key of the sentence for a lesson that lacks a face although each has a name; None if
    it is complete. tally: progress of a lesson; None: a count of faces. colours: the deck's colours that players choose
    on the page; None: no choice. header_colours: the colours that a game's header lists.
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
    """A game for the simulated table, and its truth; `t_ns` counts from its beginning.

    ruling, rulings: the kind of ruling that measures progress, and their number. rings: the expected ruling of each
    ring, with its `seat`. truth: the events that a watcher may be asked about. said: the players' messages on the page.
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

    script: writes a game for a header, a deck, a seed and a number of rounds; None: until the end. players: the number
    that is shown. live_fps, fast_fps: pictures a second in real time and in fast motion. Drawing and reading share the
    processor, and a table of cards needs no higher rate.
    """

    script: Callable[[Header, Deck, int, int | None], DemoScript]
    players: int = 4
    live_fps: float = 15.0
    fast_fps: float = 6.0


@dataclass(frozen=True)
class Scoring:
    """Scoring of a game: `ringmaster score`, for at most `most_players` in a picture.

    module: defines `scorer(asked)`, which answers one hand a line in JSON and raises `BadInputError` for a bad one, and
    `score_image`, a `ScoreImage`.
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
    """One game: `start` raises `BadInputError` for an unplayable header, `watcher` for an unfit deck.

    name: used in commands, headers and files. devices: the required ones, by `doctor`'s names. settings: a header's
    options as a dataclass with all defaults; None: the game has no options.
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
        """Return the game's name for people."""
        return self.name.capitalize()

    def explicit(self, header: Header) -> Header:
        """Return the header with every option of the game filled in, so that no reader needs a default.

        Raises:
            BadInputError: the game does not know an option or its value.
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
